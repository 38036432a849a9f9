import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import type { Lose } from '../../src/model/loss.ts'
import { leftOutFile, shownLabel } from '../../src/rules/media.ts'
import { lowerInput, instructionWords } from '../../src/rules/text-tools.ts'
import type { ServerFacts } from '../contract.ts'
import { writeCallId } from './calls.ts'
import { objectIn, objectsIn, textIn } from './dialect.ts'
import { signatureIn } from './proofs.ts'
import { withThoughtInside } from './thoughts.ts'

export interface Lowering {
  readonly server: ServerFacts
  readonly lose: Lose
  /** Whether the first call of a message has to have a proof. */
  readonly isProven: boolean
}

/** Writes the conversation as the server's profile allows. */
export function lowerMessages(body: JsonObject, lowering: Lowering): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const { server } = lowering
  const told = withElements(messages, (message, index) =>
    isObject(message) ? lowerMessage(message, index, lowering) : message,
  )
  const shown = server.toolMedia === false ? withMediaBehind(told) : told
  const ordered = server.systemFirst ? withSystemFirst(shown, lowering) : shown
  return withMembers(body, { messages: bridged(ordered, lowering) })
}

function lowerMessage(message: JsonObject, index: number, lowering: Lowering): JsonObject {
  const { server, lose } = lowering
  const { role, name } = message
  const isUnnamed = server.messageNames === false && name !== undefined && role !== 'tool'
  if (isUnnamed) lose('dropped', `turns.${index}.name`)
  const named = withMembers(message, {
    ...(server.messageNames === false && { name: undefined }),
    ...(server.developerRole === false && role === 'developer' && { role: 'system' }),
  })
  const textual = withoutMedia(named, index, lowering)
  const plain = server.plainContent ? withPlainContent(textual) : textual
  if (role === 'assistant') return withThought(withCalls(plain, index, lowering), index, lowering)
  const { tool_call_id: id } = plain
  return typeof id === 'string' && server.callIds !== undefined
    ? withMembers(plain, { tool_call_id: writeCallId(id, server) })
    : plain
}

/** Replaces a document or picture that the server cannot read by a text that names it. */
function withoutMedia(message: JsonObject, index: number, { server, lose }: Lowering): JsonObject {
  const { content } = message
  if (!Array.isArray(content)) return message
  const kept = withElements(content, (part, at) => {
    if (!isObject(part)) return part
    const { type, file, image_url } = part
    const url = textIn(image_url) || textIn(objectIn(image_url)['url'])
    const isFile = type === 'file' && server.files === false
    const isAway = type === 'image_url' && server.fetchesUrls === false && /^https?:/i.test(url)
    if (!isFile && !isAway) return part
    lose('dropped', `turns.${index}.blocks.${at}`)
    const name = isFile ? textIn(objectIn(file)['filename']) : `image ${url}`
    return { type: 'text', text: leftOutFile(name) }
  })
  return withMembers(message, { content: kept })
}

function withPlainContent(message: JsonObject): JsonObject {
  const { content } = message
  if (!Array.isArray(content)) return message
  const parts = objectsIn(content)
  const isText = parts.every((part) => part['type'] === 'text' && Object.keys(part).length === 2)
  return isText
    ? withMembers(message, { content: parts.map((part) => textIn(part['text'])).join('\n\n') })
    : message
}

function withCalls(message: JsonObject, index: number, lowering: Lowering): JsonObject {
  const { server, lose, isProven } = lowering
  const { tool_calls: calls } = message
  if (!Array.isArray(calls)) return message
  const written = withElements(calls, (call, at) => {
    if (!isObject(call)) return call
    const id = call['id']
    const signed = isProven && at === 0 ? withStandIn(call, index, lose) : call
    const fitting = withMembers(signed, {
      ...(typeof id === 'string' &&
        server.callIds !== undefined && { id: writeCallId(id, server) }),
    })
    const { custom, function: called } = fitting
    if (isObject(custom) && server.customTools === false)
      return withMembers(fitting, {
        type: 'function',
        custom: undefined,
        function: { name: custom['name'] ?? '', arguments: lowerInput(textIn(custom['input'])) },
      })
    const said = objectIn(called)['arguments']
    const isBroken = typeof said !== 'string' || parseObject(said) === undefined
    if (!server.validArguments || !isObject(called) || !isBroken) return fitting
    if (said !== undefined && said !== '') lose('approximated', `turns.${index}.input`)
    return withMembers(fitting, { function: withMembers(called, { arguments: '{}' }) })
  })
  return withMembers(message, { tool_calls: written })
}

