import { GO_ON } from '../../src/rules/empty-request.ts'
import { saying } from './history.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { NO_PROOF } from '../../src/model/proof.ts'
import { wantsProvenCalls } from '../../src/models/see.ts'
import type { Lose } from '../../src/model/loss.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts, SameEdits } from '../contract.ts'
import { DIALECT } from './dialect.ts'
import { resourceName } from './paths.ts'
import { amount, readReasoning, writeReasoning } from './reasoning.ts'
import { readProof } from './proofs.ts'
import { EXCLUSIVE, HOSTED, INVOCATIONS, mixedConfig } from './tools.ts'
import { camel, optionPlace, placeOf } from './wire.ts'

/**
 * Edits the body of a caller of this dialect for an upstream of this dialect; the body of a count may hold a whole
 * request.
 */
export function edit(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const counted = within(body, 'generateContentRequest', (request) =>
    editRequest(request, edits, lose),
  )
  return editRequest(counted, edits, lose)
}

function editRequest(body: JsonObject, edits: SameEdits, lose: Lose): JsonObject {
  const { facts, foreign, model, readsProof = () => true, sentTo = model ?? '' } = edits
  const own = foreign ? withoutForeign(body, readsProof, lose) : body
  const wantsProofs = own === body ? facts.thinking === 'level' : wantsProvenCalls(sentTo, facts)
  const proven = wantsProofs ? withProvenCalls(own, lose) : own
  const fitting = within(withFittingTools(proven, facts, lose), 'generationConfig', (config) =>
    fitted(config, facts, lose),
  )
  const asked = facts.prefill === false ? answered(fitting, lose) : fitting
  const sent = withoutRefused(asked, facts.drop, (key) => placeOf(camel(key)), lose)
  return model === undefined || typeof sent['model'] !== 'string'
    ? sent
    : withMembers(sent, { model: resourceName(model) })
}

/** The key of a member in this body, in either spelling. */
const findKey = (value: JsonObject, name: string): string | undefined =>
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
function within(
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
function withinList(value: JsonObject, name: string, editElement: EditElement): JsonObject {
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
function findElements(value: JsonObject, name: string): JsonObject[] {
  const member = findMember(value, name)
  return (Array.isArray(member) ? member : [member]).filter(isObject)
}

const isModel = (content: JsonObject | undefined): boolean => content?.['role'] === 'model'

/** Numbers the turns of contents: neighbours of the model form one turn. */
function turnCounter(): (content: JsonObject) => number {
  let turn = -1
  let wasModel = false
  return (content) => {
    if (!(wasModel && isModel(content))) turn += 1
    wasModel = isModel(content)
    return turn
  }
}

type ReadsProof = NonNullable<SameEdits['readsProof']>

/** Takes out proofs of other services, and contents that this leaves empty, because the service refuses those. */
function withoutForeign(body: JsonObject, reads: ReadsProof, lose: Lose): JsonObject {
  const turnOf = turnCounter()
  return withinList(body, 'contents', (content) => {
    const turn = `turns.${turnOf(content)}`
    const own = withinList(content, 'parts', (part, index) =>
      ownPart(part, `${turn}.blocks.${index}`, reads, lose),
    )
    return own !== content && findElements(own, 'parts').length === 0 ? [] : own
  })
}

const SIGNATURE = 'thoughtSignature'

function ownPart(part: JsonObject, place: string, reads: ReadsProof, lose: Lose): JsonObject | [] {
  const key = findKey(part, SIGNATURE)
  const signature = key === undefined ? undefined : part[key]
  if (key === undefined || typeof signature !== 'string' || signature === NO_PROOF) return part
  const { damaged, proof, slot } = readProof(signature)
  if (slot === undefined && !damaged) return part
  if (proof?.dialect === DIALECT && reads(proof.account))
    return withMembers(part, { [key]: proof.value })
  lose('dropped', `${place}.seal`)
  const bare = withMembers(part, { [key]: undefined })
  return saysNothing(bare) ? [] : bare
}

const saysNothing = (part: JsonObject): boolean =>
  Object.entries(part).every(([key, value]) => key === 'thought' || (key === 'text' && !value))

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

/** Keeps built-in tools beside functions only where the model takes both. */
function withFittingTools(body: JsonObject, { mixesTools }: ModelFacts, lose: Lose): JsonObject {
  const tools = findElements(body, 'tools')
  const both =
    tools.some((tool) => findKey(tool, DECLARATIONS) !== undefined) &&
    tools.some((tool) => Object.keys(tool).some((key) => camel(key) !== DECLARATIONS))
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
  return withMembers(config, { [key]: { ...withoutScales(thinking), ...written } })
}

const SCALES: ReadonlySet<string> = new Set(['thinkingBudget', 'thinkingLevel', 'includeThoughts'])

const withoutScales = (thinking: JsonObject): JsonObject =>
  pickMembers(thinking, (key) => !SCALES.has(camel(key)))

/** Adds a request to go on, for a model that does not continue its own words. */
function answered(body: JsonObject, lose: Lose): JsonObject {
  const contents = findElements(body, 'contents')
  const last = contents.at(-1)
  if (!last || !isModel(last) || findElements(last, 'parts').some(isCall)) return body
  lose('defaulted', `turns.${contents.length}`, 'the model takes no prefill')
  return withinList(body, 'contents', (content) =>
    content === last ? [content, saying(GO_ON)] : content,
  )
}
