import { GO_ON } from '../../src/rules/empty-request.ts'
import { saying } from './history.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import type { Lose } from '../../src/model/loss.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts, Target } from '../contract.ts'
import { amount, readReasoning, writeReasoning } from './reasoning.ts'
import { SIGNATURE } from './proofs.ts'
import { EXCLUSIVE, HOSTED, INVOCATIONS, mixedConfig, SCREEN } from './tools.ts'
import { camel, optionPlace, placeOf } from './wire.ts'

/**
 * Fits a body of this dialect, its caller's own or one that was written here, to what is said of its model. What the model
 * does not take is said otherwise, or left out and reported; what fits stays the same object.
 */
export function fit(body: JsonObject, { facts }: Pick<Target, 'facts'>, lose: Lose): JsonObject {
  const { provenCalls = facts.thinking === 'level' } = facts.server ?? {}
  const proven = provenCalls ? withProvenCalls(body, lose) : body
  const tooled = withFittingTools(proven, facts, lose)
  const set = withinMember(tooled, 'generationConfig', (config) => fitted(config, facts, lose))
  const ended = facts.prefill === false ? endedByUser(set, lose) : set
  return withoutRefused(ended, facts.drop, (key) => placeOf(camel(key)), lose)
}

/** The key of a member in this body, in either spelling. */
export const findKey = (value: JsonObject, name: string): string | undefined =>
  Object.keys(value).findLast((key) => camel(key) === name && value[key] !== null)

function findMember(value: JsonObject, name: string): Json | undefined {
  const key = findKey(value, name)
  return key === undefined ? undefined : value[key]
}

const findObject = (value: JsonObject, name: string): JsonObject => {
  const member = findMember(value, name)
  return isObject(member) ? member : {}
}

/** Edits a member that is an object, and removes it where it becomes empty. */
export function withinMember(
  value: JsonObject,
  name: string,
  editMember: (member: JsonObject) => JsonObject,
): JsonObject {
  const key = findKey(value, name)
  const member = key === undefined ? undefined : value[key]
  if (key === undefined || !isObject(member)) return value
  const edited = editMember(member)
  const isEmptied = edited !== member && Object.keys(edited).length === 0
  return withMembers(value, { [key]: isEmptied ? undefined : edited })
}

type EditElement = (element: JsonObject, index: number) => JsonObject | readonly JsonObject[]

/** Edits the elements of a list; a list of one may be written without brackets. */
export function withinList(value: JsonObject, name: string, editElement: EditElement): JsonObject {
  const key = findKey(value, name)
  const member = key === undefined ? undefined : value[key]
  if (key === undefined || !(Array.isArray(member) || isObject(member))) return value
  const list = Array.isArray(member) ? member : [member]
  const edited = withElements(list, (element, index) =>
    isObject(element) ? editElement(element, index) : element,
  )
  if (edited === list) return value
  const [only] = edited
  const isOne = !Array.isArray(member) && edited.length === 1 && only !== undefined
  return withMembers(value, { [key]: isOne ? only : edited })
}

/** The elements of a list that may be written without brackets. */
export function findElements(value: JsonObject, name: string): JsonObject[] {
  const member = findMember(value, name)
  return (Array.isArray(member) ? member : [member]).filter(isObject)
}

export const isModel = (content: JsonObject | undefined): boolean => content?.['role'] === 'model'

/** Numbers the turns of contents: neighbours of the model form one turn. */
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
  const begun = new Set<number>()
  return withinList(body, 'contents', (content) => {
    const turn = turnOf(content)
    return withinList(content, 'parts', (part) => {
      if (!isModel(content) || begun.has(turn) || !isCall(part)) return part
      begun.add(turn)
      if (findKey(part, SIGNATURE) !== undefined) return part
      lose('defaulted', `turns.${turn}.seal`, 'the first call has no proof')
      return withMembers(part, { [SIGNATURE]: NO_PROOF })
    })
  })
}

const isCall = (part: JsonObject): boolean => findKey(part, 'functionCall') !== undefined

const DECLARATIONS = 'functionDeclarations'
/** The members with tools that the caller runs. */
const CALLED: ReadonlySet<string> = new Set([DECLARATIONS, SCREEN])

/** Keeps built-in tools beside functions only where the model takes both. */
function withFittingTools(body: JsonObject, { mixesTools }: ModelFacts, lose: Lose): JsonObject {
  const tools = findElements(body, 'tools')
  const both =
    tools.some((tool) => findKey(tool, DECLARATIONS) !== undefined) &&
    tools.some((tool) => Object.keys(tool).some((key) => !CALLED.has(camel(key))))
  if (mixesTools === undefined || !both) return body
  return mixesTools ? withMix(body) : withoutMix(body, lose)
}

