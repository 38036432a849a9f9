import { instructionWords } from '../../src/rules/text-tools.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { isReal, keyOf } from '../../src/rules/late-tools.ts'
import { leftOutFile, shownLabel } from '../../src/rules/media.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import type { ServerFacts } from '../contract.ts'
import { listIn, objectIn, objectsIn, textIn } from './dialect.ts'
import { readTool } from './tools.ts'
import { placeOf } from './wire.ts'

interface Lowering {
  readonly server: ServerFacts
  readonly lose: Lose
}

/**
 * Fits a body to a server that speaks only a part of this dialect: what it lacks is said otherwise, or left out and
 * reported.
 */
export function lowered(body: JsonObject, server: ServerFacts | undefined, lose: Lose): JsonObject {
  if (!server) return body
  const lowering = { server, lose }
  const tooled = withChoice(withTools(body, lowering), lowering)
  const told = withMessages(tooled, lowering)
  const taken = withoutRefused(told, server.drop, placeOf, lose)
  return server.members ? withoutOthers(taken, server.members, placeOf, lose) : taken
}

/** A tool with a type is one that the service runs, or that its own clients know. */
function withTools(body: JsonObject, { server, lose }: Lowering): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const written = withElements(tools, (tool) => {
    if (!isObject(tool)) return tool
    const type = textIn(tool['type'])
    if (server.hostedTools === false && type !== '' && type !== 'custom')
      return lose('dropped', `tools.${keyOf(readTool(tool)).name || type}`) ?? []
    // Such a server shows the model what is deferred.
    if (server.hostedTools === false && !isReal(readTool(tool))) return []
    return server.strictTools === false ? withMembers(tool, { strict: undefined }) : tool
  })
  return withMembers(body, { tools: written.length > 0 ? written : undefined })
}

function withChoice(body: JsonObject, { server, lose }: Lowering): JsonObject {
  const { tool_choice: choice, thinking } = body
  if (!isObject(choice)) return body
  const { type, name } = choice
  const isForced = type === 'any' || type === 'tool'
  const tools = listIn(body['tools'])
  if (tools.length === 0) {
    if (isForced) lose('dropped', 'toolChoice', 'no tool is left')
    return withMembers(body, { tool_choice: undefined })
  }
  const thinks = ['enabled', 'adaptive'].includes(textIn(objectIn(thinking)['type']))
  if (isForced && thinks && server.forcedWhileThinking === false) {
    lose('approximated', 'toolChoice', 'the model may not be forced while it thinks')
    return withMembers(body, {
      tool_choice: withMembers(choice, { type: 'auto', name: undefined }),
    })
  }
  if (type !== 'tool') return body
  const isOffered = objectsIn(tools).some((tool) => tool['name'] === name)
  if (isOffered && server.namedChoice !== false) return body
  if (!isOffered) lose('approximated', 'toolChoice', 'the tool is not offered')
  const meant = isOffered ? 'any' : 'auto'
  return withMembers(body, {
    tool_choice: withMembers(choice, { type: meant, name: undefined }),
    // A forced tool becomes the only one on offer.
    ...(isOffered && {
      tools: withElements(tools, (tool) => (isObject(tool) && tool['name'] === name ? tool : [])),
    }),
  })
}

function withMessages(body: JsonObject, lowering: Lowering): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const { systemFirst } = lowering.server
  const written = withElements(messages, (message, index) => {
    if (!isObject(message)) return message
    if (systemFirst && message['role'] === 'system') return asUser(message, index, lowering)
    if (!Array.isArray(message['content'])) return message
    const content = lowerContent(message['content'], `turns.${index}`, lowering)
    // The service refuses a message without content.
    const isEmptied = content.length === 0 && message['content'].length > 0
    return isEmptied ? [] : withMembers(message, { content })
  })
  return withMembers(body, { messages: written })
}

/** Claude Code (2.1) may send a system message in the middle of a conversation. */
function asUser(message: JsonObject, index: number, { lose }: Lowering): JsonObject {
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

function lowerContent(content: Json[], place: string, { server, lose }: Lowering): Json[] {
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
