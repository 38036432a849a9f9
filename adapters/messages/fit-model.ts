import { GO_ON } from '../../src/rules/empty-request.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, amountIn, pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import { lossesIn, type Lose } from '../../src/model/loss.ts'
import type { ReasoningOptions } from '../../src/model/request.ts'
import { isEffort } from '../../src/rules/effort.ts'
import { fitReasoning, type Fit } from '../../src/models/thinking.ts'
import type { ModelFacts, Target } from '../contract.ts'
import { knownBy } from './abilities.ts'
import { listIn, numberIn, objectIn, objectsIn, textIn } from './dialect.ts'
import { endsUnproven, isCall } from './proofs.ts'
import { effortWord, readReasoning, writeReasoning } from './reasoning.ts'
import { placeOf, type WireBody, type WireMessage } from './wire.ts'

/** The part of a destination to which a body is fitted. */
export type FitTarget = Pick<Target, 'model' | 'facts'>

/**
 * Fits a body to what the configuration says of its model. What is only known by the model's name corrects callers of
 * other dialects alone (`fitForeign`): the service judges requests of its own dialect.
 */
export function fitModel(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { facts } = target
  const bounded = withinBound(withEfforts(body, target, lose), facts, lose)
  const sampled = withSampling(bounded, target, lose)
  const isUnforced = facts.forcedChoice === false && isForced(sampled['tool_choice'])
  const free = isUnforced
    ? unforced(sampled, 'the model cannot be made to call a tool', lose)
    : sampled
  return facts.prefill === false ? endedByUser(free, lose) : free
}

/**
 * Makes each effort, of the request and of its messages, one that the model takes, and keeps a model thinking that
 * always thinks.
 */
function withEfforts(body: WireBody, target: FitTarget, lose: Lose): JsonObject {
  const { model, facts } = target
  const { efforts, thinkingOff } = facts
  if (efforts === undefined && thinkingOff === undefined) return body
  const about: Fit = { facts: { ...(efforts && { efforts }) }, model, lose }
  const updated = withLaterEfforts(body, about)
  const { reasoning } = readReasoning(body.thinking, objectIn(body.output_config)['effort'])
  if (reasoning?.mode === 'off') return withoutThoughts(updated, reasoning, target, lose)
  // For such a model `withThinking` turns the effort into a number of tokens.
  const isWorth = reasoning?.mode === 'adaptive' && facts.thinking === 'budget'
  return isWorth ? updated : withEffort(updated, about)
}

function withLaterEfforts(body: JsonObject, about: Fit): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  return withMembers(body, {
    messages: withElements(messages, (message) =>
      isObject(message) && message['role'] === 'system' ? withEffort(message, about) : message,
    ),
  })
}

/** Writes a request not to think in the way that the model allows. */
function withoutThoughts(
  body: WireBody,
  reasoning: ReasoningOptions,
  { model, facts }: FitTarget,
  lose: Lose,
): JsonObject {
  const known = knownBy({ model, facts, defaultMaxOutputTokens: 0 })
  const fitted = fitReasoning(reasoning, { facts: known, model, lose })
  if (fitted === reasoning && facts.thinkingOff !== 'between_tools') return body
  const around = {
    maxTokens: numberIn(body.max_tokens) ?? Number.MAX_SAFE_INTEGER,
    facts: known,
    forced: isForced(body.tool_choice),
    unproven: false,
    lose,
  }
  return saying(body, writeReasoning(fitted ? { reasoning: fitted } : {}, around))
}

/** Makes the effort of a request, or of a system message, one that the model takes. */
function withEffort(said: JsonObject, about: Fit): JsonObject {
  const word = textIn(objectIn(said['output_config'])['effort'])
  if (!isEffort(word)) return said
  const effort = fitReasoning({ mode: 'on', effort: word }, about)?.effort
  if (effort === word) return said
  const written = effort && effortWord(effort, about.lose)
  return saying(said, { thinking: said['thinking'], effort: written })
}

