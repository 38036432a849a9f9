import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, listOf, Verbatim, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import { describeText, inWords, TEXT_TOOL_SCHEMA } from '../../src/rules/text-tools.ts'
import { see, wantsProvenCalls } from '../../src/models/see.ts'
import type { ServerFacts, Target } from '../contract.ts'
import { isFlat, objectIn, objectsIn, textIn, toolType } from './dialect.ts'
import { placeOf } from './wire.ts'
import { readFormat } from './fields.ts'
import { readReasoning, THINKING_MEMBERS, writeReasoning } from './reasoning.ts'
import { toolNameIn } from './tools.ts'
import { lowerMessages, type Lowering } from './lowered-history.ts'

/**
 * Fits a body to a server that speaks only a part of this dialect: what it lacks is said otherwise, or left out and
 * reported. Bodies written from another dialect mostly fit already; this also serves callers of this dialect.
 */
export function lowered(
  body: JsonObject,
  { model, facts }: Pick<Target, 'model' | 'facts'>,
  lose: Lose,
): JsonObject {
  const { server } = facts
  if (!server) return body
  const isProven = server.provenCalls === true && wantsProvenCalls(model, facts)
  const lowering = { server, lose, isProven }
  const tooled = withChoice(withTools(body, lowering), lowering)
  const told = lowerMessages(withSchemaInWords(tooled, lowering), lowering)
  // Some models know efforts alone, whatever other models of the server are asked by.
  const isByWord = see(facts.is ?? model).facts.thinkingWord === false
  return withOptions(isByWord ? told : withThinking(told, lowering), lowering)
}

function withTools(body: JsonObject, lowering: Lowering): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const written = withElements(tools, (tool) => (isObject(tool) ? lowerTool(tool, lowering) : tool))
  return withMembers(body, { tools: written.length > 0 ? written : undefined })
}

function lowerTool(said: JsonObject, { server, lose }: Lowering): JsonObject | JsonObject[] {
  const type = toolType(said)
  const tool = type === said['type'] ? said : withMembers(said, { type })
  const { function: declared, custom } = tool
  if (type === 'function') {
    const { strict } = objectIn(declared)
    return server.strictTools === false && strict !== undefined
      ? withMembers(tool, { function: withMembers(objectIn(declared), { strict: undefined }) })
      : tool
  }
  if (type === 'custom') {
    if (server.customTools !== false) return tool
    return { type: 'function', function: asFunction(isFlat(tool) ? tool : objectIn(custom), lose) }
  }
  if (server.hostedTools !== false) return tool
  return lose('dropped', `tools.${textIn(tool['name']) || textIn(type)}`) ?? []
}

/** A tool that takes free text, as a function of one text. */
function asFunction({ name, description: said, format }: JsonObject, lose: Lose): JsonObject {
  const { grammar, type } = objectIn(format)
  const description = describeText(
    {
      kind: 'text',
      name: textIn(name),
      ...(typeof said === 'string' && { description: said }),
      ...(isObject(format) && { format: { type: type ?? 'text', ...objectIn(grammar) } }),
    },
    lose,
  )
  return {
    name: name ?? '',
    ...(description !== undefined && { description }),
    parameters: new Verbatim(TEXT_TOOL_SCHEMA),
  }
}

function withChoice(body: JsonObject, lowering: Lowering): JsonObject {
  const { tool_choice: choice } = body
  if (choice === undefined || choice === null) return body
  const { server, lose } = lowering
  if (listOf(body['tools']).length === 0 && body['functions'] === undefined) {
    if (isObject(choice) || choice === 'required' || choice === 'any')
      lose('dropped', 'toolChoice', 'no tool is left')
    return withMembers(body, { tool_choice: undefined, parallel_tool_calls: undefined })
  }
  const required = server.requiredChoice ?? 'required'
  const isForced = choice !== 'auto' && choice !== 'none'
  if (isForced && server.forcedWhileThinking === false && thinksIn(body)) {
    lose('approximated', 'toolChoice', 'the model may not be forced while it thinks')
    return withMembers(body, { tool_choice: 'auto' })
  }
  if (!isObject(choice)) {
    const isSpelled = choice === 'required' || (choice === 'any' && server.requiredChoice)
    return isSpelled ? withMembers(body, { tool_choice: required }) : body
  }
  return withNamedChoice(body, choice, required, lowering)
}

/**
 * For servers that take no named choice: only the tools that may be called are offered, and the choice becomes one
 * word.
 */
