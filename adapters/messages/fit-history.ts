import { FROM_THE_BEGINNING, passingWords } from '../../src/rules/late-tools.ts'
import { instructionWords } from '../../src/rules/text-tools.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { leftOutFile, shownLabel } from '../../src/rules/media.ts'
import type { ServerFacts } from '../contract.ts'
import { referenceInWords } from './calls.ts'
import { listIn, objectIn, objectsIn, textIn } from './dialect.ts'
import { PASSING } from './history.ts'

/** The server that a body is fitted to, and what its model takes. */
export interface ServerFit {
  readonly server: ServerFacts
  /** What may stand in the middle of a conversation: instructions. */
  readonly inPlace: boolean
  /** Changes of tools, by their names; `whole`: with the whole tool. */
  readonly late: boolean
  readonly whole: boolean
  /** An effort of a system message; `passing`: that the message holds only until the user speaks again. */
  readonly efforts: boolean
  readonly passing: boolean
  /** Whether the model takes tools that a search finds. */
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
export function withLate(body: JsonObject, { efforts, whole, lose }: ServerFit): JsonObject {
  const messages = objectsIn(body['messages']).filter(({ role }) => role === 'system')
  const brought = whole ? [] : definitionsIn(messages, objectsIn(body['tools']))
  const effort = messages
    .map(({ output_config }) => objectIn(output_config)['effort'])
    .findLast((word) => word !== undefined && word !== null)
  if (brought.length > 0) lose('approximated', 'tools.late', FROM_THE_BEGINNING)
  return withMembers(body, {
    ...(brought.length > 0 && { tools: [...listIn(body['tools']), ...brought] }),
    ...(!efforts &&
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

const changed = (block: Json): JsonObject | undefined =>
  isObject(block) && (block['type'] === 'tool_addition' || block['type'] === 'tool_removal')
    ? objectIn(block['tool'])
    : undefined

/** Whether the server takes a block: a change of tools may need a beta that it lacks. */
function isTaken(block: Json, { late, whole }: ElementFit): boolean {
  const tool = changed(block)
  return tool === undefined || (tool['type'] === 'tool_definition' ? whole : late)
}

/** The names of the tools that only a change shows to the model, where the server takes no such change. */
export function unnameable(body: JsonObject, { late }: ServerFit): ReadonlySet<Json | undefined> {
  const blocks = late ? [] : objectsIn(body['messages']).flatMap(({ content }) => listIn(content))
  return new Set(blocks.flatMap((block) => changed(block)?.['name'] ?? []))
}

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
function asUser({ content, clear_at }: JsonObject, lose: LoseOf): JsonObject | [] {
  const texts =
    typeof content === 'string' ? [content] : objectsIn(content).map(({ text }) => textIn(text))
  const said = texts.filter(Boolean)
  for (const [index, block] of asBlocks(content).entries()) reportRemoval(block, index, lose)
  if (said.length === 0) return []
  lose('approximated', '.role')
  const words = clear_at === PASSING ? passingWords({ passing: true }, said, lose) : said
  return { role: 'user', content: instructionWords(words.join('\n\n')) }
}

/** A tool that goes stays on offer; `withLate` and `withTools` offer what comes. */
function reportRemoval(block: Json, index: number, lose: LoseOf): void {
  if (isObject(block) && block['type'] === 'tool_removal')
    lossesIn(lose)('.blocks', index)('dropped', '')
}

function fitMessage(message: JsonObject, context: ElementFit): JsonObject | [] {
  const settled = message['role'] === 'system' ? withSettings(message, context) : message
  const { content, output_config } = settled
  // The service refuses a message without content, unless it is a system message with an effort.
  const emptied: JsonObject | [] =
    output_config === undefined ? [] : withMembers(settled, { content: undefined })
  if (!Array.isArray(content))
    return settled !== message && content === undefined ? emptied : settled
  const known = withElements(content, (block, index) => {
    if (isTaken(block, context)) return block
    reportRemoval(block, index, context.lose)
    return []
  })
  const fitted = fitContent(known, context)
  return fitted.length > 0 || (content.length === 0 && settled === message)
    ? withMembers(settled, { content: fitted })
    : emptied
}

/**
 * Takes out the members of a system message besides its content, where the server lacks the beta. `withLate` has moved
 * the effort.
 */
function withSettings(message: JsonObject, { efforts, passing, lose }: ElementFit): JsonObject {
  const { content, clear_at } = message
  const isLasting = !passing && clear_at === PASSING && asBlocks(content).some(hasText)
  const words = isLasting ? passingWords({ passing: true }, [], lose) : []
  const texts = words.map((text) => ({ type: 'text', text }))
  return withMembers(message, {
    ...(!efforts && { output_config: undefined }),
    ...(!passing && { clear_at: undefined }),
    ...(isLasting && { content: [...asBlocks(content), ...texts] }),
  })
}

const hasText = (block: Json): boolean => textIn(objectIn(block)['text']) !== ''

const asBlocks = (content: Json | undefined): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)

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