/** Replaces `thinking` and the effort. */
function saying(
  said: JsonObject,
  { thinking, effort }: { thinking?: Json | undefined; effort?: string | undefined },
): JsonObject {
  const config = withMembers(objectIn(said['output_config']), { effort })
  return withMembers(said, {
    thinking,
    output_config: Object.keys(config).length > 0 ? config : undefined,
  })
}

/** Bounds the output, and the budget for thinking, which counts in it. */
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

/** Asks for thoughts in the model's way: by a budget, or adaptive. */
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

/** Whether the model is asked to think. */
export const isThinking = (thinking: Json | undefined): boolean =>
  ['enabled', 'adaptive'].includes(textIn(objectIn(thinking)['type']))

const SAMPLED = ['temperature', 'top_p', 'top_k']

/** Takes out sampling that the model refuses, always or while it thinks. A default is taken out without a loss. */
function withSampling(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { sampling } = target.facts
  const isRefused =
    sampling === 'never' || (sampling === 'without-thinking' && thinks(body, target))
  if (!isRefused) return body
  const usual = SAMPLED.filter((name) => body[name] === 1 && name !== 'top_k')
  const unusual = pickMembers(body, (name) => !usual.includes(name))
  return withoutRefused(usual.length > 0 ? unusual : body, SAMPLED, placeOf, lose)
}

/** Whether the model will think: as the request says, or as it does by itself. */
function thinks({ thinking }: JsonObject, target: FitTarget): boolean {
  if (isObject(thinking)) return isThinking(thinking)
  return knownBy({ ...target, defaultMaxOutputTokens: 0 }).on === true
}

export const isForced = (choice: Json | undefined): boolean =>
  ['any', 'tool'].includes(textIn(objectIn(choice)['type']))

/** Adds a message that asks to go on, for a model that does not continue its own words. */
function endedByUser(body: WireBody, lose: Lose): JsonObject {
  const { messages } = body
  const last: WireMessage | undefined = objectsIn(messages).at(-1)
  if (!Array.isArray(messages) || last?.role !== 'assistant') return body
  if (objectsIn(last.content).some(isCall)) return body
  const loseHere = lossesIn(lose)('turns', messages.length - 1)
  loseHere('approximated', '', 'the model does not continue its own words')
  return withMembers(body, { messages: [...messages, { role: 'user', content: GO_ON }] })
}

/**
 * Frees a forced choice, for a model that cannot be made to call a tool. Of a named tool, only that tool stays on
 * offer. Tools begin the prompt, so they are not changed where a part of the prompt is marked to be cached.
 */
export function unforced(body: JsonObject, why: string, lose: Lose): JsonObject {
  const { type, name } = objectIn(body['tool_choice'])
  const tools = objectsIn(body['tools'])
  if (tools.length === 0) return body
  lose('approximated', 'toolChoice', why)
  const isPlain = tools.every((tool) =>
    [undefined, 'custom'].includes(textIn(tool['type']) || undefined),
  )
  const isAlone = type === 'tool' && isPlain && !isMarked(body) && tools.some(hasName(name))
  return choosing(isAlone ? offering(body, name) : body, 'auto')
}

/** Replaces the choice by one that names no tool. */
export const choosing = (body: JsonObject, type: 'auto' | 'any'): JsonObject =>
  withMembers(body, {
    tool_choice: withMembers(objectIn(body['tool_choice']), { type, name: undefined }),
  })

export const hasName =
  (name: Json | undefined) =>
  (tool: Json): boolean =>
    isObject(tool) && tool['name'] === name

/** Offers only the tool of this name. */
export const offering = (body: JsonObject, name: Json | undefined): JsonObject =>
  withMembers(body, { tools: listIn(body['tools']).filter(hasName(name)) })

/** Whether a part of the prompt is marked to be cached. */
const isMarked = ({ tools, system, messages, cache_control }: JsonObject): boolean =>
  cache_control !== undefined ||
  [tools, system, ...objectsIn(messages).map(({ content }) => content)]
    .flatMap((list) => objectsIn(list))
    .some((one) => one['cache_control'] !== undefined)
