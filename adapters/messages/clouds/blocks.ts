import { withElements, withMembers } from '../../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../../src/model/loss.ts'

/**
 * Changes each block of a conversation, also those in results. `[]` leaves a block out; a message that loses all its
 * blocks goes too.
 */
export function withBlocks(
  body: JsonObject,
  lose: Lose,
  change: (block: JsonObject, lose: LoseOf) => JsonObject | [],
): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const at = lossesIn(lose)
  const each = (list: Json[], name: '.blocks' | '.content', outer: LoseOf): Json[] => {
    const blockAt = lossesIn(outer)
    return withElements(list, (block, index) => {
      if (!isObject(block)) return block
      const loseHere = blockAt(name, index)
      return block['type'] === 'tool_result' && Array.isArray(block['content'])
        ? withMembers(block, { content: each(block['content'], '.content', loseHere) })
        : change(block, loseHere)
    })
  }
  const changed = withElements(messages, (message, index) => {
    if (!isObject(message) || !Array.isArray(message['content'])) return message
    const { content } = message
    const kept = each(content, '.blocks', at('turns', index))
    return kept.length === 0 && content.length > 0 ? [] : withMembers(message, { content: kept })
  })
  return withMembers(body, { messages: changed })
}
