import { describe, expect, it, vi } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { kits } from '../dialects/index.ts'
import { cpuMs } from '../growth/cpu.ts'
import { KEYS, settings } from '../memory/proxy.ts'
import { NATIVE, replyOf, requestOf, type Asked } from './twins.ts'

/** What looks for secrets in every app of a test reads each body as a text, and would be measured. */
vi.unmock('../../src/http/router.ts')

const SESSIONS = 3
const ATTEMPTS = 8
const TURNS = 120

const recallOf = (bytes: number) =>
  createRecall({
    bytes,
    isSame: (one, other) => Buffer.compare(one, other) === 0,
    native: NATIVE,
  })

function handler(recallBytes: number, recall = recallOf(recallBytes)) {
  const { limits, ...known } = settings()
  return createReplaceable(
    { ...known, limits: { ...limits, nodes: 1_000_000 } },
    {
      recall,
      now: () => Date.UTC(2026, 10, 21),
      randomId: () => '0'.repeat(32),
      log: () => undefined,
      send: async ({ url }) => replyOf(/^https:\/\/([\w-]+)\.test/.exec(url)?.[1] ?? ''),
    },
  ).answer
}

const stepAt = (session: number, index: number) => ({
  id: `call_${session}_${index}`,
  said: `Я посмотрю файл ${index} (${session}).`,
  tool: 'read',
  input: { path: `/project/${session}/${index}`, limit: index },
  result: `${session} ${index} `.repeat(40),
})

function requestAt(caller: Dialect, upstream: Dialect, session: number, turns: number): Asked {
  const { bench, http } = kits[caller]
  const steps = Array.from({ length: turns }, (_, index) => stepAt(session, index))
  const tools = [{ name: 'read', description: 'Reads.', schema: { type: 'object' } }]
  const system = `You are careful (${session}). `.repeat(400)
  const body = bench.history({ steps, tools, system, task: `Задача ${session}` })
  const text = JSON.stringify(http.body(`${upstream}-x`, false, body))
  const bytes = new TextEncoder().encode(text)
  return { caller, upstream, key: KEYS[0] ?? '', stream: false, bytes }
}

/** Processor time of the last requests of some sessions, after those that came before them. */
async function costWith(
  [caller, upstream]: readonly [Dialect, Dialect],
  recallBytes: number,
): Promise<number> {
  const answer = handler(recallBytes)
  const asked = (count: number) =>
    Array.from({ length: SESSIONS }, (_, session) => requestAt(caller, upstream, session, count))
  const before = [...asked(TURNS - 3), ...asked(TURNS - 2), ...asked(TURNS - 1)]
  const last = asked(TURNS)
  for (const request of before) await answer(requestOf(request))
  const began = cpuMs()
  for (const request of last) expect((await answer(requestOf(request))).status).toBe(200)
  return cpuMs() - began
}

/** What remembering leaves of the cost, at its least: other work on the machine makes either side dearer. */
async function leastShare(pair: readonly [Dialect, Dialect], goal: number): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && least > goal; attempt += 1) {
    const base = await costWith(pair, 0)
    least = Math.min(least, (await costWith(pair, MUCH)) / base)
  }
  return least
}

const MUCH = 100_000_000
const neighbour = (dialect: Dialect): Dialect =>
  DIALECTS[(DIALECTS.indexOf(dialect) + 1) % DIALECTS.length] ?? dialect

/** Where the path names the model, a body that passes is hardly looked at, so there is nothing to spare. */
const passGoal = (caller: Dialect): number =>
  'model' in kits[caller].http.body('m', false, {}) ? 0.8 : 1.2

describe.each(DIALECTS)('the next request of a session of %s costs less', (caller) => {
  it('where it passes', async () => {
    const goal = passGoal(caller)
    expect(await leastShare([caller, caller], goal)).toBeLessThan(goal)
  })

  it('where it is translated', async () => {
    expect(await leastShare([caller, neighbour(caller)], 0.85)).toBeLessThan(0.85)
  })
})

const [EARLY, LATE] = [30, 300]
/** What is known is not gone through again, but it is copied and sent. */
const MOST_GROWTH = 1.5
/** As many requests as it takes until nothing of the first one is done again, and some to choose from. */
const [WARM, MEASURED] = [6, 6]

const untilTurn = ([caller, upstream]: readonly [Dialect, Dialect], turns: number): Asked[] =>
  Array.from({ length: WARM + MEASURED }, (_, index) =>
    requestAt(caller, upstream, 0, turns - WARM - MEASURED + 1 + index),
  )

/** Processor time of the cheapest of the last requests: garbage of others is collected in any of them. */
async function leastCost(requests: readonly Asked[]): Promise<number> {
  const answer = handler(MUCH)
  let least = Infinity
  for (const [index, request] of requests.entries()) {
    const began = cpuMs()
    expect((await answer(requestOf(request))).status).toBe(200)
    if (index >= WARM) least = Math.min(least, cpuMs() - began)
  }
  return least
}

describe(`a session at turn ${LATE} costs per turn what it costs at turn ${EARLY}`, () => {
  const pairs = DIALECTS.flatMap((caller) =>
    DIALECTS.flatMap((upstream) => (upstream === caller ? [] : [[caller, upstream] as const])),
  )
  it.each(pairs)('from %s to %s', async (...pair) => {
    const [few, many] = [untilTurn(pair, EARLY), untilTurn(pair, LATE)]
    // Both sides of one attempt meet the same other work on the machine.
    let least = Infinity
    for (let attempt = 0; attempt < 4 * ATTEMPTS && least >= MOST_GROWTH; attempt += 1) {
      const early = await leastCost(few)
      least = Math.min(least, (await leastCost(many)) / early)
    }
    expect(least).toBeLessThan(MOST_GROWTH)
  })
})

it('keeps nothing of the first request of a session, of the second its bytes alone, and counts what it keeps of the next', async () => {
  const recall = recallOf(MUCH)
  const answer = handler(MUCH, recall)
  const held: number[] = []
  for (const request of untilTurn(['messages', 'responses'], EARLY)) {
    await answer(requestOf(request))
    held.push(recall.held / request.bytes.length)
  }
  const [first, second, ...next] = held
  expect(first).toBe(0)
  expect(second).toBeGreaterThan(1)
  expect(second).toBeLessThan(1.5)
  expect(Math.min(...next)).toBeGreaterThan(5)
  expect(Math.max(...next)).toBeLessThan(20)
})
