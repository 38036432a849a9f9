import { isObject, parse, stringify, type Json, type JsonObject } from '../../../src/json/json.ts'
import { verbatimPaths } from '../../../src/json/verbatim-paths.ts'
import { endOfValue } from '../../../src/json/tokens.ts'
import type { Fresh } from '../../../src/memory/conversation.ts'
import { lookup, objectsOf, memberText } from '../dialect.ts'
import { typeOfItem } from '../wire.ts'

/**
 * A stored exchange. `input`: the items that its request added. `ids`: the ids that they were given here (null for
 * an item with its own). `response`: the last state of the reply. `frames`: its stream as text, empty for a reply
 * in one body.
 */

export const recordedResponse = (record: JsonObject): JsonObject =>
  isObject(record['response']) ? record['response'] : {}

export const recordedInput = (record: JsonObject): JsonObject[] => objectsOf(record['input'])

export const recordedOutput = (record: JsonObject): JsonObject[] =>
  objectsOf(recordedResponse(record)['output'])

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  function_call_output: 'fco_',
  custom_tool_call_output: 'ctco_',
}

/** Ids for items that have none; null for an item with its own. */
export const idsFor = (items: readonly Json[], newId: (prefix: string) => string): Json[] =>
  items.map((item) => {
    if (!isObject(item) || typeof item['id'] === 'string') return null
    return newId(lookup(PREFIXES, typeOfItem(item)) ?? 'item_')
  })

/**
 * The ids that the request's items were given here. A copy of an upstream's exchange stores none: there they follow
 * from the id of the reply.
 */
export function itemIds(record: JsonObject): Json[] {
  const { ids } = record
  if (Array.isArray(ids)) return ids
  const seed = memberText(recordedResponse(record), 'id')?.replace(/^resp_/, '') ?? ''
  let count = 0
  return idsFor(recordedInput(record), (prefix) => {
    count += 1
    return `${prefix}${seed}${count.toString(16).padStart(8, '0')}`
  })
}

/** Stands before the frames, which are read only on request. JSON text does not contain this character. */
const MARK = '\u001e'

/** A reply repeats the declared tools. */
const VERBATIM = verbatimPaths(
  'input.*.tools.*.parameters',
  'input.*.tools.*.tools.*.parameters',
  'response.tools.*.parameters',
  'response.tools.*.tools.*.parameters',
  'response.text.format.schema',
)

/** `response` is the text that was sent. */
export function writeRecord(
  { items, text }: Fresh,
  ids: readonly Json[],
  response: string,
  frames: string | undefined,
): string {
  const input = text ?? stringify([...items])
  const record = `{"input":${input},"ids":${JSON.stringify(ids)},"response":${response}}`
  return frames === undefined ? record : record + MARK + frames
}

/** A copy of an exchange that the upstream stores too. */
export const writeCopy = (input: string, response: string): string =>
  `{"input":${input},"response":${response}}`

/** The text of the response in what `writeRecord` or `writeCopy` wrote; throws SyntaxError for anything else. */
export function responseText(record: string): string {
  let at = behind(record, 0, '{"input":')
  at = endOfValue(record, at)
  if (record.startsWith(',"ids":', at)) at = endOfValue(record, at + ',"ids":'.length)
  at = behind(record, at, ',"response":')
  return record.slice(at, endOfValue(record, at))
}

function behind(text: string, at: number, expected: string): number {
  if (text.startsWith(expected, at)) return at + expected.length
  throw new SyntaxError('a record is an object')
}

/** Inverse of `writeRecord` and `writeCopy`. */
export function readRecord(text: string): JsonObject {
  const end = text.indexOf(MARK)
  const record = parse(end < 0 ? text : text.slice(0, end), VERBATIM)
  if (!isObject(record)) throw new SyntaxError('a record is an object')
  return end < 0 ? record : { ...record, frames: text.slice(end + 1) }
}
