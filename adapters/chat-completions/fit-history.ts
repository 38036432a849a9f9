import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, listOf, parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import { lossesIn, type At, type Lose, type LoseOf, type NotedPlace } from '../../src/model/loss.ts'
import { rememberedWalk } from '../../src/model/remembered.ts'
import { leftOutFile, SHOWN_LABEL, shownLabel } from '../../src/rules/media.ts'
import { lowerInput, instructionWords } from '../../src/rules/text-tools.ts'
import type { ServerFacts } from '../contract.ts'
import { withMediaBehind, type ResultWire } from '../openai/smaller-servers.ts'
import { noteOrigin, originOf } from '../openai/origins.ts'
import { joinedParts } from './blocks.ts'
import { writeCallId } from './calls.ts'
import { objectIn, objectsIn, textIn } from './dialect.ts'
import { FORMAT, signatureIn } from './proofs.ts'
import { withThoughtInside } from './thoughts.ts'

export interface ServerFit {
  readonly server: ServerFacts
  readonly lose: Lose
  /** Whether the first call of a message has to have a proof. */
  readonly isProven: boolean
  /**
   * Whether all tools stay on offer where the server may have no word for a choice among several: without the others it
   * would be another prompt. Where the server is known to lack the word, only the chosen tools are offered.
   */
  readonly keepsOffer: boolean
}

/** Where a message of the walk stands, and whether the model has called a tool up to there. */
interface Passed {
  /** The message has instructions and stands before the first turn. */
  readonly isTop: boolean
  readonly hasCalled: boolean
}

/** The context of one message. */
interface MessageFit extends ServerFit {
  readonly lose: LoseOf
}

/** Writes the conversation as the server takes it. */
export function fitMessages(body: JsonObject, context: ServerFit): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const { lose, server, isProven } = context
  const top = nothingFitted()
  // The instructions at the top are made anew for each request, so they are not remembered.
  const atTop = lossesIn(lose)
  for (const message of messages) {
    if (!instructs(message)) break
    fitNext(top, message, atTop, context)
  }
  const rest = messages.slice(top.all.length)
  const given = [isProven, Object.entries(server).flat()]
  const { all } = fitWalk(rest, given, lose, nothingFitted, (state, message, at) =>
    fitNext(state, message, lossesIn(at.lose), context),
  )
  const fitted = [...top.all, ...all]
  const written = fitted.every((message, index) => message === messages[index]) ? messages : fitted
  const shown = server.toolMedia === false ? withMediaBehind(written, RESULTS) : written
  const ordered = server.systemFirst ? withSystemFirst(shown, context) : shown
  const { bridgeAfterTool: bridge } = server
  const whole = bridge === undefined ? ordered : bridged(ordered, bridge, context)
  return whole === messages ? body : withMembers(body, { messages: whole })
}

const INSTRUCTING: ReadonlySet<Json | undefined> = new Set(['system', 'developer'])
const ANSWERING: ReadonlySet<Json | undefined> = new Set(['tool', 'function'])

/** The number of the turn that a message is in. It begins with that of instructions at the top. */
interface Counted {
  turn: number
  role?: Json | undefined
}

export const uncounted = (): Counted => ({ turn: -1 })

/** Counts the next message: instructions at the top are no turn, and results that follow each other are one. */
export function countTurn(counted: Counted, role: Json | undefined): void {
  const isTop = counted.turn < 0 && INSTRUCTING.has(role)
  const continues = ANSWERING.has(role) && ANSWERING.has(counted.role)
  if (!isTop && !continues) counted.turn += 1
  counted.role = role
}

interface Fitted extends Counted {
  readonly all: Json[]
  hasCalled: boolean
}

const fitWalk = rememberedWalk<Json, Fitted>()

const nothingFitted = (): Fitted => ({ all: [], turn: -1, hasCalled: false })