/** Asks for the mix, where its caller has not. */
function withMix(body: JsonObject): JsonObject {
  const config = findObject(body, 'toolConfig')
  const calling = findObject(config, 'functionCallingConfig')
  if (findMember(config, INVOCATIONS) === true || calling['mode'] === 'NONE') return body
  const key = findKey(config, 'functionCallingConfig') ?? 'functionCallingConfig'
  const mixed = { ...withMembers(config, { [key]: undefined }), ...mixedConfig(calling) }
  return withMembers(body, { [findKey(body, 'toolConfig') ?? 'toolConfig']: mixed })
}

function withoutMix(body: JsonObject, lose: Lose): JsonObject {
  const left = withinList(body, 'tools', (tool) => withoutBuiltIn(tool, lose))
  return withinMember(left, 'toolConfig', (config) => {
    const key = findKey(config, INVOCATIONS)
    return key === undefined ? config : withMembers(config, { [key]: undefined })
  })
}

function withoutBuiltIn(tool: JsonObject, lose: Lose): JsonObject | [] {
  const out = Object.keys(tool).filter((key) => HOSTED.has(camel(key)))
  for (const key of out) lose('dropped', `tools.${HOSTED.get(camel(key)) ?? key}`, EXCLUSIVE)
  const left = withMembers(tool, Object.fromEntries(out.map((key) => [key, undefined])))
  return left !== tool && Object.keys(left).length === 0 ? [] : left
}

/** Fits the settings to the model. */
function fitted(config: JsonObject, facts: ModelFacts, lose: Lose): JsonObject {
  const thinking = withFittingThinking(config, facts, lose)
  const bounded = withinBound(thinking, facts.maxOutputTokens, lose)
  return withoutRefused(bounded, facts.drop, (key) => optionPlace(camel(key)), lose)
}

function withinBound(config: JsonObject, most: number | undefined, lose: Lose): JsonObject {
  const key = findKey(config, 'maxOutputTokens')
  const asked = key === undefined ? undefined : amountIn(config[key])
  if (key === undefined || asked === undefined || most === undefined || asked <= most) return config
  lose('approximated', 'limits.maxOutputTokens')
  return withMembers(config, { [key]: most })
}

const amountIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' || typeof value === 'string' ? amount(value) : undefined

/** A model takes either a budget or a level, so the other one is converted. */
function withFittingThinking(config: JsonObject, facts: ModelFacts, lose: Lose): JsonObject {
  const key = findKey(config, 'thinkingConfig')
  const thinking = findObject(config, 'thinkingConfig')
  const thinkingBudget = amountIn(findMember(thinking, 'thinkingBudget'))
  const thinkingLevel = findMember(thinking, 'thinkingLevel')
  if (key === undefined || facts.thinking === undefined) return config
  const isOther = facts.thinking === 'level' ? thinkingBudget : thinkingLevel
  if (isOther === undefined) return config
  const includeThoughts = findMember(thinking, 'includeThoughts')
  const reasoning = readReasoning({
    ...(thinkingBudget !== undefined && { thinkingBudget }),
    ...(typeof thinkingLevel === 'string' && { thinkingLevel }),
    ...(typeof includeThoughts === 'boolean' && { includeThoughts }),
  })
  const written = writeReasoning(reasoning, facts, lose)
  const said = { ...withoutScales(thinking), ...written }
  return withMembers(config, { [key]: Object.keys(said).length > 0 ? said : undefined })
}

const SCALES: ReadonlySet<string> = new Set(['thinkingBudget', 'thinkingLevel', 'includeThoughts'])

const withoutScales = (thinking: JsonObject): JsonObject =>
  pickMembers(thinking, (key) => !SCALES.has(camel(key)))

/** Adds a request to go on, for a model that does not continue its own words. */
function endedByUser(body: JsonObject, lose: Lose): JsonObject {
  const contents = findElements(body, 'contents')
  const last = contents.at(-1)
  if (!last || !isModel(last) || findElements(last, 'parts').some(isCall)) return body
  lose('defaulted', `turns.${contents.length}`, 'the model takes no prefill')
  return withinList(body, 'contents', (content) =>
    content === last ? [content, saying(GO_ON)] : content,
  )
}
