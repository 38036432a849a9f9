import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { CacheMiss, Caching, Request } from '../../src/model/request.ts'
import { nothingLost, type Lose } from '../../src/model/loss.ts'
import { rememberedEach } from '../../src/model/remembered.ts'
import type { WriteRequestContext } from '../contract.ts'
import { isOrigin, listIn, objectIn, objectsIn, textIn } from './dialect.ts'

/** The service refuses a request with more marks. */
const MAX_MARKS = 4

/**
 * The lifetimes of all dialects in this dialect's words. Here five minutes begin anew with each read, as half an hour
 * does in other dialects.
 */
const LIFETIMES = new Map([
  ['5m', '5m'],
  ['30m', '5m'],
  ['in_memory', '5m'],
  ['1h', '1h'],
  ['12h', '1h'],
  ['24h', '1h'],
])
const LONG = '1h'

/**
 * Sets what the upstream shall cache. The caller's marks are kept, up to the service's maximum. Where it has set none
 * and the conversation is likely to go on, marks are set where the next request finds them.
 */
export function withMarks(
  written: JsonObject,
  request: Request,
  { cache, lose }: Pick<WriteRequestContext, 'cache' | 'lose'>,
): JsonObject {
  const own = isOrigin(request)
  const marks = isMarkless(written) ? 0 : countMarks(written)
  if (cache?.mode === 'off') {
    if (marks > 0) lose('dropped', 'cache', 'the route sends none')
    return marks > 0 ? eachMark(written, () => undefined) : written
  }
  const body = cache && !own ? asLists(written) : written
  const isMarked = isObject(body['cache_control'])
  const most = isMarked ? MAX_MARKS - 1 : MAX_MARKS
  if (marks > 0) {
    const capped = marks > most ? newest(body, marks - most, lose) : body
    // Lifetimes that came in this dialect are judged by the service.
    return own ? capped : withLifetimes(capped, longest(request), lose)
  }
  if (isMarked || cache?.mode !== 'derive' || request.caching?.explicit) return body
  return goesOn(request) || cache.session() !== undefined ? derived(body, request) : body
}

/**
 * Writes content as a list, with or without a mark. Marks move from turn to turn, and so nothing else changes when one
 * moves.
 */
function asLists(body: JsonObject): JsonObject {
  const { system, messages } = body
  return {
    ...body,
    ...(typeof system === 'string' && { system: asList(system) }),
    messages: [...listEach(listIn(messages), [], nothingLost, () => withList)],
  }
}

const listEach = rememberedEach<Json, Json>()

const withList = (message: Json): Json =>
  isObject(message) && isUser(message) && typeof message['content'] === 'string'
    ? { ...message, content: asList(message['content']) }
    : message

const asList = (text: string): Json => [{ type: 'text', text }]

/**
 * Whether the conversation is likely to go on: it has tools or a reply, or is sent only to be cached. A single tool
 * that must be called is the form of an answer and says nothing.
 */
function goesOn({ turns, tools, toolChoice, caching }: Request): boolean {
  if (caching?.prewarm) return true
  if (turns.some(({ role }) => role === 'assistant')) return true
  const isForm = toolChoice?.mode === 'required' && toolChoice.names?.length === 1
  return tools.length > 0 && !isForm
}

/** The lifetime for marks without one, where it is the long one. */
const longest = ({ caching }: Request): string | undefined =>
  LIFETIMES.get(caching?.ttl ?? '') === LONG ? LONG : undefined

/**
 * Marks the end of the tools, of the instructions and of the last two messages of the user: the next request begins
 * with the same content up to there.
 */
function derived(body: JsonObject, request: Request): JsonObject {
  const ttl = longest(request)
  const mark: JsonObject = { type: 'ephemeral', ...(ttl && { ttl }) }
  const { tools, system, messages } = body
  const list = listIn(messages)
  const marked = [...list]
  const last = list.findLastIndex(isUser)
  const before = last > 0 ? list.findLastIndex((message, at) => at < last && isUser(message)) : -1
  for (const at of [before, last]) {
    const message = list[at]
    if (isObject(message))
      marked[at] = { ...message, content: markedEnd(message['content'] ?? '', mark, isMarkable) }
  }
  return {
    ...body,
    ...(system !== undefined && { system: markedEnd(system, mark, isText) }),
    messages: marked,
    ...(tools !== undefined && { tools: markedEnd(tools, mark, isOffered) }),
  }
}

const isUser = (message: Json): boolean => isObject(message) && message['role'] === 'user'
const isText = (block: JsonObject): boolean => textIn(block['text']).trim() !== ''
/** A tool that is only found by a search is not part of the prompt. */
const isOffered = (tool: JsonObject): boolean => tool['defer_loading'] !== true

const MARKABLE = new Set(['image', 'document', 'tool_use', 'tool_result', 'search_result'])

const isMarkable = (block: JsonObject): boolean =>
  block['type'] === 'text' ? isText(block) : MARKABLE.has(textIn(block['type']))

/** Puts a mark on the last entry of a list that may have one. */
function markedEnd(value: Json, mark: JsonObject, fits: (entry: JsonObject) => boolean): Json {
  if (!Array.isArray(value)) return value
  const at = value.findLastIndex((entry) => isObject(entry) && fits(entry))
  const entry = value[at]
  return isObject(entry) ? value.with(at, { ...entry, cache_control: mark }) : value
}

