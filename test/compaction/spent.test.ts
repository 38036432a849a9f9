import { describe, expect, it, vi } from 'vitest'
import { kits, othersThan } from '../dialects/index.ts'
import { settings } from '../memory/proxy.ts'
import { call, MODEL, said, text, type Said, type Wire } from '../sdk/script.ts'
import type { Answer } from '../sdk/stage.ts'
import {
  isCount,
  isSummaryTurn,
  modelAt,
  stageOf,
  summing,
  SUMMARY,
  TOOL,
  TRIGGER,
  user,
  WORKED,
} from './stage.ts'

/** Each reply takes so many tokens by the count of its upstream. */
const INPUT = 100
const OUTPUT = 40

/** No summary: the same is asked for once more. */
const CALLED = said([call('call_9', 'read', {})], 'tool-call')

/** What runs out must not depend on how quick the machine is: all that is said is there at once. */
const HASTY = {
  upstreams: new Map(
    [...settings().upstreams].map(([name, upstream]) => [
      name,
      { ...upstream, timeouts: { ...upstream.timeouts, idleMs: 50 } },
    ]),
  ),
}

/** Something was counted of the last request, too. */
function expectMore({ usage }: Wire): void {
  const { input = 0, output = 0 } = usage as { input?: number; output?: number }
  expect(input).toBeGreaterThan(INPUT)
  expect(output).toBeGreaterThan(OUTPUT)
}

describe.each(othersThan('responses'))('what a summary took of %s', (dialect) => {
  const model = modelAt(dialect)
  const { events, failureInStream } = kits[dialect].scripted
  /** The beginning of a summary; how much of it has been counted differs from dialect to dialect. */
  const begun = events(said([text(SUMMARY)]), MODEL).slice(0, -3)

  const asked = async (
    last: Said | Answer,
    more: Wire = {},
    signal?: AbortSignal,
  ): Promise<Wire> => {
    const { ask, log } = stageOf(summing(CALLED, last), { change: HASTY })
    const json = { model, input: [...WORKED, TRIGGER], tools: [TOOL], stream: true, ...more }
    const init = { json, ...(signal && { signal }) }
    await ask('/v1/responses', init).then(
      (response) => response.text(),
      () => '',
    )
    await vi.waitFor(() => expect(log).toHaveLength(1))
    return { ...log[0] }
  }

  it.each([true, false])('is counted of each request (stream: %s)', async (stream) => {
    const entry = await asked(said([text(SUMMARY)]), { stream })
    expect(entry).toMatchObject({
      outcome: 'ok',
      usage: { input: 2 * INPUT, output: 2 * OUTPUT, cacheRead: 128, reasoning: 30 },
      estimated: undefined,
    })
  })

  it('is counted where no request brought one', async () => {
    const entry = await asked(CALLED)
    expect(entry).toMatchObject({
      outcome: 'upstream_error',
      usage: { input: 3 * INPUT, output: 3 * OUTPUT },
    })
  })

  const breaks: [string, Answer][] = [
    ['is cut', { events: begun, cut: true }],
    ['ends early', { events: begun }],
    ['falls silent', { events: begun, hold: {} }],
    ['fails', { events: [...begun, failureInStream] }],
  ]
  it.each(breaks)('is counted where the last one %s', async (_, last) => {
    const entry = await asked(last)
    expect(entry).toMatchObject({ outcome: 'upstream_error', estimated: true })
    expectMore(entry)
  })

  it('is counted where the caller leaves', async () => {
    const leaving = new AbortController()
    const last: Answer = {
      events: begun,
      // Asked for when all that was said has been taken.
      get hold() {
        setTimeout(() => leaving.abort(), 0)
        return {}
      },
    }
    const entry = await asked(last, {}, leaving.signal)
    expect(entry).toMatchObject({ outcome: 'left', estimated: true })
    expectMore(entry)
  })

  /** A summary, and then the turn that goes on from it. */
  const behind = async (turn: Answer): Promise<Wire> => {
    const upstream = summing()
    const { ask, log } = stageOf(
      (got) => (isCount(got) || isSummaryTurn(got) ? upstream(got) : turn),
      { change: { compaction: { threshold: true } } },
    )
    const input = [user('The tide is high. '.repeat(400)), user('Which file?')]
    const context_management = [{ type: 'compaction', compact_threshold: 1000 }]
    const json = { model, input, context_management, stream: true }
    const response = await ask('/v1/responses', { json })
    await response.text()
    return { ...log[0] }
  }

  it('is counted where the turn behind it is refused, which takes nothing', async () => {
    const entry = await behind({ status: 400, body: { error: { message: 'No.' } } })
    expect(entry).toMatchObject({
      outcome: 'upstream_error',
      usage: { input: INPUT, output: OUTPUT },
      estimated: undefined,
    })
  })

  it('is counted where the turn behind it is cut', async () => {
    const entry = await behind({ events: begun, cut: true })
    expect(entry).toMatchObject({ outcome: 'upstream_error', estimated: true })
    expectMore(entry)
  })
})