function fitNext(state: Fitted, message: Json, at: At, context: ServerFit): void {
  if (!isObject(message)) return void state.all.push(message)
  const { role, tool_calls } = message
  if (Array.isArray(tool_calls)) state.hasCalled = true
  countTurn(state, role)
  const isTop = state.turn < 0
  const noted = originOf(message)?.place
  const lose = noted ? at(noted) : isTop ? at('system') : at('turns', state.turn)
  const passed = { isTop: isTop && noted === undefined, hasCalled: state.hasCalled }
  const fitted = fitMessage(message, passed, { ...context, lose })
  // `withSystemFirst` reports instructions that become the user's words, and knows their place by this note.
  const isNoted = context.server.systemFirst && instructs(fitted)
  state.all.push(isNoted ? noteOrigin(fitted, { place: lose.place() }) : fitted)
}

function fitMessage(message: JsonObject, passed: Passed, context: MessageFit): JsonObject {
  const { server, lose } = context
  const { role, name } = message
  const isUnnamed = server.messageNames === false && name !== undefined && role !== 'tool'
  if (isUnnamed) lose('dropped', '.name')
  const isRenamed = server.developerRole === false && role === 'developer'
  // At the top both roles mean the same.
  if (isRenamed && !passed.isTop) lose('approximated', '.role')
  const named =
    isUnnamed || isRenamed
      ? withMembers(message, {
          ...(isUnnamed && { name: undefined }),
          ...(isRenamed && { role: 'system' }),
        })
      : message
  const marked = named['cache_control'] === undefined ? named : fitMark(named, context)
  const { content } = marked
  const textual = Array.isArray(content) ? withFitContent(marked, content, context) : marked
  const plain = server.plainContent ? withPlainContent(textual) : textual
  if (role !== 'assistant') return server.callIds === undefined ? plain : withFitIds(plain, server)
  const { hasCalled } = passed
  return withThought(withCalls(plain, context), originOf(message)?.thoughts, hasCalled, context)
}

/** Takes out the mark of a prefix to cache, or spells it as the server does. */
export function fitMark(node: JsonObject, { server, lose }: ServerFit): JsonObject {
  const { cache_control: mark } = node
  if (!isObject(mark) || server.cacheMark === undefined || server.cacheMark === 'cache_control')
    return node
  if (server.cacheMark === 'none') {
    lose('dropped', 'cache')
    return withMembers(node, { cache_control: undefined })
  }
  const { type: _, ...rest } = mark
  const prompt_cache_breakpoint = { mode: 'explicit', ...rest }
  return withMembers(node, { cache_control: undefined, prompt_cache_breakpoint })
}

/** Fits the parts of a message. Text may be a list only for the sake of its mark; without the mark it is one text. */
function withFitContent(message: JsonObject, content: Json[], context: MessageFit): JsonObject {
  const { role } = message
  const at = lossesIn(context.lose)
  let isUnmarked = false
  const kept = withElements(content, (part, index) => {
    if (!isObject(part)) return part
    const bare = fitMark(part, context)
    isUnmarked ||= bare !== part
    const noted = originOf(part)?.place
    return fitMedium(bare, noted === undefined ? at('.blocks', index) : at(noted), context.server)
  })
  if (kept === content) return message
  const isAlike = isUnmarked && kept.every(isObject)
  return withMembers(message, { content: isAlike ? rejoined(kept.filter(isObject), role) : kept })
}

function rejoined(parts: JsonObject[], role: Json | undefined): Json {
  if (INSTRUCTING.has(role)) return joinedParts(parts, '\n\n')
  return role === 'assistant' || parts.length === 1 ? joinedParts(parts, '') : parts
}

