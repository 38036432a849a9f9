import type { Frame } from '../../contract.ts'
import type {
  Ask,
  Fresh,
  ConversationMemory,
  ReferencedRecords,
  Resolved,
  ReplyText,
} from '../../../src/memory/conversation.ts'
import {
  objectIn,
  defined,
  isObject,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../../../src/json/json.ts'
import { isMinted } from '../../../src/model/ids.ts'
import type { Key } from '../../../src/model/paths.ts'
import { folded, isFolded } from '../../../src/json/structure.ts'
import { ProblemError, type Problem } from '../../../src/model/problem.ts'
import { isEnvelope, writeEnvelope } from '../../../src/model/proof.ts'
import { DIALECT, listOf, objectsOf, memberText } from '../dialect.ts'
import {
  itemIds,
  recordedInput,
  recordedOutput,
  readRecord,
  recordedResponse,
  responseText,
  writeCopy,
} from './record.ts'
import { replayFrames, unpackFrames } from './frames.ts'
import { idsIn, recorder } from './recorder.ts'
import { answerStored, isPlainRead, matchStored } from './routes.ts'
import { responseFrames } from './replay.ts'
import { summaryIn } from '../hosted.ts'
import { hasWords, isUnproven, PROOFS } from '../reasoning.ts'
import { checkRequest, typeOfItem } from '../wire.ts'

const isReference = (item: Json): item is JsonObject =>
  isObject(item) && typeOfItem(item) === 'item_reference'

const foreignIds = (items: JsonObject[]): string[] => idsIn(items).filter((id) => !isMinted(id))

function asks(body: Json): Ask {
  const { store, previous_response_id: previous, conversation, input } = inAnyCase(objectIn(body))
  const items = objectsOf(listOf(input))
  const claims = foreignIds(items.filter(isByName))
  const spoken = foreignIds(items.filter(isSpoken))
  return defined({
    keep: store !== false,
    previous: typeof previous === 'string' ? previous : undefined,
    references: idsIn(items.filter(isReference)),
    claims: claims.length > 0 ? claims : undefined,
    spoken: spoken.length > 0 ? spoken : undefined,
    conversation:
      typeof conversation === 'string' ? conversation : memberText(objectIn(conversation), 'id'),
  })
}

/** The body with the names of its members in small letters, too: a server may read them in any case. */
const inAnyCase = (body: JsonObject): JsonObject =>
  Object.keys(body).every(isFolded)
    ? body
    : {
        ...Object.fromEntries(Object.entries(body).map(([name, value]) => [folded(name), value])),
        ...body,
      }

/** Items without content of their own: the service looks up the thoughts, or the picture, by the id. */
const isByName = (item: JsonObject): boolean =>
  (isUnproven(item) && !hasWords(item)) ||
  (item['type'] === 'image_generation_call' && (item['result'] ?? '') === '')

/** Thoughts with words and without a proof, as servers of open models give them out. */
const isSpoken = (item: JsonObject): boolean => isUnproven(item) && hasWords(item)

/** Instructions of earlier requests are not carried over; they are not part of the input. */
function resolve(body: Json, { chain, items }: ReferencedRecords, text?: string): Resolved {
  const request = checkRequest(body, true)
  const past = broughtBy(chain).map(({ item, list }) =>
    list === 'output' ? withoutId(item) : item,
  )
  const said = readFresh(request, text)
  const fresh = said.items.some(isReference)
    ? { items: dereferenced(said, { chain, items }) }
    : said
  const input = [...past, ...fresh.items]
  return { body: { ...request, ...wantsProofs(request, input), input }, fresh: light(fresh) }
}

/**
 * Whether to ask for proofs: an upstream that is sent the whole conversation does not store it, so its thoughts
 * must come back with proofs. Only a model that reasons may be asked for them.
 */
function wantsProofs({ reasoning, include }: JsonObject, input: readonly Json[]): JsonObject {
  const asked = listOf(include)
  const reasons =
    isObject(reasoning) || objectsOf([...input]).some((item) => item['type'] === 'reasoning')
  return reasons && !asked.includes(PROOFS) ? { include: [...asked, PROOFS] } : {}
}

/** A string is short for a message of the user. */
function readFresh(body: Json, input?: string): Fresh {
  const said = isObject(body) ? body['input'] : undefined
  const text = input && itemsText(input)
  if (typeof said === 'string') return defined({ items: [{ role: 'user', content: said }], text })
  return Array.isArray(said) ? defined({ items: said, text }) : { items: [] }
}

/** Where the text is known, the items are needed only to get ids, so their content is not held twice. */
function light({ items, text }: Fresh): Fresh {
  if (text === undefined) return { items }
  const heads = items.map((item) => {
    if (!isObject(item)) return item
    const { type, id, role } = item
    return defined({ type, id, role })
  })
  return { items: heads, text }
}

function itemsText(input = ''): string {
  if (input.startsWith('"')) return `[{"role":"user","content":${input}}]`
  return input.startsWith('[') ? input : '[]'
}

/** Puts referenced items in their places. An item that the chain already has is not repeated. */
function dereferenced(said: Fresh, { chain, items }: ReferencedRecords): Json[] {
  const indexes = new Map<JsonObject, Map<Json, JsonObject>>()
  const indexOf = (record: JsonObject) => {
    const index = indexes.get(record) ?? itemsById(record)
    indexes.set(record, index)
    return index
  }
  const brought = new Set(chain.flatMap((record) => [...indexOf(record).keys()]))
  return said.items.flatMap((item, index): Json[] => {
    if (!isReference(item)) return [item]
    const id = memberText(item, 'id') ?? ''
    const record = items.get(id)
    const found = record && indexOf(record).get(id)
    if (!found) throw new ProblemError({ ...missingItem(id), param: `input[${index}]` })
    return brought.has(id) ? [] : [found]
  })
}

/**
 * All items of an exchange by id. Of two with the same id, that of the reply counts, then that with an id made here.
 */
function itemsById(record: JsonObject): Map<Json, JsonObject> {
  const input = recordedInput(record)
  const ids = itemIds(record)
  const named = input.map((item, at): [Json, JsonObject] => [ids[at] ?? null, item])
  const own = input.map((item): [Json, JsonObject] => [item['id'] ?? null, item])
  const said = recordedOutput(record).map((item): [Json, JsonObject] => [
    item['id'] ?? null,
    withoutId(item),
  ])
  const all = [...said, ...named, ...own].filter(([id]) => typeof id === 'string')
  return new Map(all.toReversed())
}

/** Puts the proofs of this dialect into envelopes with the account's mark. Those of other services stand in theirs. */
function marked(record: JsonObject, account: string): JsonObject {
  const output = recordedOutput(record).map((item) => {
    const value = item['type'] === 'reasoning' ? (memberText(item, 'encrypted_content') ?? '') : ''
    return value === '' || isEnvelope(value)
      ? item
      : { ...item, encrypted_content: writeEnvelope({ dialect: DIALECT, value, account }, 'self') }
  })
  return { ...record, response: { ...recordedResponse(record), output } }
}

/** Which items of a reply to send again: those that were not cut off. */
function isReplayed(record: JsonObject): (item: JsonObject) => boolean {
  const { status } = recordedResponse(record)
  const isBroken = status === 'failed' || status === 'cancelled'
  return (item) => !isBroken || item['status'] !== 'incomplete'
}

/** An item of an earlier exchange, and where it stands in its record. */
interface Brought {
  item: JsonObject
  record: number
  list: 'input' | 'output'
  at: number
}

/**
 * The items of earlier exchanges to send again. The newest summary stands for everything before it. The orders for
 * summaries are left out, because they have been carried out.
 */
function broughtBy(chain: readonly JsonObject[]): Brought[] {
  const all = chain.flatMap((each, record): Brought[] => {
    const isWhole = isReplayed(each)
    return [
      ...recordedInput(each).map((item, at): Brought => ({ item, record, list: 'input', at })),
      ...recordedOutput(each).flatMap((item, at): Brought[] =>
        isWhole(item) ? [{ item, record, list: 'output', at }] : [],
      ),
    ]
  })
  const last = all.findLastIndex(({ item, list }) => list === 'output' && isSummary(item))
  const rest = last < 0 ? all : all.slice(last)
  return rest.filter(({ item }) => item['type'] !== 'compaction_trigger')
}

const isSummary = (item: JsonObject): boolean => summaryIn(item) !== undefined

const itemPlaces = (chain: readonly JsonObject[]): { record: number; path: Key[] }[] =>
  broughtBy(chain).map(({ record, list, at }) => ({ record, path: [list, at] }))

/** Types that an upstream takes without an id; it would search its store for one that it did not give out. */
const NAMELESS = new Set<Json | undefined>([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
])

function withoutId(item: JsonObject): JsonObject {
  if (!NAMELESS.has(item['type'])) return item
  const { id: _, ...rest } = item
  return rest
}

/** The last event of a reply, even a failed one. */
const TERMINAL: ReadonlySet<string | undefined> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
])
const FINAL = /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/
/** An event has its type within so many characters from its beginning. */
const LOOKED_AT = 200

