import { isObject, type JsonObject } from '../../src/canonical/json.ts'
import { objectsOf } from './members.ts'

/**
 * A kept exchange: `input`, the items that its request added; `ids`, those that they were given here (null
 * for an item that has its own); `response`, the last state of the reply; `frames`, its stream.
 */
export const responseOf = (memo: JsonObject): JsonObject =>
  isObject(memo['response']) ? memo['response'] : {}

export const inputOf = (memo: JsonObject): JsonObject[] => objectsOf(memo['input'])

export const outputOf = (memo: JsonObject): JsonObject[] => objectsOf(responseOf(memo)['output'])