/** Replaces a document or picture that the server cannot read by a text that names it. */
function fitMedium(part: JsonObject, lose: LoseOf, server: ServerFacts): JsonObject {
  const { type, file, image_url } = part
  if (type !== 'file' && type !== 'image_url') return part
  const url = textIn(image_url) || textIn(objectIn(image_url)['url'])
  const isFile = type === 'file' && server.files === false
  const isAway = type === 'image_url' && server.fetchesUrls === false && /^https?:/i.test(url)
  if (!isFile && !isAway) return part
  lose('dropped', '')
  const name = isFile ? textIn(objectIn(file)['filename']) : `image ${url}`
  return { type: 'text', text: leftOutFile(name) }
}

function withPlainContent(message: JsonObject): JsonObject {
  const { content, role } = message
  if (!Array.isArray(content)) return message
  const parts = objectsIn(content)
  return parts.length === content.length
    ? withMembers(message, { content: joinedParts(parts, role === 'tool' ? '\n' : '\n\n') })
    : message
}

/** Fits the id of an answered call, also in the label of media that belong to the call's result. */
function withFitIds(message: JsonObject, server: ServerFacts): JsonObject {
  const { tool_call_id: id, role, content } = message
  if (typeof id === 'string') return withMembers(message, { tool_call_id: writeCallId(id, server) })
  if (role !== 'user' || !Array.isArray(content)) return message
  const labelled = withElements(content, (part) => {
    const said = isObject(part) ? textIn(part['text']) : ''
    if (!isObject(part) || !said.startsWith(SHOWN_LABEL) || !said.endsWith(':')) return part
    const answered = writeCallId(said.slice(SHOWN_LABEL.length, -1), server)
    return withMembers(part, { text: shownLabel(answered) })
  })
  return withMembers(message, { content: labelled })
}

function withCalls(message: JsonObject, context: MessageFit): JsonObject {
  const { tool_calls: calls } = message
  if (!Array.isArray(calls)) return message
  const written = withElements(calls, (call, at) => {
    if (!isObject(call)) return call
    const signed = context.isProven && at === 0 ? withStandIn(call, context.lose) : call
    return fitCall(fitMark(signed, context), context)
  })
  return withMembers(message, { tool_calls: written })
}

function fitCall(call: JsonObject, { server, lose }: MessageFit): JsonObject {
  const { id, custom, function: called } = call
  const short =
    server.callIds === undefined || typeof id !== 'string'
      ? call
      : withMembers(call, { id: writeCallId(id, server) })
  if (isObject(custom) && server.customTools === false) {
    const { name = '', input, ...rest } = custom
    return withMembers(short, {
      type: 'function',
      custom: undefined,
      function: { name, arguments: lowerInput(textIn(input)), ...rest },
    })
  }
  if (!server.validArguments || !isObject(called)) return short
  const said = called['arguments']
  if (typeof said === 'string' && parseObject(said) !== undefined) return short
  if (said !== undefined && said !== '') lose('approximated', '.input')
  return withMembers(short, { function: withMembers(called, { arguments: '{}' }) })
}

function withStandIn(call: JsonObject, lose: LoseOf): JsonObject {
  const { extra_content } = call
  if (signatureIn(extra_content) !== '') return call
  lose('defaulted', '.seal', 'the first call has no signature of reasoning')
  const google = { ...objectIn(objectIn(extra_content)['google']), thought_signature: NO_PROOF }
  return withMembers(call, { extra_content: { ...objectIn(extra_content), google } })
}

const SPELLINGS = ['reasoning_content', 'reasoning'] as const

/**
 * Writes a thought in the member that the server reads, or a filler where the server requires the member. Which
 * thoughts go depends only on what stands before them, so that prompt caches hit.
 */
