import { FROM_THE_BEGINNING } from '../../src/rules/late-tools.ts'
import { instructionWords } from '../../src/rules/text-tools.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { leftOutFile, shownLabel } from '../../src/rules/media.ts'
import type { ServerFacts } from '../contract.ts'
import { referenceInWords } from './calls.ts'
import { listIn, objectIn, objectsIn, textIn } from './dialect.ts'

/** The server that a body is fitted to, and what its model takes. */
export interface ServerFit {
  readonly server: ServerFacts
  /**
   * Whether the model takes in the middle of a conversation: instructions (`inPlace`), changes of tools (`late`), tools
   * that a search finds (`deferred`).
   */
  readonly inPlace: boolean
  readonly late: boolean
  readonly deferred: boolean
  readonly lose: Lose
}

/** The context for one element of the body. */
interface ElementFit extends ServerFit {
  readonly lose: LoseOf
}

/**
 * Moves to the top what instructions in the middle bring besides words, tools and an effort, where the server takes
 * those only there.
 */
export function withLate(body: JsonObject, { inPlace, late, lose }: ServerFit): JsonObject {
  const messages = objectsIn(body['messages']).filter(({ role }) => role === 'system')
  const brought = late ? [] : definitionsIn(messages, objectsIn(body['tools']))
  const effort = messages
    .map(({ output_config }) => objectIn(output_config)['effort'])
    .findLast((word) => word !== undefined && word !== null)
  if (brought.length > 0) lose('approximated', 'tools.late', FROM_THE_BEGINNING)
  return withMembers(body, {
    ...(brought.length > 0 && { tools: [...listIn(body['tools']), ...brought] }),
    ...(!inPlace &&
      effort !== undefined && {
        output_config: { ...objectIn(body['output_config']), effort },
      }),
  })
}

function definitionsIn(messages: JsonObject[], offered: JsonObject[]): JsonObject[] {
  const known = new Set(offered.map(({ name }) => name))
  return messages
    .flatMap(({ content }) => objectsIn(content))
    .filter(({ type }) => type === 'tool_addition')
    .map(({ tool }) => objectIn(objectIn(tool)['definition']))
    .filter(({ name }) => name !== undefined && !known.has(name) && known.add(name))
}

const isChange = (block: Json): boolean =>
  isObject(block) && (block['type'] === 'tool_addition' || block['type'] === 'tool_removal')

/** Fits the messages to the server. */
export function withMessages(body: JsonObject, context: ServerFit): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const at = lossesIn(context.lose)
  const written = withElements(messages, (message, index) => {
    if (!isObject(message)) return message
    const lose = at('turns', index)
    const isMoved = !context.inPlace && message['role'] === 'system'
    return isMoved ? asUser(message, lose) : fitMessage(message, { ...context, lose })
  })
  return withMembers(body, { messages: written })
}

/** A system message as one of the user. Claude Code (2.1) sends system messages in the middle of a conversation. */
function asUser({ content }: JsonObject, lose: LoseOf): JsonObject | [] {
  const texts =
    typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textIn(text))
  const words = texts.filter(Boolean).join('\n\n')
  if (words === '') return []
  lose('approximated', '.role')
  return { role: 'user', content: instructionWords(words) }
}

function fitMessage(message: JsonObject, context: ElementFit): JsonObject | [] {
  const { content, output_config } = message
  if (!Array.isArray(content)) return message
  const known = context.late
    ? content
    : withElements(content, (block) => (isChange(block) ? [] : block))
  const fitted = fitContent(known, context)
  if (fitted.length > 0 || content.length === 0) return withMembers(message, { content: fitted })
  // The service refuses a message without content, unless it is a system message with an effort.
  return output_config === undefined ? [] : withMembers(message, { content: undefined })
}

/** A document as its text. A document without text is only mentioned. */
function asText({ title, source }: JsonObject): JsonObject {
  const { type, data } = objectIn(source)
  const text = type === 'text' ? textIn(data) : leftOutFile(textIn(title))
  return { type: 'text', text }
}

function fitContent(content: Json[], context: ElementFit): Json[] {
  const { server } = context
  const at = lossesIn(context.lose)
  const shown: JsonObject[] = []
  const kept = withElements(content, (block, index) => {
    if (!isObject(block)) return block
    const lose = at('.blocks', index)
    const isThought = block['type'] === 'thinking' || block['type'] === 'redacted_thinking'
    if (isThought && server.reasoningItems === false) return lose('dropped', '') ?? []
    if (block['type'] !== 'tool_result') return fitBlock(block, { ...context, lose })
    if (!Array.isArray(block['content'])) return block
    const partAt = lossesIn(lose)
    const parts = withElements(block['content'], (part, number) =>
      isObject(part) ? fitBlock(part, { ...context, lose: partAt('.content', number) }) : part,
    )
    const media = objectsIn(parts).filter(({ type }) => type !== 'text')
    if (server.toolMedia !== false || media.length === 0)
      return withMembers(block, { content: parts })
    shown.push({ type: 'text', text: shownLabel(textIn(block['tool_use_id'])) }, ...media)
    return withMembers(block, {
      content: withElements(parts, (part) =>
        isObject(part) && part['type'] === 'text' ? part : [],
      ),
    })
  })
  return shown.length > 0 ? [...kept, ...shown] : kept
}

/** Fits a block of a message or of a result. */
function fitBlock(block: JsonObject, { server, deferred, lose }: ElementFit) {
  if (block['type'] === 'tool_reference' && !deferred) return referenceInWords(block)
  if (block['type'] !== 'document' || server.files !== false) return block
  const isText = objectIn(block['source'])['type'] === 'text'
  lose(isText ? 'approximated' : 'dropped', '')
  return asText(block)
}