function withNamedChoice(
  body: JsonObject,
  choice: JsonObject,
  required: string,
  { server }: Lowering,
): JsonObject {
  const allowed = objectIn(choice['allowed_tools'])
  const isSeveral = isObject(choice['allowed_tools'])
  const isBare = server.namedChoice === false || (isSeveral && server.allowedTools === false)
  if (!isBare) {
    const named = { type: 'function', function: { name: toolNameIn(choice) } }
    return choice['type'] === 'custom' && server.customTools === false
      ? withMembers(body, { tool_choice: named })
      : body
  }
  const names = new Set((isSeveral ? objectsIn(allowed['tools']) : [choice]).map(toolNameIn))
  const mode = isSeveral && allowed['mode'] !== 'required' ? 'auto' : required
  const tools = withElements(listOf(body['tools']), (tool) =>
    isObject(tool) && names.has(toolNameIn(tool)) ? tool : [],
  )
  return withMembers(body, { ...(tools.length > 0 && { tools }), tool_choice: mode })
}

/** A model that can think does so unless the request turns it off. */
const thinksIn = ({ thinking, enable_thinking, reasoning_effort }: JsonObject): boolean =>
  objectIn(thinking)['type'] !== 'disabled' &&
  enable_thinking !== false &&
  reasoning_effort !== 'none' &&
  (thinking !== undefined || enable_thinking !== undefined || reasoning_effort !== undefined)

/** A schema that the server cannot enforce is asked for in words, behind the first instructions. */
function withSchemaInWords(body: JsonObject, { server, lose }: Lowering): JsonObject {
  const { format } = readFormat(body['response_format'])
  if (server.jsonSchema !== false || format?.type !== 'json-schema') return body
  lose('approximated', 'format', 'in words')
  const messages = listOf(body['messages'])
  const first = objectIn(messages[0])
  const { role, content } = first
  const words = inWords(format)
  const isInstructed = (role === 'system' || role === 'developer') && typeof content === 'string'
  return withMembers(body, {
    response_format: { type: 'json_object' },
    messages: isInstructed
      ? [withMembers(first, { content: `${content}\n\n${words}` }), ...messages.slice(1)]
      : [{ role: 'system', content: words }, ...messages],
  })
}

/** The member that asks for thinking, per style. A style without a row leaves the body as it is. */
const STYLES = new Map<ServerFacts['reasoningStyle'], string>([
  ['openai', 'reasoning_effort'],
  ['thinking', 'thinking'],
  ['enable_thinking', 'enable_thinking'],
  ['openrouter', 'reasoning'],
  ['together', 'reasoning'],
  ['none', ''],
])

/** Asks for thinking in the member that the server knows. */
function withThinking(body: JsonObject, { server, lose }: Lowering): JsonObject {
  const member = STYLES.get(server.reasoningStyle)
  if (member === undefined || (body[member] ?? null) !== null) return body
  const { reasoning } = readReasoning(body)
  if (!reasoning) return body
  const absent = Object.fromEntries(THINKING_MEMBERS.map((name) => [name, undefined]))
  return withMembers(body, {
    ...absent,
    ...writeReasoning(reasoning, { server, own: false, lose, facts: {} }),
  })
}

const BOUNDS = ['max_tokens', 'max_completion_tokens']

/** Renames members for the server and takes out what it does not accept. */
function withOptions(body: JsonObject, { server, lose }: Lowering): JsonObject {
  const { drop, members, maxTokensMember, seedMember, stop, temperature, topK } = server
  const bound = BOUNDS.map((name) => body[name]).find((value) => typeof value === 'number')
  const seed = body['seed'] ?? body['random_seed']
  if (stop === false && body['stop'] !== undefined) lose('dropped', 'limits.stop')
  const isHot = (name: string) => temperature === false && (body[name] ?? 1) !== 1
  if (isHot('temperature')) lose('dropped', 'sampling.temperature')
  if (isHot('top_p')) lose('dropped', 'sampling.topP')
  if (topK === false && body['top_k'] !== undefined) lose('dropped', 'sampling.topK')
  const renamed = withMembers(body, {
    ...(maxTokensMember !== undefined &&
      bound !== undefined && {
        ...Object.fromEntries(BOUNDS.map((name) => [name, undefined])),
        [maxTokensMember]: bound,
      }),
    ...(seedMember !== undefined &&
      seed !== undefined && { seed: undefined, random_seed: undefined, [seedMember]: seed }),
    ...(stop === false && { stop: undefined }),
    ...(temperature === false && { temperature: undefined, top_p: undefined }),
    ...(topK === false && { top_k: undefined }),
    // Servers without `stream_options` report usage in streams without being asked.
    ...(members && !members.includes('stream_options') && { stream_options: undefined }),
  })
  const taken = withoutRefused(renamed, drop, placeOf, lose)
  return members ? withoutOthers(taken, members, placeOf, lose) : taken
}
