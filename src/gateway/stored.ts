import type { Memory, StoredAnswer } from '../../adapters/adapter.ts'
import { stringify } from '../canonical/json.ts'
import { seedOf } from '../canonical/minted.ts'
import { ProblemError } from '../canonical/problem.ts'
import { sseFrame } from '../framing/sse.ts'
import { demandClaims, isShared, unclaimable } from './claims.ts'
import type { StoredMatch } from './dispatch.ts'
import type { Answer, Exchange } from './exchange.ts'
import { forwarded, upstreamWithMemory } from './forward.ts'
import { memoReader, placeOf, shelfOf, type Kept, type Memories, type Shelf } from './memories.ts'
import { chainOf, lookup } from './recall.ts'
import { isSuccess } from './refusal.ts'
import { storeKey } from './store.ts'
import { STREAM_HEADERS } from './stream-out.ts'
import { ownTurn } from './time.ts'

type Asked = Omit<StoredMatch, 'caller'>

/** Answers for an exchange that is kept here, or lets the upstream answer that keeps its own. */
export async function storedAnswer(exchange: Exchange, asked: Asked): Promise<Answer> {
  const { caller, memories } = exchange
  const { memory } = caller.caller
  const destination = upstreamWithMemory(exchange)
  const isOurs = seedOf(asked.id) !== undefined || !destination
  const look = async () => memory && memories && keptAnswer(exchange, asked, memory, memories)
  // What an upstream gave out itself is not looked for here when it can be asked.
  let found = isOurs ? await look() : undefined
  if (destination && !found) {
    if (memory && isShared(exchange, destination.upstream)) {
      if (!memories) throw unclaimable(memory, 'stored', asked.id, destination.upstream)
      await demandClaims(exchange, memories, memory, { stored: asked.id })
    }
    const answer = await forwarded(exchange, destination)
    // Not every upstream keeps what it has said.
    if (!answer) found = await look()
    // Forgotten before the upstream has done so, what failed could never be asked for again.
    if (asked.action === 'delete' && memories && (!answer || isSuccess(answer.status)))
      await forgotten(exchange, memories, asked.id)
    if (answer) return answer
  }
  if (found) return told(exchange, found)
  throw new ProblemError(
    memory?.missing('stored', asked.id) ?? { kind: 'not-found', message: 'Nothing is kept here.' },
  )
}

/** The copy of what the upstream keeps, and the note whose it is. */
async function forgotten(exchange: Exchange, memories: Memories, id: string): Promise<void> {
  await deleted(await shelfOf(exchange, memories), id)
}

async function keptAnswer(
  exchange: Exchange,
  { id, action }: Asked,
  memory: Memory,
  memories: Memories,
): Promise<StoredAnswer | undefined> {
  const { query } = exchange.incoming
  const shelf = await shelfOf(exchange, memories)
  const underway = memories.underway.get(storeKey(shelf.owner, id))
  if (underway && action === 'cancel')
    return memory.answer('read', [await underway.cancel()], NO_QUERY)
  if (underway && action === 'read') return memory.answer(action, [underway.memo()], query)
  const look = lookup(shelf, exchange.settings.limits.bodyBytes, exchange.lease)
  const kept = await look(placeOf(id))
  if (kept?.id !== id) return undefined
  if (action === 'delete' && !(await deleted(shelf, id))) return undefined
  if (kept.memo.length > LONG_CHARACTERS) await ownTurn()
  const text = textIn(memory, kept, action, query)
  if (text !== undefined) return { text }
  // Only the whole input needs those that came before.
  const whole = action === 'input' ? await chainOf(look, id) : { chain: [kept] }
  const memos = whole?.chain.map(memoReader(memory)).filter((memo) => memo !== undefined)
  return memos && memos.length === whole?.chain.length
    ? memory.answer(action, memos, query)
    : undefined
}

/** Others come first where there is much to do. */
const LONG_CHARACTERS = 65_536

function textIn(
  memory: Memory,
  { memo }: Kept,
  action: Asked['action'],
  query: Exchange['incoming']['query'],
): string | undefined {
  try {
    return memory.replyText(memo, action, query)
  } catch {
    return undefined
  }
}

const NO_QUERY = { get: () => null }

const deleted = async (shelf: Shelf, id: string): Promise<boolean> => {
  const place = placeOf(id)
  return place !== undefined && shelf.delete(place)
}

function bodyText(answer: StoredAnswer): string {
  if ('frames' in answer) return answer.frames.map(sseFrame).join('')
  return 'text' in answer ? answer.text : stringify(answer.body)
}

function told({ journal }: Exchange, answer: StoredAnswer): Answer {
  const isStream = 'frames' in answer
  const body = bodyText(answer)
  journal.finish({ status: 200 })
  const headers = isStream
    ? { 'content-type': 'text/event-stream; charset=utf-8', ...STREAM_HEADERS }
    : { 'content-type': 'application/json' }
  return { status: 200, headers, body }
}
