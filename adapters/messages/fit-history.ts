import { instructionWords } from '../../src/rules/text-tools.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { leftOutFile, shownLabel } from '../../src/rules/media.ts'
import type { ServerFacts } from '../contract.ts'
import { listIn, objectIn, objectsIn, textIn } from './dialect.ts'

/** What a body is fitted to. */
export interface ServerFit {
  readonly server: ServerFacts
  readonly lose: Lose
}

/** The conversation as the server takes it. */
export function withMessages(body: JsonObject, fitting: ServerFit): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const { systemFirst } = fitting.server
  const written = withElements(messages, (message, index) => {
    if (!isObject(message)) return message
    if (systemFirst && message['role'] === 'system') return asUser(message, index, fitting)
    if (!Array.isArray(message['content'])) return message
    const content = fitContent(message['content'], `turns.${index}`, fitting)
    // The service refuses a message without content.
    const isEmptied = content.length === 0 && message['content'].length > 0
    return isEmptied ? [] : withMembers(message, { content })
  })
  return withMembers(body, { messages: written })
}

/** Claude Code (2.1) may send a system message in the middle of a conversation. */
function asUser(message: JsonObject, index: number, { lose }: ServerFit): JsonObject {
  const { content } = message
  const texts =
    typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textIn(text))
  lose('approximated', `turns.${index}.role`)
  return { role: 'user', content: instructionWords(texts.filter(Boolean).join('\n\n')) }
}

/** A document as its text; one without text is only mentioned. */
function asText({ title, source }: JsonObject): JsonObject {
  const { type, data } = objectIn(source)
  const text = type === 'text' ? textIn(data) : leftOutFile(textIn(title))
  return { type: 'text', text }
}

function fitContent(content: Json[], place: string, { server, lose }: ServerFit): Json[] {
  const shown: JsonObject[] = []
  const kept = withElements(content, (block, index) => {
    if (!isObject(block)) return block
    const isThought = block['type'] === 'thinking' || block['type'] === 'redacted_thinking'
    if (isThought && server.reasoningItems === false)
      return lose('dropped', `${place}.blocks.${index}`) ?? []
    if (block['type'] === 'document' && server.files === false) {
      const isText = objectIn(block['source'])['type'] === 'text'
      lose(isText ? 'approximated' : 'dropped', `${place}.blocks.${index}`)
      return asText(block)
    }
    if (block['type'] !== 'tool_result' || server.toolMedia !== false) return block
    const parts = listIn(block['content'])
    const media = objectsIn(parts).filter(({ type }) => type !== 'text')
    if (media.length === 0) return block
    shown.push({ type: 'text', text: shownLabel(textIn(block['tool_use_id'])) }, ...media)
    return withMembers(block, {
      content: withElements(parts, (part) =>
        isObject(part) && part['type'] === 'text' ? part : [],
      ),
    })
  })
  return shown.length > 0 ? [...kept, ...shown] : kept
}
