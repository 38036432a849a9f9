import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { FROM_THE_BEGINNING, isReal, isSearch, keyOf } from '../../src/rules/late-tools.ts'
import { inWords } from '../../src/rules/text-tools.ts'
import { withoutOthers, withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts } from '../contract.ts'
import { takesOutput } from './abilities.ts'
import { listIn, textIn } from './dialect.ts'
import { readFormat } from './fields.ts'
import { unnameable, withLate, withMessages, type ServerFit } from './fit-history.ts'
import {
  choosing,
  fitModel,
  isForced,
  hasName,
  isThinking,
  offering,
  unforced,
  type FitTarget,
} from './fit-model.ts'
import { takesBeta, withoutBetas } from './clouds/betas.ts'
import { invokable } from './clouds/forms.ts'
import { EFFORT_BETA, PASSING_BETA } from './history.ts'
import { BY_NAME, WHOLE } from './tool-changes.ts'
import { readTool } from './tools.ts'
import { placeOf } from './wire.ts'

/**
 * Fits a body of this dialect, from its caller or written here, to what is said of its model and of the server that
 * runs it. What they lack is said in another way, or left out and reported. What fits stays the same object.
 */
export function fit(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { facts } = target
  const fitted = withoutRefused(fitModel(body, target, lose), facts.drop, placeOf, lose)
  const middle = middleOf(facts)
  const { server } = facts
  const isWhole = server === undefined && middle.inPlace && middle.late && middle.deferred
  return isWhole ? fitted : fitServer(fitted, { server: server ?? {}, ...middle, lose })
}

/** Fits a body to a server that speaks only a part of this dialect. */
function fitServer(body: JsonObject, context: ServerFit): JsonObject {
  const { server, lose } = context
  const sifted = withoutBetas(invokable(body, server, lose), server, lose)
  const tooled = withChoice(withTools(withLate(sifted, context), context), context)
  const said = withOutput(withMessages(tooled, context), context)
  const taken = withoutRefused(said, server.drop, placeOf, lose)
  return server.members ? withoutOthers(taken, server.members, placeOf, lose) : taken
}

/**
 * What may stand in the middle of a conversation: as the configuration says of the model, or else as the profile says
 * of its server. Most of it needs a beta.
 */
function middleOf({ server = {}, systemInPlace, lateTools, deferredTools }: ModelFacts) {
  const isBare = server.hostedTools === false
  const inPlace = systemInPlace ?? server.systemFirst !== true
  const takesLate = inPlace && (lateTools ?? !isBare)
  return {
    inPlace,
    late: takesLate && takesBeta(server, BY_NAME),
    whole: takesLate && takesBeta(server, WHOLE),
    efforts: inPlace && takesBeta(server, EFFORT_BETA),
    passing: inPlace && takesBeta(server, PASSING_BETA),
    deferred: deferredTools ?? !isBare,
  }
}

/** Says a schema in words that the server does not enforce, and leaves out an effort that it does not know. */
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
    ...(format && { system: withWords(body['system'], inWords(format)) }),
  })
}

/** Adds a text to the instructions. */
function withWords(system: Json | undefined, text: string): Json {
  const more = { type: 'text', text }
  if (Array.isArray(system)) return [...system, more]
  return textIn(system) === '' ? text : [{ type: 'text', text: textIn(system) }, more]
}

/**
 * Fits the tools. A tool with a type is run by the service or known to its own clients, so smaller servers do not take
 * it.
 */
function withTools(body: JsonObject, context: ServerFit): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const { server, deferred, lose } = context
  const named = unnameable(body, context)
  const at = lossesIn(lose)
  const written = withElements(tools, (tool) => {
    if (!isObject(tool)) return tool
    const type = textIn(tool['type'])
    const isLacking = server.hostedTools === false || (!deferred && isSearch(readTool(tool)))
    if (isLacking && type !== '' && type !== 'custom')
      return at('tools', keyOf(readTool(tool)).name || type)('dropped', '') ?? []
    // Without deferred tools the model would see the placeholder of a client too.
    if (!deferred && !isReal(readTool(tool))) return []
    const isHidden = deferred && !named.has(tool['name'])
    const shown = isHidden ? tool : fromTheBeginning(tool, lose)
    return server.strictTools === false
      ? withoutStrict(shown, at('tools', textIn(tool['name'])))
      : shown
  })
  return withMembers(body, { tools: written.length > 0 ? written : undefined })
}

function fromTheBeginning(tool: JsonObject, lose: Lose): JsonObject {
  if (tool['defer_loading'] === true) lose('approximated', 'tools.deferred', FROM_THE_BEGINNING)
  return withMembers(tool, { defer_loading: undefined })
}

function withoutStrict(tool: JsonObject, lose: LoseOf): JsonObject {
  if (tool['strict'] === true) lose('dropped', '.strict')
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
  if (isForced(choice) && isThinking(thinking) && server.forcedWhileThinking === false)
    return unforced(body, 'the model may not be forced while it thinks', lose)
  if (type !== 'tool') return body
  const isOffered = tools.some(hasName(name))
  if (isOffered && server.namedChoice !== false) return body
  lose('approximated', 'toolChoice', isOffered ? 'it alone is offered' : 'the tool is not offered')
  return isOffered ? choosing(offering(body, name), 'any') : choosing(body, 'auto')
}
