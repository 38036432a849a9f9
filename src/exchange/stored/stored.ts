import type { ConversationMemory, StoredAnswer } from '../../memory/conversation.ts'
import { stringify, type JsonObject } from '../../json/json.ts'
import { ProblemError } from '../../model/problem.ts'
import { sseFrame } from '../../stream/sse.ts'
import {
  demandOwnership,
  findIssuer,
  isIssuer,
  isGuarded,
  unclaimable,
} from '../../memory/ownership.ts'
import type { Member } from '../../upstream/members.ts'
import type { StoredMatch } from '../attempts/dispatch.ts'
import type { AdmittedRequest, Answer, Context } from '../exchange.ts'
import { readSeed } from '../../model/ids.ts'
import { forwardStored, upstreamWithMemory } from './forward.ts'
import {
  deleteRecord,
  recordReader,
  recordPlace,
  openScopedStore,
  type KeptRecord,
} from '../../memory/records.ts'
import type { Memories } from '../../memory/context.ts'
import { readPast, createLookup } from '../../memory/resolve.ts'
import { isSuccess } from '../answers/refusal.ts'
import { storeKey } from '../../memory/store.ts'
import { STREAM_HEADERS } from '../../stream/stream-out.ts'
import { ownTurn } from '../../stream/time.ts'

type Asked = Omit<StoredMatch, 'caller'>

/** Answers a request about a stored exchange from this proxy's store, or passes it to the upstream that keeps it. */
export async function answerFromStore(admitted: AdmittedRequest, asked: Asked): Promise<Answer> {
  const { caller, memories } = admitted
  const { memory } = caller.caller
  const destination = await upstreamWithMemory(admitted, asked.id)
  const isOurs = !destination || (await isKnownHereAlone(admitted, asked.id, destination.member))
  const look = async () => memory && memories && keptAnswer(admitted, asked, memory, memories)
  // An exchange that the upstream gave out is asked of the upstream first.
  let found = isOurs ? await look() : undefined
  if (destination && !found) {
    if (memory && isGuarded(admitted, destination.upstream)) {
      if (!memories) throw unclaimable(memory, 'stored', asked.id, destination.upstream)
      await demandOwnership(admitted, memories, memory, { stored: asked.id })
    }
    const answer = await forwardStored(admitted, destination)
    // The upstream may not have kept the exchange.
    if (!answer) found = await look()
    // The copy is deleted only after the upstream has deleted its own; otherwise a failed deletion could not be
    // repeated.
    if (asked.action === 'delete' && memories && (!answer || isSuccess(answer.status)))
      await forget(admitted, memories, asked.id)
    if (answer) return answer
  }
  if (found) return answered(admitted, found)
  throw new ProblemError(
    memory?.missing('stored', asked.id) ?? { kind: 'not-found', message: 'Nothing is kept here.' },
  )
}

/** Whether only this proxy knows the id. One of another such proxy looks the same, and its exchange is kept there too. */
async function isKnownHereAlone(context: Context, id: string, member: Member): Promise<boolean> {
  if (readSeed(id) === undefined) return false
  const { memories } = context
  return !memories || !isIssuer(member.upstream, await findIssuer(context, memories, id))
}

/** Deletes the copy of the upstream's exchange, and the note of its owner. */
async function forget(context: Context, memories: Memories, id: string): Promise<void> {
  const scoped = await openScopedStore(context, memories)
  const { deleted } = memories
  if (deleted.size >= MOST_DELETED) deleted.clear()
  deleted.add(storeKey(scoped.owner, id))
  await deleteRecord(scoped, id)
}

/** More than are deleted while one reply passes. */
const MOST_DELETED = 10_000

async function keptAnswer(
  admitted: AdmittedRequest,
  { id, action }: Asked,
  memory: ConversationMemory,
  memories: Memories,
): Promise<StoredAnswer | undefined> {
  const { query } = admitted.head
  const scoped = await openScopedStore(admitted, memories)
  const look = createLookup(scoped, admitted.settings.limits.bodyBytes, admitted.lease)
  const read = recordReader(memory)
  const answer = async ({ parents }: Pick<KeptRecord, 'parents'>, own: JsonObject | undefined) => {
    // Only a list of the whole input needs the earlier exchanges.
    const past = action === 'input' ? await readPast(look, parents) : []
    const records = [...(past ?? []).map(read), own].filter((each) => each !== undefined)
    return past && records.length > past.length ? memory.answer(action, records, query) : undefined
  }
  const underway = memories.underway.get(storeKey(scoped.owner, id))?.reply
  if (underway && !underway.kept) {
    if (action === 'cancel') return memory.answer('read', [await underway.cancel()], NO_QUERY)
    if (action === 'delete') underway.forget()
    return answer(underway, underway.record())
  }
  // What is being put there may be asked for already.
  await underway?.kept
  const kept = await look(recordPlace(id))
  if (kept?.id !== id) return undefined
  if (action === 'delete' && !(await deleteRecord(scoped, id))) return undefined
  if (kept.record.length > LONG_CHARACTERS) await ownTurn()
  const text = replyTextIn(memory, kept, action, query)
  return text === undefined ? answer(kept, read(kept)) : { text }
}

/** Longer records are handled in steps, so that other exchanges get their turn. */
const LONG_CHARACTERS = 65_536

function replyTextIn(
  memory: ConversationMemory,
  { record }: KeptRecord,
  action: Asked['action'],
  query: AdmittedRequest['head']['query'],
): string | undefined {
  try {
    return memory.replyText(record, action, query)
  } catch {
    return undefined
  }
}

const NO_QUERY = { get: () => null }

function bodyText(answer: StoredAnswer): string {
  if ('frames' in answer) return answer.frames.map(sseFrame).join('')
  return 'text' in answer ? answer.text : stringify(answer.body)
}

function answered({ journal }: Context, answer: StoredAnswer): Answer {
  const isStream = 'frames' in answer
  const body = bodyText(answer)
  journal.finish({ status: 200 })
  const headers = isStream
    ? { 'content-type': 'text/event-stream; charset=utf-8', ...STREAM_HEADERS }
    : { 'content-type': 'application/json' }
  return { status: 200, headers, body }
}
