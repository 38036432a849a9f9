import { GO_ON } from '../../src/rules/empty-request.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, amountIn, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { FROM_THE_BEGINNING, isReal, keyOf } from '../../src/rules/late-tools.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts, ServerFacts, Target } from '../contract.ts'
import { listIn, numberIn, objectIn, objectsIn, textIn } from './dialect.ts'
import { readFormat } from './fields.ts'
import { withLate, withMessages, type ServerFit } from './fit-history.ts'
import { takesOutput } from './abilities.ts'
import { endsUnproven, isCall } from './proofs.ts'
import { readReasoning, writeReasoning } from './reasoning.ts'
import { readTool } from './tools.ts'
import { placeOf, type WireBody, type WireMessage } from './wire.ts'

/**
 * Fits a body of this dialect, its caller's own or one that was written here, to what is said of its model and of the
 * server that runs it. What they lack is said otherwise, or left out and reported; what fits stays the same object.
 */
export function fit(body: JsonObject, { facts }: Pick<Target, 'facts'>, lose: Lose): JsonObject {
  const bounded = withinBound(body, facts, lose)
  const ended = facts.prefill === false ? endedByUser(bounded, lose) : bounded
  const taken = withoutRefused(ended, facts.drop, placeOf, lose)
  return facts.server ? fitServer(taken, { ...facts, server: facts.server }, lose) : taken
}

/** The output bound, and thinking, of which it is the bound too. */
function withinBound(body: WireBody, facts: ModelFacts, lose: Lose): JsonObject {
  const asked = numberIn(body.max_tokens)
  const { maxOutputTokens: most } = facts
  const isTooMuch = asked !== undefined && most !== undefined && asked > most
  if (isTooMuch) lose('approximated', 'limits.maxOutputTokens')
  const bounded = isTooMuch ? withMembers(body, { max_tokens: most }) : body
  return isThinkingFit(bounded, facts, isTooMuch) ? bounded : withThinking(bounded, facts, lose)
}

function isThinkingFit(
  { thinking, max_tokens }: JsonObject,
  { thinking: style }: ModelFacts,
  isBounded: boolean,
): boolean {
  const { type, budget_tokens } = objectIn(thinking)
  if (type === 'adaptive') return style !== 'budget'
  if (type !== 'enabled') return true
  const isWithin = !isBounded || amountIn(budget_tokens) < amountIn(max_tokens)
  return isWithin && style !== 'adaptive' && style !== 'level'
}

/** Thoughts are asked for in the way of the model. */
function withThinking(body: WireBody, facts: ModelFacts, lose: Lose): JsonObject {
  const { effort, ...output } = objectIn(body.output_config)
  const written = writeReasoning(readReasoning(body.thinking, effort), {
    maxTokens: numberIn(body.max_tokens) ?? Number.MAX_SAFE_INTEGER,
    facts,
    forced: isForced(body.tool_choice),
    unproven:
      facts.server?.unprovenThoughts !== true && endsUnproven(body, facts.prefill !== false),
    lose,
  })
  if (written.effort === effort) return withMembers(body, { thinking: written.thinking })
  const settings = written.effort === undefined ? output : { ...output, effort: written.effort }
  return withMembers(body, {
    thinking: written.thinking,
    output_config: Object.keys(settings).length > 0 ? settings : undefined,
  })
}

const isForced = (choice: Json | undefined): boolean =>
  ['any', 'tool'].includes(textIn(objectIn(choice)['type']))

/** Adds a request to go on, for a model that does not continue its own words. */
function endedByUser(body: WireBody, lose: Lose): JsonObject {
  const { messages } = body
  const last: WireMessage | undefined = objectsIn(messages).at(-1)
  if (!Array.isArray(messages) || last?.role !== 'assistant') return body
  if (objectsIn(last.content).some(isCall)) return body
  lose('approximated', `turns.${messages.length - 1}`, 'the model does not continue its own words')
  return withMembers(body, { messages: [...messages, { role: 'user', content: GO_ON }] })
}

/** Fits a body to a server that speaks only a part of this dialect. */
function fitServer(
  body: JsonObject,
  { server, lateTools, deferredTools }: ModelFacts & { server: ServerFacts },
  lose: Lose,
): JsonObject {
  const isBare = server.hostedTools === false
  const late = !server.systemFirst && (lateTools ?? !isBare)
  const fitting = { server, late, deferred: deferredTools ?? !isBare, lose }
  const tooled = withChoice(withTools(withLate(body, fitting), fitting), fitting)
  const said = withOutput(withMessages(tooled, fitting), fitting)
  const taken = withoutRefused(said, server.drop, placeOf, lose)
  return server.members ? withoutOthers(taken, server.members, placeOf, lose) : taken
}

