import { withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { fitReasoning, nearestTo } from '../../src/models/thinking.ts'
import type { ModelFacts } from '../contract.ts'
import { knownBy, type FitTarget } from './abilities.ts'
import { listIn, objectIn, objectsIn, readCache, textIn, toolType } from './dialect.ts'
import { asUnforced, isForcing, withOnly } from './fit-tools.ts'
import { readReasoning, toEffort } from './reasoning.ts'

/**
 * Fits a body to the facts that the configuration has of its model. Facts from the table of models correct only callers
 * of other dialects (`fitForeign`): the service judges itself what is said in its own words.
 */
export function fitModel(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { facts } = target
  const bounded = withBound(body, facts, lose)
  const thinking = withEffort(bounded, target, lose)
  const sampled = withSampling(thinking, target, lose)
  return facts.forcedChoice === false ? withoutForce(sampled, lose) : sampled
}

export const BOUNDS = ['max_tokens', 'max_completion_tokens']

function withBound(
  body: JsonObject,
  { maxOutputTokens: most }: ModelFacts,
  lose: Lose,
): JsonObject {
  if (most === undefined) return body
  let changed = body
  for (const member of BOUNDS) {
    const asked = body[member]
    if (typeof asked !== 'number' || asked <= most) continue
    lose('approximated', 'limits.maxOutputTokens')
    changed = withMembers(changed, { [member]: most })
  }
  return changed
}

/** Fits `reasoning_effort`. Its values are the model's, while other members for thinking differ by the server. */
function withEffort(body: JsonObject, { model, facts }: FitTarget, lose: Lose): JsonObject {
  const { efforts, thinkingOff } = facts
  const asked = toEffort(textIn(body['reasoning_effort']))
  if (asked === undefined || (efforts === undefined && thinkingOff === undefined)) return body
  const said = {
    ...(efforts !== undefined && { efforts }),
    ...(thinkingOff !== undefined && { thinkingOff }),
  }
  const about = { facts: said, model, lose }
  const fitted = fitReasoning({ mode: asked === 'none' ? 'off' : 'on', effort: asked }, about)
  const isOff = fitted?.mode === 'off'
  const isRefused = isOff && efforts !== undefined && !efforts.includes('none')
  if (isRefused) lose('approximated', 'reasoning.mode')
  return withMembers(body, {
    reasoning_effort: isRefused ? nearestTo('none', efforts) : isOff ? 'none' : fitted?.effort,
  })
}

const SAMPLED = [
  ['temperature', 'sampling.temperature'],
  ['top_p', 'sampling.topP'],
  ['top_k', 'sampling.topK'],
  ['logprobs', 'sampling.logprobs'],
] as const

/** Some models take no temperature, or none while they think. */
function withSampling(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { sampling } = target.facts
  const isRefused =
    sampling === 'never' || (sampling === 'without-thinking' && thinks(body, target))
  if (!isRefused) return body
  for (const [member, place] of SAMPLED) {
    const value = body[member] ?? false
    // 1 is what holds where nothing is said, so nothing is lost with it.
    if (value !== false && (value !== 1 || member === 'top_k')) lose('dropped', place)
  }
  const out = Object.fromEntries(SAMPLED.map(([member]) => [member, undefined]))
  return withMembers(body, { ...out, top_logprobs: undefined })
}

/** Whether the model will think: as it is told, or as it does when it is told nothing. */
function thinks(body: JsonObject, target: FitTarget): boolean {
  const { reasoning } = readReasoning(body)
  if (reasoning) return reasoning.mode !== 'off'
  const { on, thinking } = knownBy(target)
  return on === true && thinking !== 'none'
}

/**
 * Takes the force from a choice, for a model that cannot be made to call a tool. A named tool becomes the only one on
 * offer; that changes the beginning of the prompt, so it is done only where nothing of the prompt is to be cached.
 */
function withoutForce(body: JsonObject, lose: Lose): JsonObject {
  const { tool_choice: choice, tools } = body
  if (choice === undefined || !isForcing(choice) || listIn(tools).length === 0) return body
  lose('approximated', 'toolChoice')
  if (!isObject(choice) || isObject(choice['allowed_tools']) || isMarked(body))
    return withMembers(body, { tool_choice: asUnforced(choice) })
  const isPlain = objectsIn(tools).every((tool) =>
    ['function', 'custom'].includes(textIn(toolType(tool))),
  )
  return isPlain ? withOnly(body, [choice], 'auto') : withMembers(body, { tool_choice: 'auto' })
}

const isMarked = ({ tools, messages }: JsonObject): boolean =>
  [...objectsIn(tools), ...objectsIn(messages)].some(
    (one) => 'cache' in readCache(one) || holdsMark(one['content']),
  )

const holdsMark = (content: Json | undefined): boolean =>
  objectsIn(content).some((part) => 'cache' in readCache(objectIn(part)))