function replyIn({ event, data }: Frame): ReplyText | undefined {
  if (!TERMINAL.has(event) && !FINAL.test(data.slice(0, LOOKED_AT))) return undefined
  return onlyReplyIn(data) ?? anyReplyIn(data)
}

const HEAD = /^\{"type":"[\w.]+",(?:"sequence_number":\d+,)?"response":/
const TAIL = /(?:,"sequence_number":\d{1,16})?\}$/
const LONGEST_TAIL = 64

/** The reply of a frame that holds nothing else, as most servers write it: then its text is known too. */
function onlyReplyIn(data: string): ReplyText | undefined {
  const head = HEAD.exec(data)?.[0].length ?? data.length
  const tail = TAIL.exec(data.slice(-LONGEST_TAIL))?.[0].length ?? 0
  const text = data.slice(head, data.length - tail)
  const reply = parseObject(text)
  return reply && { reply, text }
}

function anyReplyIn(data: string): ReplyText | undefined {
  const { response } = parseObject(data) ?? {}
  return isObject(response) ? { reply: response } : undefined
}

function replyRecord(
  input: string,
  { reply, text = stringify(reply) }: ReplyText,
): ReturnType<ConversationMemory['replyRecord']> {
  const id = isObject(reply) ? memberText(reply, 'id') : undefined
  if (!isObject(reply) || id === undefined) return undefined
  const record = writeCopy(input, text)
  const whole = reply['status'] !== 'queued' && reply['status'] !== 'in_progress'
  return { id, record: { text: record, items: idsIn(reply['output']) }, whole }
}

