import {
  isObject,
  parse,
  stringify,
  verbatimPaths,
  type Json,
  type JsonObject,
} from '../../src/canonical/json.ts'
import type { Fresh } from '../adapter.ts'
import { objectsOf } from './members.ts'

/**
 * A kept exchange: `input`, the items that its request added; `ids`, those that they were given here (null
 * for an item that has its own); `response`, the last state of the reply; `frames`, its stream as text, which
 * is empty for a reply that left as one body.
 */
export const responseOf = (memo: JsonObject): JsonObject =>
  isObject(memo['response']) ? memo['response'] : {}

export const inputOf = (memo: JsonObject): JsonObject[] => objectsOf(memo['input'])

export const outputOf = (memo: JsonObject): JsonObject[] => objectsOf(responseOf(memo)['output'])

/** Before the frames, which nobody reads but who wants them. JSON text has no such character. */
const MARK = '\u001e'

const VERBATIM = verbatimPaths('input.*.tools.*.parameters', 'input.*.tools.*.tools.*.parameters')

/** `response` is text, as it was told already. */
export function writeMemo(
  { items, text }: Fresh,
  ids: readonly Json[],
  response: string,
  frames: string | undefined,
): string {
  const input = text ?? stringify([...items])
  const memo = `{"input":${input},"ids":${JSON.stringify(ids)},"response":${response}}`
  return frames === undefined ? memo : memo + MARK + frames
}

/** Inverse of `writeMemo`. */
export function readMemo(text: string): JsonObject {
  const end = text.indexOf(MARK)
  const memo = parse(end < 0 ? text : text.slice(0, end), VERBATIM)
  if (!isObject(memo)) throw new SyntaxError('a memo is an object')
  return end < 0 ? memo : { ...memo, frames: text.slice(end + 1) }
}
