import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { voices } from '../faults/voices.ts'
import { cases } from '../cases.ts'
import { crowd, endsOf, MOST, type Crowd, type Line } from './crowd.ts'

/**
 * Any interleaving of what callers and upstreams do: ask, answer, refuse, feed, break, end, read, leave, wait.
 * Whatever happened, in the end nothing is open, counted, timed or listened for, everybody was told the truth,
 * and the log has one line for each.
 */

const MOVES = {
  head: (line: Line) => line.head(),
  refuse: (line: Line) => line.refuse(),
  lose: (line: Line) => line.lose(),
  feed: (line: Line, size: number) => line.feed(size),
  more: (line: Line, size: number) => line.feed(size * 5),
  breakOff: (line: Line) => line.breakOff(),
  end: (line: Line) => line.end(),
  read: (line: Line) => line.read(),
  abort: (line: Line) => line.leave('abort'),
  cancel: (line: Line) => line.leave('cancel'),
} as const

const voice = fc.constantFrom(
  ...voices.map((each) => ({ ...each, [fc.toStringMethod]: () => each.dialect })),
)
const ask = fc.record({ what: fc.constant('ask'), caller: voice, upstream: voice, s: fc.boolean() })
const move = fc.record({
  what: fc.constantFrom(...(Object.keys(MOVES) as (keyof typeof MOVES)[])),
  who: fc.nat(9),
  size: fc.integer({ min: 1, max: 90 }),
})
const often = fc.record({
  what: fc.constantFrom('head', 'head', 'more', 'more', 'more', 'read'),
  who: fc.nat(9),
  size: fc.integer({ min: 1, max: 90 }),
})
const wait = fc.record({ what: fc.constant('wait'), seconds: fc.constantFrom(1, 20, 130, 700) })
const stop = fc.record({ what: fc.constant('stop') })
const step = fc.oneof(
  { weight: 6, arbitrary: ask },
  { weight: 8, arbitrary: move },
  { weight: 16, arbitrary: often },
  { weight: 2, arbitrary: wait },
)
const scenario = fc.tuple(
  fc.array(step, { maxLength: 60, size: 'max' }),
  fc.option(stop, { nil: undefined, freq: 5 }),
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const IDLE_MS = 120_000
const settle = () => vi.advanceTimersByTimeAsync(0)

async function play(crowd: Crowd, step: Step): Promise<void> {
  const { lines } = crowd
  if ('caller' in step) crowd.ask(step.caller, step.upstream, step.s)
  else if ('seconds' in step) {
    if (step.seconds * 1000 >= IDLE_MS) excuse(lines)
    await vi.advanceTimersByTimeAsync(step.seconds * 1000)
  } else {
    const line = lines[step.who % Math.max(lines.length, 1)]
    if (line) MOVES[step.what](line, step.size)
  }
  await settle()
  // Who left takes the upstream along, at once.
  for (const line of lines) if (line.left) expect(line.open).toBe(false)
  expect(crowd.load.exchanges).toBeLessThanOrEqual(MOST)
}

/** Everybody reads on; the process ends, or the upstreams do. No clock rings for what is still open. */
async function finish(crowd: Crowd, stops: boolean): Promise<void> {
  const { lines } = crowd
  excuse(lines.filter(({ whole }) => stops || !whole))
  const drained = Promise.all(lines.map((line) => line.drain()))
  if (stops) crowd.stop()
  // A connection that was refused may just be asked for once more.
  for (let turn = 0; turn < 2; turn += 1) {
    for (const line of lines) line.lose()
    for (const line of lines) line.breakOff()
    await vi.advanceTimersByTimeAsync(1000)
  }
  await drained
}

const excuse = (lines: readonly Line[]) => {
  for (const line of lines) if (!line.ended) line.excused = true
}

/** What is not true of one exchange, now that it is over. */
function wrongIn(line: Line, index: number): string[] {
  const { status, text, whole, stream, excused } = line
  const wrong: string[] = []
  if (line.sends > 1 + Math.min(line.refusals, 1)) wrong.push(`sent ${line.sends} times`)
  if (line.open) wrong.push('the upstream is still open')
  const canaries = new Set(text.match(/canary-\d+-/g))
  canaries.delete(`canary-${index}-`)
  if (canaries.size > 0) wrong.push(`shows ${[...canaries].join()}`)
  if (line.left) return wrong
  if (status !== 200) {
    const crowded = status === 503 && line.sends === 0
    return excused || crowded ? wrong : [...wrong, `${status} ${text}`]
  }
  const { successes, failures } = stream ? endsOf(line) : { successes: 1, failures: 0 }
  if (!whole && !line.told && (successes > 0 || failures === 0))
    wrong.push(`a success: ${text.slice(-200)}`)
  if (whole && !excused && (successes === 0 || failures > 0)) wrong.push(`no success: ${text}`)
  return wrong
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

it('leaves nothing behind and tells everybody the truth, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ([steps, end]) => {
      const all = crowd()
      for (const each of steps) await play(all, each)
      await finish(all, end !== undefined)
      const wrong = all.lines.flatMap((line, index) =>
        wrongIn(line, index).map((text) => `${index}: ${text}`),
      )
      expect(wrong).toEqual([])
      expect([all.load.exchanges, all.load.bytes()]).toEqual([0, 0])
      expect(vi.getTimerCount()).toBe(0)
      expect(all.listeners.size).toBe(0)
      expect(all.proxy.log).toHaveLength(all.lines.length)
      expect(new Set(all.proxy.log.map(({ id }) => id)).size).toBe(all.lines.length)
    }),
    cases(1000),
  )
})