/** A reply in the background goes on without its stream, and clients ask for it later. */
export const CONTINUING = /"background"\s*:\s*true/

function idIn({ data }: Frame, always: boolean): string | undefined {
  if (!always && !CONTINUING.test(data)) return undefined
  const { response } = parseObject(data) ?? {}
  return isObject(response) ? memberText(response, 'id') : undefined
}

/** The frames of a stored exchange, as they were sent or would have been; undefined where it has none. */
function recordedStream(record: JsonObject): Frame[] | undefined {
  const { frames } = record
  const response = recordedResponse(record)
  if (typeof frames !== 'string')
    return Array.isArray(frames) ? replayFrames(frames, response) : undefined
  return frames === '' ? responseFrames(response) : unpackFrames(frames, response)
}

const missingItem = (id: string): Problem => ({
  kind: 'not-found',
  message: `Item with id '${id}' not found.`,
  param: 'input',
  code: '',
})

const MISSING: Record<Parameters<ConversationMemory['missing']>[0], (id: string) => Problem> = {
  previous: (id) => ({
    kind: 'invalid-request',
    message: `Previous response with id '${id}' not found.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  }),
  item: missingItem,
  conversation: (id) => ({
    kind: 'not-found',
    message: `Conversation with id '${id}' not found.`,
    param: 'conversation',
    code: '',
  }),
  stored: (id) => ({
    kind: 'not-found',
    message: `Response with id '${id}' not found.`,
    code: '',
  }),
}

/**
 * What a body that refers to something holds. Escaped letters match, too: a parser takes `previous_response\u005fid`
 * for the same name. So does the long s, which servers that ignore case take for an s; it may come as the signs of its
 * two bytes.
 */
const REFERRING =
  /"(?:previous_response_id|item_reference|conversation|id)"|\\u(?:00[2-7]|017f)|\u017f|\u00c5\u00bf/i

/** The memory of this dialect: replies that can be continued, referred to and read again. */
export const memory: ConversationMemory = {
  keepMember: 'store',
  inputMember: 'input',
  mayRefer: (text) => REFERRING.test(text),
  asks,
  fresh: (body, input) => light(readFresh(body, input)),
  itemsText,
  resolve,
  itemPlaces,
  recorder,
  marked,
  read: readRecord,
  idIn,
  replyIn,
  replyRecord,
  match: matchStored,
  query: [
    'include',
    'include[]',
    'include_obfuscation',
    'stream',
    'starting_after',
    'after',
    'limit',
    'order',
  ],
  answer: (action, chain, query) => answerStored(action, chain, query, recordedStream),
  replyText: (record, action, query) =>
    isPlainRead(action, query) ? responseText(record) : undefined,
  missing: (what, id) => MISSING[what](id),
}
