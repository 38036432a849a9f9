import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { objectsIn } from './dialect.ts'

/** As many marks as an upstream takes. */
const MAX_MARKS = 4

/** Of too many marks the oldest ones of the conversation go: the newest reach furthest. */
export function capMarks(body: JsonObject, lose: Lose): JsonObject {
  const { messages } = body
  const fixed = [...objectsIn(body['tools']), ...objectsIn(body['system']), body]
  const inMessages = objectsIn(messages).flatMap((message) => objectsIn(message['content']))
  let excess = [...fixed, ...inMessages].filter(isMarked).length - MAX_MARKS
  if (excess <= 0) return body
  lose('dropped', 'cache', `at most ${MAX_MARKS} marks`)
  const unmark = (block: Json): Json => {
    if (!isObject(block) || !isMarked(block) || excess <= 0) return block
    excess -= 1
    const { cache_control: _, ...rest } = block
    return rest
  }
  const capped = objectsIn(messages).map((message) => {
    const { content } = message
    return Array.isArray(content) ? { ...message, content: content.map(unmark) } : message
  })
  return { ...body, messages: capped }
}

const isMarked = (value: JsonObject): boolean => isObject(value['cache_control'])
