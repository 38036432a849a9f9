import { withMembers } from '../../src/json/edit.ts'
import { pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { ReasoningOptions } from '../../src/model/request.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import { fitReasoning } from '../../src/models/thinking.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import type { ModelFacts, Target } from '../contract.ts'
import { knownBy } from './abilities.ts'
import { amount, readReasoning, writeReasoning } from './reasoning.ts'
import { DECLARATIONS } from './tools.ts'
import {
  camel,
  findElements,
  findKey,
  findMember,
  findObject,
  optionPlace,
  withinList,
  withinMember,
} from './wire.ts'

/** The destination of a body, as far as a body is fitted to it. */
export type FitTarget = Pick<Target, 'model' | 'facts'>

const knownAs = ({ model, facts }: FitTarget): KnownFacts =>
  knownBy({ model, facts, defaultMaxOutputTokens: 0 })

/** Fits the settings to what the configuration says of the model. */
export function fitSettings(config: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { facts } = target
  const thinking = withScale(withEffort(config, target, lose), facts, lose)
  const sampled = withSampling(thinking, target, lose)
  const bounded = withinBound(sampled, facts.maxOutputTokens, lose)
  return withoutRefused(bounded, facts.drop, (key) => optionPlace(camel(key)), lose)
}

function withinBound(config: JsonObject, most: number | undefined, lose: Lose): JsonObject {
  const key = findKey(config, 'maxOutputTokens')
  const asked = key === undefined ? undefined : amount(config[key])
  if (key === undefined || asked === undefined || most === undefined || asked <= most) return config
  lose('approximated', 'limits.maxOutputTokens')
  return withMembers(config, { [key]: most })
}

/** An effort that the model takes, and thoughts where there are always some. */
function withEffort(config: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { model, facts } = target
  const { efforts, thinkingOff } = facts
  const asked = reasoningIn(config)
  if (!asked || (efforts === undefined && thinkingOff === undefined)) return config
  const known = knownAs(target)
  const heeded = asked.mode === 'off' ? known : { ...(efforts && { efforts }) }
  const fitted = fitReasoning(asked, { facts: heeded, model, lose })
  if (fitted === asked) return config
  // How it was spelled is no more what is asked for.
  const { origin: _, ...said } = fitted ?? { mode: 'on' as const }
  const isCounted = said.mode === 'off' || said.budget !== undefined
  const { thinking = isCounted ? 'budget' : 'level' } = facts
  return saying(config, writeReasoning(said, { ...known, thinking }, lose))
}

/** A model takes either a budget or a level, so the other one is converted. */
function withScale(config: JsonObject, facts: ModelFacts, lose: Lose): JsonObject {
  const said = findObject(config, 'thinkingConfig')
  const other = facts.thinking === 'level' ? 'thinkingBudget' : 'thinkingLevel'
  if (facts.thinking === undefined || findMember(said, other) === undefined) return config
  return saying(config, writeReasoning(reasoningIn(config), facts, lose))
}

function reasoningIn(config: JsonObject): ReasoningOptions | undefined {
  const thinking = findObject(config, 'thinkingConfig')
  const thinkingBudget = amount(findMember(thinking, 'thinkingBudget'))
  const thinkingLevel = findMember(thinking, 'thinkingLevel')
  const includeThoughts = findMember(thinking, 'includeThoughts')
  return readReasoning({
    ...(thinkingBudget !== undefined && { thinkingBudget }),
    ...(typeof thinkingLevel === 'string' && { thinkingLevel }),
    ...(typeof includeThoughts === 'boolean' && { includeThoughts }),
  })
}

/** With other thoughts, and what else is said of them. */
function saying(config: JsonObject, written: JsonObject | undefined): JsonObject {
  const said = { ...withoutScales(findObject(config, 'thinkingConfig')), ...written }
  const key = findKey(config, 'thinkingConfig') ?? 'thinkingConfig'
  return withMembers(config, { [key]: Object.keys(said).length > 0 ? said : undefined })
}

const SCALES: ReadonlySet<string> = new Set(['thinkingBudget', 'thinkingLevel', 'includeThoughts'])

const withoutScales = (thinking: JsonObject): JsonObject =>
  pickMembers(thinking, (key) => !SCALES.has(camel(key)))

const USUAL: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['temperature', 1],
  ['topP', 1],
  ['responseLogprobs', false],
])
const SAMPLED = [...USUAL.keys(), 'topK', 'logprobs']

/** Some models take no temperature, or none while they think. What is the same where nothing is said is no loss. */
function withSampling(config: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { sampling } = target.facts
  const isRefused =
    sampling === 'never' || (sampling === 'without-thinking' && thinks(config, target))
  if (!isRefused) return config
  const isUsual = (key: string) => USUAL.get(camel(key)) === config[key]
  const unusual = pickMembers(config, (key) => !isUsual(key))
  const left = Object.keys(config).some(isUsual) ? unusual : config
  return withoutRefused(left, SAMPLED, (key) => optionPlace(camel(key)), lose)
}

/** As it is told, or as it does when it is told nothing. */
function thinks(config: JsonObject, target: FitTarget): boolean {
  const asked = reasoningIn(config)
  return asked ? asked.mode !== 'off' : knownAs(target).on === true
}

/**
 * A forced choice, for a model that cannot be made to call a function. One that is named stays on offer alone, and among several
 * the choice is free where the model has a mode for that.
 */
export function unforced(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const tools = findElements(body, 'tools')
  const calling = findObject(findObject(body, 'toolConfig'), 'functionCallingConfig')
  const mode = findMember(calling, 'mode')
  const isForced = mode === 2 || (typeof mode === 'string' && mode.toUpperCase() === 'ANY')
  if (!isForced || !tools.some((tool) => findKey(tool, DECLARATIONS) !== undefined)) return body
  lose('approximated', 'toolChoice', 'the model cannot be made to call a tool')
  const names = findMember(calling, 'allowedFunctionNames')
  const [only, ...others] = Array.isArray(names) ? names : []
  const isPlain = tools.every((tool) =>
    Object.keys(tool).every((key) => camel(key) === DECLARATIONS),
  )
  if (only === undefined) return choosing(body, 'AUTO')
  if (others.length === 0 && isPlain) return offering(choosing(body, 'AUTO'), only)
  return choosing(body, knownAs(target).mixesTools ? 'VALIDATED' : 'AUTO')
}

const choosing = (body: JsonObject, mode: 'AUTO' | 'VALIDATED'): JsonObject =>
  withinMember(body, 'toolConfig', (config) =>
    withinMember(config, 'functionCallingConfig', (calling) =>
      withMembers(calling, {
        [findKey(calling, 'mode') ?? 'mode']: mode,
        ...(mode === 'AUTO' && {
          [findKey(calling, 'allowedFunctionNames') ?? 'allowedFunctionNames']: undefined,
        }),
      }),
    ),
  )

/** With the one function of this name alone. */
const offering = (body: JsonObject, name: Json | undefined): JsonObject =>
  name === undefined
    ? body
    : withinList(body, 'tools', (tool) =>
        withinList(tool, DECLARATIONS, (one) => (findMember(one, 'name') === name ? one : [])),
      )