/** A schema that the server does not enforce is said in words. */
function withOutput(body: JsonObject, { server, lose }: ServerFit): JsonObject {
  const { output_config: config } = body
  const isTaken = takesOutput(server)
  if (!isObject(config) || (isTaken && server.jsonSchema !== false)) return body
  const { format } = readFormat(config['format'])
  const isEffort = !isTaken && config['effort'] !== undefined
  if (format) lose('approximated', 'format', 'in words')
  if (isEffort) lose('dropped', 'reasoning.effort')
  const gone = { ...(format && { format: undefined }), ...(isEffort && { effort: undefined }) }
  const left = withMembers(config, gone)
  return withMembers(body, {
    output_config: Object.keys(left).length > 0 ? left : undefined,
    ...(format && { system: told(body['system'], inWords(format)) }),
  })
}

/** Instructions with more behind them. */
function told(system: Json | undefined, text: string): Json {
  const more = { type: 'text', text }
  if (Array.isArray(system)) return [...system, more]
  return textIn(system) === '' ? text : [{ type: 'text', text: textIn(system) }, more]
}

/** A tool with a type is one that the service runs, or that its own clients know. */
function withTools(body: JsonObject, { server, deferred, lose }: ServerFit): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const written = withElements(tools, (tool) => {
    if (!isObject(tool)) return tool
    const type = textIn(tool['type'])
    if (server.hostedTools === false && type !== '' && type !== 'custom')
      return lose('dropped', `tools.${keyOf(readTool(tool)).name || type}`) ?? []
    // Such a server shows the model what is deferred.
    if (server.hostedTools === false && !isReal(readTool(tool))) return []
    const shown = deferred ? tool : fromTheBeginning(tool, lose)
    return server.strictTools === false ? withoutStrict(shown, lose) : shown
  })
  return withMembers(body, { tools: written.length > 0 ? written : undefined })
}

function fromTheBeginning(tool: JsonObject, lose: Lose): JsonObject {
  if (tool['defer_loading'] === true) lose('approximated', 'tools.deferred', FROM_THE_BEGINNING)
  return withMembers(tool, { defer_loading: undefined })
}

function withoutStrict(tool: JsonObject, lose: Lose): JsonObject {
  if (tool['strict'] === true) lose('dropped', `tools.${textIn(tool['name'])}.strict`)
  return withMembers(tool, { strict: undefined })
}

function withChoice(body: JsonObject, { server, lose }: ServerFit): JsonObject {
  const { tool_choice: choice, thinking } = body
  if (!isObject(choice)) return body
  const { type, name } = choice
  const tools = listIn(body['tools'])
  if (tools.length === 0) {
    if (isForced(choice)) lose('dropped', 'toolChoice', 'no tool is left')
    return withMembers(body, { tool_choice: undefined })
  }
  const thinks = ['enabled', 'adaptive'].includes(textIn(objectIn(thinking)['type']))
  if (isForced(choice) && thinks && server.forcedWhileThinking === false) {
    lose('approximated', 'toolChoice', 'the model may not be forced while it thinks')
    const isAlone = type === 'tool' && !isMarked(body) && tools.some(isNamed(name))
    return choosing(isAlone ? offering(body, name) : body, 'auto')
  }
  if (type !== 'tool') return body
  const isOffered = tools.some(isNamed(name))
  if (isOffered && server.namedChoice !== false) return body
  lose('approximated', 'toolChoice', isOffered ? 'it alone is offered' : 'the tool is not offered')
  return isOffered ? choosing(offering(body, name), 'any') : choosing(body, 'auto')
}

/** A choice that names no tool. */
const choosing = (body: JsonObject, type: 'auto' | 'any'): JsonObject =>
  withMembers(body, {
    tool_choice: withMembers(objectIn(body['tool_choice']), { type, name: undefined }),
  })

const isNamed =
  (name: Json | undefined) =>
  (tool: Json): boolean =>
    isObject(tool) && tool['name'] === name

/** With one tool alone. */
const offering = (body: JsonObject, name: Json | undefined): JsonObject =>
  withMembers(body, { tools: listIn(body['tools']).filter(isNamed(name)) })

/** Whether a part of the prompt is to be cached: tools are its beginning, so they stay as they are. */
const isMarked = ({ tools, system, messages, cache_control }: JsonObject): boolean =>
  cache_control !== undefined ||
  [tools, system, ...objectsIn(messages).map(({ content }) => content)]
    .flatMap((list) => objectsIn(list))
    .some((one) => one['cache_control'] !== undefined)
