import { expect, it, vi } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { KEYS, settings } from '../memory/proxy.ts'
import { usedBytes } from '../used-bytes.ts'
import { NATIVE, replyOf, requestOf } from './twins.ts'

/** What looks for secrets in every app of a test keeps texts of its own. */
vi.unmock('../../src/http/router.ts')

const TURNS = 3000
/** The last of them goes on from what is kept of the one before it. */
const ROUNDS = 5
const SESSIONS = 5
/** Beside what is counted, the engine has room that it does not use yet. */
const MOST = 1.25

const { limits, ...known } = settings()
const recall = createRecall({
  bytes: 1_000_000_000,
  isSame: (one, other) => Buffer.compare(one, other) === 0,
  native: NATIVE,
})
const { answer } = createReplaceable(
  { ...known, limits: { ...limits, nodes: 1_000_000 } },
  {
    recall,
    now: () => 0,
    randomId: () => '0'.repeat(32),
    log: () => undefined,
    send: async ({ url }) => replyOf(/^https:\/\/([\w-]+)\.test/.exec(url)?.[1] ?? ''),
  },
)

/** A conversation in turns of a letter, which take little beside what each turn takes. */
function bodyOf(upstream: Dialect, session: string, turns: number): Uint8Array {
  const messages = Array.from({ length: turns }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index === 0 ? session : 'x',
  }))
  return new TextEncoder().encode(
    JSON.stringify({ messages, model: `${upstream}-x`, max_tokens: 9 }),
  )
}

async function play(caller: Dialect, upstream: Dialect, session: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = bodyOf(upstream, session, TURNS + 1 + 2 * round)
    const asked = { caller, upstream, key: KEYS[0] ?? '', stream: false, bytes }
    expect((await answer(requestOf(asked))).status).toBe(200)
  }
}

it.each([
  ['messages', 'messages'],
  ['messages', 'generate-content'],
  ['chat-completions', 'messages'],
] as const)('counts what sessions of %s over %s hold', async (caller, upstream) => {
  for (let session = 0; session < SESSIONS; session += 1)
    await play(caller, upstream, `before ${session}`)
  const [counted, used] = [recall.held, usedBytes()]
  for (let session = 0; session < SESSIONS; session += 1)
    await play(caller, upstream, `session ${session}`)
  expect((usedBytes() - used) / (recall.held - counted)).toBeLessThan(MOST)
})