/** Removes the oldest marks of a conversation where there are too many: the newest cover the longest prefix. */
function newest(body: JsonObject, excess: number, lose: Lose): JsonObject {
  lose('dropped', 'cache', `at most ${MAX_MARKS} marks`)
  let left = excess
  return eachMark(body, (ttl, place) => {
    if (place !== 'messages' || left === 0) return { ttl }
    left -= 1
    return undefined
  })
}

/** Writes all lifetimes in this dialect's words. The service refuses a long one behind a short one. */
function withLifetimes(body: JsonObject, usual: string | undefined, lose: Lose): JsonObject {
  let isShort = false
  let isChanged = false
  const settled = eachMark(body, (asked) => {
    const ttl = asked ?? usual
    const known = ttl === undefined ? undefined : LIFETIMES.get(ttl)
    const kept = known === LONG && isShort ? undefined : known
    isShort ||= kept !== LONG
    isChanged ||= kept !== ttl
    return { ttl: kept }
  })
  if (isChanged) lose('approximated', 'cache.ttl')
  return settled
}

type Place = 'tools' | 'system' | 'messages'

/** Whether nothing in a body has a mark. */
const isMarkless = ({ tools, system, messages }: JsonObject): boolean =>
  ![tools, system].some((value) => Array.isArray(value) && hasMarks(value)) &&
  !markEach(listIn(messages), [], nothingLost, () => isMarked).some(Boolean)

const markEach = rememberedEach<Json, boolean>()
const isMarked = (message: Json): boolean => hasMarks([message])

function countMarks(body: JsonObject): number {
  let count = 0
  eachMark(body, (ttl) => {
    count += 1
    return { ttl }
  })
  return count
}

/** Decides about one mark; undefined removes it. */
type Settle = (ttl: string | undefined, place: Place) => { ttl: string | undefined } | undefined

/** Goes through all marks in the order of the prompt. A node without a mark stays the same object. */
function eachMark(body: JsonObject, settle: Settle): JsonObject {
  const one = (value: Json, place: Place): Json => {
    if (!isObject(value)) return value
    const { content } = value
    const inner = Array.isArray(content) && hasMarks(content)
    const whole = inner ? { ...value, content: content.map((each) => one(each, place)) } : value
    const { cache_control: mark, ...rest } = whole
    if (!isObject(mark)) return whole
    const { ttl: asked, ...left } = mark
    const kept = settle(typeof asked === 'string' ? asked : undefined, place)
    if (!kept) return rest
    const lifetime = kept.ttl === undefined ? {} : { ttl: kept.ttl }
    return { ...rest, cache_control: { ...left, ...lifetime } }
  }
  const listed = (place: Place) => {
    const value = body[place]
    return Array.isArray(value) && hasMarks(value)
      ? { [place]: value.map((entry) => one(entry, place)) }
      : {}
  }
  return { ...body, ...listed('tools'), ...listed('system'), ...listed('messages') }
}

const hasMarks = (values: Json[]): boolean =>
  objectsIn(values).some(
    (value) =>
      isObject(value['cache_control']) ||
      (Array.isArray(value['content']) && hasMarks(value['content'])),
  )

/**
 * The earlier message with whose prompt the service shall compare this one. `left`: the other members of `diagnostics`.
 */
export function readDiagnostics(asked: Json | undefined): { caching?: Caching; left?: JsonObject } {
  if (asked === undefined || asked === null) return {}
  const { previous_message_id: id, ...others } = isObject(asked) ? asked : {}
  const comparedWith = textIn(id)
  if (comparedWith === '') return { left: { diagnostics: asked } }
  const isMore = Object.keys(others).length > 0
  return { caching: { comparedWith }, ...(isMore && { left: { diagnostics: others } }) }
}

/**
 * Inverse of `readDiagnostics`. The id from a caller of another dialect names no message of this service, so it is
 * dropped.
 */
export function writeDiagnostics(request: Request, left: JsonObject, lose: Lose): JsonObject {
  const id = request.caching?.comparedWith
  if (id === undefined) return left
  if (!isOrigin(request)) return lose('dropped', 'caching.comparedWith') ?? left
  const { diagnostics, ...others } = left
  return { ...others, diagnostics: { ...objectIn(diagnostics), previous_message_id: id } }
}

/** This dialect has no reason for a change of other options (@anthropic-ai/sdk 1.12, `BetaCacheMissUnavailable`). */
const REASONS: Readonly<Record<CacheMiss['reason'], string>> = {
  model: 'model_changed',
  tools: 'tools_changed',
  input: 'messages_changed',
  options: 'unavailable',
  unknown: 'unavailable',
  'no-reply': 'previous_message_not_found',
}

/** Why the prompt was not found in the cache. */
export function writeCacheMiss({ reason, tokens }: CacheMiss): JsonObject {
  const type = REASONS[reason]
  const counted = type.endsWith('_changed') && { cache_missed_input_tokens: tokens ?? 0 }
  return { cache_miss_reason: { type, ...counted } }
}