function withThought(
  message: JsonObject,
  noted: readonly NotedPlace[] | undefined,
  hasCalled: boolean,
  { server, lose }: MessageFit,
): JsonObject {
  const { reasoningField: field, reasoningFiller: filler, reasoningReplay = 'all' } = server
  if (field === undefined && filler === undefined) return message
  const text = SPELLINGS.map((name) => textIn(message[name])).find(Boolean) ?? ''
  const isWanted = reasoningReplay === 'all' || (reasoningReplay === 'with-tools' && hasCalled)
  if (text === '' && filler !== undefined && isWanted)
    return withMembers(message, { reasoning_content: message['reasoning_content'] ?? filler })
  if (field === undefined) return message
  const bare = SPELLINGS.every((name) => message[name] === undefined)
    ? message
    : withMembers(message, { reasoning_content: undefined, reasoning: undefined })
  if (text === '') return bare
  if (isWanted && field !== 'none') return thoughtIn(field, text, message, bare)
  const at = lossesIn(lose)
  if (!noted) at('.blocks', 0)('dropped', '', 'not taken back')
  for (const place of noted ?? []) at(place)('dropped', '', 'not taken back')
  return bare
}

function thoughtIn(
  field: Exclude<ServerFacts['reasoningField'], 'none' | undefined>,
  text: string,
  message: JsonObject,
  bare: JsonObject,
): JsonObject {
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
    case 'details':
      return withDetail(message, text, bare)
    case 'tags':
    case 'content-parts':
      return withMembers(bare, { content: withThoughtInside(field, text, message['content']) })
    default:
      return field satisfies never
  }
}

/** Writes a thought as an entry. In `reasoning`, or in an entry that is there, the server knows it already. */
function withDetail(message: JsonObject, text: string, bare: JsonObject): JsonObject {
  const { reasoning_details: said, reasoning_content } = message
  const details = listOf(said)
  const texts = objectsIn(details).map((entry) => textIn(entry['text']))
  if (reasoning_content === undefined || texts.join('').includes(text)) return message
  const entry = { type: 'reasoning.text', text, format: FORMAT, index: details.length }
  return withMembers(bare, { reasoning_details: [...details, entry] })
}

const RESULTS: ResultWire = {
  isResult: ({ role }) => role === 'tool',
  found: 'content',
  id: 'tool_call_id',
  says: (label, media) => [{ type: 'text', text: label }, ...media],
  asUser: (content) => ({ role: 'user', content }),
}

/** The templates of Qwen and others take instructions only at the beginning and only in one message. */
function withSystemFirst(messages: Json[], { lose }: ServerFit): Json[] {
  const first = messages.findIndex((message) => !instructs(message))
  const count = first < 0 ? messages.length : first
  const texts = messages.slice(0, count).map(textOf)
  const isOne = count < 2 || texts.includes(undefined)
  const top: Json[] = isOne
    ? messages.slice(0, count)
    : [withMembers(objectIn(messages[0]), { content: texts.join('\n\n') })]
  const at = lossesIn(lose)
  const rest = withElements(messages.slice(count), (message, index) => {
    if (!instructs(message)) return message
    const noted = originOf(objectIn(message))?.place
    const loseHere = noted === undefined ? at('turns', index) : at(noted)
    loseHere('approximated', '.role')
    return { role: 'user', content: instructionWords(textOf(message) ?? '') }
  })
  const whole = [...top, ...rest]
  return whole.length === messages.length && whole.every((one, at) => one === messages[at])
    ? messages
    : whole
}

export const instructs = (message: Json): boolean =>
  isObject(message) && INSTRUCTING.has(message['role'])

function textOf(message: Json): string | undefined {
  const { content } = objectIn(message)
  if (typeof content === 'string') return content
  const parts = objectsIn(content)
  return parts.every(({ type }) => type === 'text')
    ? parts.map(({ text }) => textIn(text)).join('\n\n')
    : undefined
}

/** Mistral refuses the user's words directly behind results. */
function bridged(messages: Json[], bridge: string, { lose }: ServerFit): Json[] {
  return withElements(messages, (message, index) => {
    const isBehind = objectIn(messages[index - 1])['role'] === 'tool'
    if (!isBehind || objectIn(message)['role'] !== 'user') return message
    lose('defaulted', 'turns', 'the model has to speak between results and the user')
    return [{ role: 'assistant', content: bridge }, message]
  })
}
