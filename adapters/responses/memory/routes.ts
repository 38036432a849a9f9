import type { Frame, RequestHead, Lookup } from '../../contract.ts'
import type { StoredAction, StoredAnswer, StoredRoute } from '../../../src/memory/conversation.ts'
import type { Json, JsonObject } from '../../../src/json/json.ts'
import { invalid } from '../../../src/model/problem.ts'
import { lookup, memberText } from '../dialect.ts'
import { itemIds, recordedInput, recordedOutput, recordedResponse } from './record.ts'
import { typeOfItem } from '../wire.ts'

/** The signs of base64 may be escaped, but for the slash: an upstream may take an escaped one for a new segment. */
const PATH =
  /^\/v1\/responses\/((?:[\w=+:~-]|\.(?!\.)|%2[Bb]|%3[ADad]){1,1024})(?:\/(cancel|input_items))?$/
/** Names of endpoints that stand in the place of an id. */
const NO_IDS = new Set(['input_tokens', 'compact'])

const ACTIONS: Readonly<Record<string, StoredRoute['actions']>> = {
  '': { GET: 'read', DELETE: 'delete' },
  cancel: { POST: 'cancel' },
  input_items: { GET: 'input' },
}

export function matchStored({ path }: RequestHead): StoredRoute | undefined {
  const [, id = '', below = ''] = PATH.exec(path) ?? []
  const actions = id === '' || NO_IDS.has(id) ? undefined : lookup(ACTIONS, below)
  return actions && { id: decodeURIComponent(id), actions }
}

type FramesOf = (record: JsonObject) => Frame[] | undefined

/** Whether the request is for the reply itself, as one body. */
export const isPlainRead = (action: StoredAction, query: Lookup): boolean =>
  action === 'read' && query.get('stream') !== 'true'

/** The requested exchange is the last one of the chain. */
export function answerStored(
  action: StoredAction,
  chain: readonly JsonObject[],
  query: Lookup,
  framesOf: FramesOf,
): StoredAnswer {
  const record = chain.at(-1) ?? {}
  const response = recordedResponse(record)
  switch (action) {
    case 'read':
      return isPlainRead(action, query)
        ? { body: response }
        : { frames: replay(record, query, framesOf) }
    case 'input':
      return { body: listInput(chain, query) }
    case 'cancel':
      if (response['status'] === 'cancelled') return { body: response }
      throw invalid('Cannot cancel a synchronous response.', undefined, '')
    case 'delete':
      return { body: { id: response['id'] ?? null, object: 'response', deleted: true } }
    default:
      return action satisfies never
  }
}

function replay(record: JsonObject, query: Lookup, framesOf: FramesOf): Frame[] {
  const frames = framesOf(record)
  if (!frames) throw invalid('This response cannot be streamed.', 'stream', '')
  return frames.slice(integerIn(query, 'starting_after', 0, Number.MAX_SAFE_INTEGER, -1) + 1)
}

function integerIn(
  query: Lookup,
  name: string,
  least: number,
  most: number,
  otherwise: number,
): number {
  const text = query.get(name)
  if (text === null || text === '') return otherwise
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw invalid(`Invalid '${name}': expected an integer from ${least} to ${most}.`, name)
}

const DEFAULT_PAGE = 20
const LONGEST_PAGE = 100

/** Lists all input items before the reply, the newest first by default. */
function listInput(chain: readonly JsonObject[], query: Lookup): JsonObject {
  const limit = integerIn(query, 'limit', 1, LONGEST_PAGE, DEFAULT_PAGE)
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw invalid(`Invalid 'order': expected 'asc' or 'desc'.`, 'order')
  const all = chain.flatMap((record, index) => [
    ...shownInput(record),
    ...(index < chain.length - 1 ? recordedOutput(record) : []),
  ])
  // Each id is listed once: behind the second of two items a client would go on behind the first one, for ever.
  const items = [...new Map(all.map((item) => [item['id'] ?? item, item])).values()]
  const ordered = order === 'asc' ? items : items.toReversed()
  const from = placeAfter(ordered, query.get('after'))
  const page = ordered.slice(from, from + limit)
  return {
    object: 'list',
    data: page,
    first_id: page[0]?.['id'] ?? null,
    last_id: page.at(-1)?.['id'] ?? null,
    has_more: from + limit < ordered.length,
  }
}

function placeAfter(items: readonly JsonObject[], after: string | null): number {
  if (after === null || after === '') return 0
  const at = items.findIndex((item) => item['id'] === after)
  if (at < 0) throw invalid(`Invalid 'after': no item with id '${after}' found.`, 'after')
  return at + 1
}

function shownInput(record: JsonObject): JsonObject[] {
  const ids = itemIds(record)
  return recordedInput(record).map((item, index) => shown(item, ids[index] ?? null))
}

/** Writes short forms of items in full. */
function shown(item: JsonObject, id: Json): JsonObject {
  const named = id === null ? item : { id, ...item }
  if (typeOfItem(item) !== 'message') return named
  const { content = '' } = item
  const type = memberText(item, 'role') === 'assistant' ? 'output_text' : 'input_text'
  const notes = type === 'output_text' ? { annotations: [] } : {}
  const parts = typeof content === 'string' ? [{ type, text: content, ...notes }] : content
  return { type: 'message', status: 'completed', ...named, content: parts }
}