function withStandIn(call: JsonObject, index: number, lose: Lose): JsonObject {
  const { extra_content } = call
  if (signatureIn(extra_content) !== '') return call
  lose('defaulted', `turns.${index}.seal`, 'the first call has no proof')
  const google = { ...objectIn(objectIn(extra_content)['google']), thought_signature: NO_PROOF }
  return withMembers(call, { extra_content: { ...objectIn(extra_content), google } })
}

const SPELLINGS = ['reasoning_content', 'reasoning'] as const

/** Writes a thought in the member that the server reads, or a filler where the server requires the member. */
function withThought(message: JsonObject, index: number, { server, lose }: Lowering): JsonObject {
  const { reasoningField: field, reasoningFiller: filler, reasoningReplay } = server
  if (field === undefined || field === 'details') return message
  const text = SPELLINGS.map((name) => textIn(message[name])).find(Boolean) ?? ''
  const isEmpty = SPELLINGS.every((name) => message[name] === undefined)
  const bare = isEmpty
    ? message
    : withMembers(message, { reasoning_content: undefined, reasoning: undefined })
  if (reasoningReplay === 'never' || field === 'none') {
    if (text !== '') lose('dropped', `turns.${index}.blocks.0`, 'not taken back')
    return bare
  }
  const hasCalls = Array.isArray(message['tool_calls'])
  if (text === '')
    return filler !== undefined && hasCalls
      ? withMembers(message, { reasoning_content: message['reasoning_content'] ?? filler })
      : isEmpty
        ? message
        : bare
  switch (field) {
    case 'reasoning_content':
    case 'reasoning':
      return withMembers(message, {
        reasoning_content: undefined,
        reasoning: undefined,
        [field]: text,
      })
    case 'both':
      return withMembers(message, { reasoning_content: text, reasoning: text })
    case 'tags':
    case 'content-parts':
      return withMembers(bare, { content: withThoughtInside(field, text, message['content']) })
    default:
      return field satisfies never
  }
}

/** Moves pictures from tool results into a message of the user, behind the last result of the group. */
function withMediaBehind(messages: Json[]): Json[] {
  const held: JsonObject[] = []
  const settle = (): JsonObject[] => {
    const content = held.splice(0)
    return content.length > 0 ? [{ role: 'user', content }] : []
  }
  const moved = withElements(messages, (message) => {
    if (!isObject(message) || message['role'] !== 'tool') return [...settle(), message]
    const { content } = message
    const parts = objectsIn(content)
    const media = parts.filter(({ type }) => type !== 'text')
    if (media.length === 0) return message
    held.push({ type: 'text', text: shownLabel(textIn(message['tool_call_id'])) }, ...media)
    const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? text : []))
    return withMembers(message, { content: texts.join('\n') })
  })
  const last = settle()
  return last.length > 0 ? [...moved, ...last] : moved
}

/** The templates of Qwen and others take instructions only at the beginning and only in one message. */
function withSystemFirst(messages: Json[], { lose }: Lowering): Json[] {
  const first = messages.findIndex((message) => !isInstruction(message))
  const count = first < 0 ? messages.length : first
  const texts = messages.slice(0, count).map(textOf)
  const isOne = count < 2 || texts.includes(undefined)
  const top: Json[] = isOne
    ? messages.slice(0, count)
    : [withMembers(objectIn(messages[0]), { content: texts.join('\n\n') })]
  const rest = withElements(messages.slice(count), (message, index) => {
    if (!isInstruction(message)) return message
    lose('approximated', `turns.${index}.role`)
    return { role: 'user', content: instructionWords(textOf(message) ?? '') }
  })
  const whole = [...top, ...rest]
  return whole.length === messages.length && whole.every((one, at) => one === messages[at])
    ? messages
    : whole
}

const isInstruction = (message: Json): boolean =>
  isObject(message) && (message['role'] === 'system' || message['role'] === 'developer')

function textOf(message: Json): string | undefined {
  const { content } = objectIn(message)
  if (typeof content === 'string') return content
  const parts = objectsIn(content)
  return parts.every(({ type }) => type === 'text')
    ? parts.map(({ text }) => textIn(text)).join('\n\n')
    : undefined
}

/** Mistral refuses the user's words directly behind results. */
function bridged(messages: Json[], { server, lose }: Lowering): Json[] {
  const { bridgeAfterTool } = server
  if (bridgeAfterTool === undefined) return messages
  return withElements(messages, (message, index) => {
    const isBehind = objectIn(messages[index - 1])['role'] === 'tool'
    if (!isBehind || objectIn(message)['role'] !== 'user') return message
    lose('defaulted', 'turns', 'the model has to speak between results and the user')
    return [{ role: 'assistant', content: bridgeAfterTool }, message]
  })
}
