import { GO_ON } from '../../src/rules/empty-request.ts'
import { isModel, saying } from './history.ts'
import { withMembers } from '../../src/json/edit.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import { lossesIn, type Lose } from '../../src/model/loss.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts } from '../contract.ts'
import { fitSettings, unforced, type FitTarget } from './fit-model.ts'
import { SIGNATURE } from './proofs.ts'
import { DECLARATIONS, EXCLUSIVE, HOSTED, INVOCATIONS, mixedConfig, SCREEN } from './tools.ts'
import {
  camel,
  findElements,
  findKey,
  findMember,
  findObject,
  placeOf,
  withinList,
  withinMember,
} from './wire.ts'

/**
 * Fits a body of this dialect, from its caller or written here, to what is said of its model. What the model does not
 * take is said in another way, or left out and reported. What fits stays the same object.
 */
export function fit(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { facts } = target
  const { provenCalls = facts.thinking === 'level' } = facts.server ?? {}
  const proven = provenCalls ? withProvenCalls(body, lose) : body
  const tooled = fitTools(proven, facts, lose)
  const free = facts.forcedChoice === false ? unforced(tooled, target, lose) : tooled
  const set = withinMember(free, 'generationConfig', (config) => fitSettings(config, target, lose))
  const ended = facts.prefill === false ? endedByUser(set, lose) : set
  return withoutRefused(ended, facts.drop, (key) => placeOf(camel(key)), lose)
}

/** Numbers the turns of contents: neighbouring contents of the model are one turn. */
export function turnCounter(): (content: JsonObject) => number {
  let turn = -1
  let wasModel = false
  return (content) => {
    if (!(wasModel && isModel(content))) turn += 1
    wasModel = isModel(content)
    return turn
  }
}

/** Models that think by levels require a proof, or the stand-in for one, on the first call of a turn. */
function withProvenCalls(body: JsonObject, lose: Lose): JsonObject {
  const turnOf = turnCounter()
  const at = lossesIn(lose)
  const begun = new Set<number>()
  return withinList(body, 'contents', (content) => {
    const turn = turnOf(content)
    return withinList(content, 'parts', (part) => {
      if (!isModel(content) || begun.has(turn) || !isCall(part)) return part
      begun.add(turn)
      if (findKey(part, SIGNATURE) !== undefined) return part
      at('turns', turn)('defaulted', '.seal', 'the first call has no signature of reasoning')
      return withMembers(part, { [SIGNATURE]: NO_PROOF })
    })
  })
}

const isCall = (part: JsonObject): boolean => findKey(part, 'functionCall') !== undefined

/** The members with tools that the caller runs. */
const CALLED: ReadonlySet<string> = new Set([DECLARATIONS, SCREEN])

/** Keeps built-in tools beside functions only where the model takes both, or where the caller has asked for the mix. */
function fitTools(body: JsonObject, { mixesTools }: ModelFacts, lose: Lose): JsonObject {
  const tools = findElements(body, 'tools')
  const both =
    tools.some((tool) => findKey(tool, DECLARATIONS) !== undefined) &&
    tools.some((tool) => Object.keys(tool).some((key) => !CALLED.has(camel(key))))
  const config = findObject(body, 'toolConfig')
  if (mixesTools === undefined || !both || findMember(config, INVOCATIONS) === true) return body
  if (!mixesTools) return withinList(body, 'tools', (tool) => withoutBuiltIn(tool, lose))
  const calling = findObject(config, 'functionCallingConfig')
  if (calling['mode'] === 'NONE') return body
  const key = findKey(config, 'functionCallingConfig') ?? 'functionCallingConfig'
  const mixed = { ...withMembers(config, { [key]: undefined }), ...mixedConfig(calling) }
  return withMembers(body, { [findKey(body, 'toolConfig') ?? 'toolConfig']: mixed })
}

function withoutBuiltIn(tool: JsonObject, lose: Lose): JsonObject | [] {
  const out = Object.keys(tool).filter((key) => HOSTED.has(camel(key)))
  const at = lossesIn(lose)
  for (const key of out) at('tools', HOSTED.get(camel(key)) ?? key)('dropped', '', EXCLUSIVE)
  const left = withMembers(tool, Object.fromEntries(out.map((key) => [key, undefined])))
  return left !== tool && Object.keys(left).length === 0 ? [] : left
}

/** Adds a message that asks to go on, for a model that does not continue its own words. */
function endedByUser(body: JsonObject, lose: Lose): JsonObject {
  const contents = findElements(body, 'contents')
  const last = contents.at(-1)
  if (!last || !isModel(last) || findElements(last, 'parts').some(isCall)) return body
  lossesIn(lose)('turns', contents.length)('defaulted', '', 'the model takes no prefill')
  return withinList(body, 'contents', (content) =>
    content === last ? [content, saying(GO_ON)] : content,
  )
}
