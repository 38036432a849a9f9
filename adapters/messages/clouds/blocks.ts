import { withElements, withMembers } from '../../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../../src/json/json.ts'

/** Where a block stands, as losses say it. */
type Place = `turns.${string}`

/**
 * The conversation with each block changed, those in results too; `[]` leaves one out, and a message of which nothing
 * stays goes as well.
 */
export function withBlocks(
  body: JsonObject,
  change: (block: JsonObject, place: Place) => JsonObject | [],
): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const each = (list: Json[], place: Place): Json[] =>
    withElements(list, (block, index) => {
      if (!isObject(block)) return block
      const at: Place = `${place}.blocks.${index}`
      return block['type'] === 'tool_result' && Array.isArray(block['content'])
        ? withMembers(block, { content: each(block['content'], at) })
        : change(block, at)
    })
  const changed = withElements(messages, (message, index) => {
    if (!isObject(message) || !Array.isArray(message['content'])) return message
    const { content } = message
    const kept = each(content, `turns.${index}`)
    return kept.length === 0 && content.length > 0 ? [] : withMembers(message, { content: kept })
  })
  return withMembers(body, { messages: changed })
}
