import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, listOf, type Json, type JsonObject } from '../../src/json/json.ts'
import { withoutRefused } from '../../src/check/fields.ts'
import { tell, type Lose } from '../../src/model/loss.ts'
import type { Effort } from '../../src/model/request.ts'
import { nearestTo } from '../../src/models/thinking.ts'
import { GO_ON } from '../../src/rules/empty-request.ts'
import type { ModelFacts, Target } from '../contract.ts'
import { knownBy } from './abilities.ts'
import { countMarks, MARK } from './caching.ts'
import { readRole } from './calls.ts'
import { objectIn, objectsOf } from './dialect.ts'
import { LEAST_OUTPUT_TOKENS, LOGPROBS, withoutText } from './fields.ts'
import { readEffort } from './reasoning.ts'
import { placeOf, typeOfItem } from './wire.ts'

/** The destination of a body, as far as a body is fitted to it. */
export type FitTarget = Pick<Target, 'model' | 'facts' | 'service'>

/**
 * Fits a body to the facts that the configuration has of its model. Facts from the table of models correct only callers
 * of other dialects (`fitRequest`): the service judges itself what is said in its own words.
 */
export function fitModel(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { facts } = target
  const bounded = boundOutput(body, facts, lose)
  const thinking = fitSampling(fitEfforts(bounded, facts, lose), target, lose)
  const chosen = facts.forcedChoice === false ? withoutForce(thinking, lose) : thinking
  const ended = facts.prefill === false ? endWithUser(chosen, lose) : chosen
  const marked = facts.cacheBreakpoints === false ? withoutMarks(ended, lose) : ended
  return withoutRefused(withoutText(marked, facts, lose), facts.drop, placeOf, lose)
}

function boundOutput(body: JsonObject, { maxOutputTokens: most }: ModelFacts, lose: Lose) {
  const { max_output_tokens: asked } = body
  if (typeof asked !== 'number' || most === undefined || asked <= most) return body
  lose('approximated', 'limits.maxOutputTokens')
  return withMembers(body, { max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, most) })
}

/** The efforts of the request and those that its conversation brings. */
function fitEfforts(body: JsonObject, facts: ModelFacts, lose: Lose): JsonObject {
  const { efforts, thinkingOff } = facts
  if (efforts === undefined && thinkingOff === undefined) return body
  const { input, reasoning } = body
  return withMembers(body, {
    ...(isObject(reasoning) && { reasoning: fitReasoning(reasoning, facts, lose) }),
    ...(efforts &&
      Array.isArray(input) && {
        input: withElements(input, (item) =>
          isObject(item) ? fitUpdate(item, efforts, lose) : item,
        ),
      }),
  })
}

/** An empty list where nothing is left of the update. */
function fitUpdate(item: JsonObject, efforts: readonly Effort[], lose: Lose): JsonObject | [] {
  const { type, reasoning } = item
  if (type !== 'configuration_update' || !isObject(reasoning)) return item
  const left = fitReasoning(reasoning, { efforts }, lose)
  return left ? withMembers(item, { reasoning: left }) : []
}

function fitReasoning(
  reasoning: JsonObject,
  { efforts, thinkingOff }: Pick<ModelFacts, 'efforts' | 'thinkingOff'>,
  lose: Lose,
): JsonObject | undefined {
  const asked = readEffort(reasoning['effort'])
  if (asked === undefined) return reasoning
  if (asked === 'none') {
    if ((thinkingOff ?? true) !== true) lose('approximated', 'reasoning.mode')
    if (thinkingOff !== false) return reasoning
    return withEffort(reasoning, efforts ? nearestTo('minimal', efforts) : 'low')
  }
  const effort = nearestTo(asked, efforts)
  if (effort === undefined) lose('dropped', 'reasoning.effort')
  else if (effort !== asked) lose('approximated', 'reasoning.effort')
  return withEffort(reasoning, effort)
}

function withEffort(reasoning: JsonObject, effort: string | undefined): JsonObject | undefined {
  const left = withMembers(reasoning, { effort })
  return Object.keys(left).length > 0 ? left : undefined
}

/** Some models take no temperature, or none while they think. */
function fitSampling(body: JsonObject, target: FitTarget, lose: Lose): JsonObject {
  const { sampling } = target.facts
  const isRefused =
    sampling === 'never' || (sampling === 'without-thinking' && thinks(body, target))
  if (!isRefused) return body
  for (const key of ['temperature', 'top_p'] as const)
    // 1 is what holds where nothing is said, so nothing is lost with it.
    if (typeof body[key] === 'number' && body[key] !== 1)
      tell(lose, { code: 'dropped', path: placeOf(key) })
  const { include, top_logprobs: most } = body
  const asked = listOf(include)
  const left = asked.filter((one) => one !== LOGPROBS)
  const isCounted = typeof most === 'number' && most > 0
  if (isCounted || left.length < asked.length) lose('dropped', 'sampling.logprobs')
  return withMembers(body, {
    temperature: undefined,
    top_p: undefined,
    top_logprobs: undefined,
    ...(left.length < asked.length && { include: left.length > 0 ? left : undefined }),
  })
}

/** Whether the model will think: as it is told, or as it does when it is told nothing. */
function thinks({ reasoning }: JsonObject, target: FitTarget): boolean {
  const effort = objectIn(reasoning)['effort'] ?? undefined
  if (effort !== undefined) return effort !== 'none'
  const { on, thinking } = knownBy(target)
  return on === true && thinking !== 'none'
}

/**
 * Takes the force from a choice, for a model that cannot be made to call a tool. A named tool becomes the only one on
 * offer; that changes the beginning of the prompt, so it is done only where nothing of the prompt is to be cached.
 */
function withoutForce(body: JsonObject, lose: Lose): JsonObject {
  const { tool_choice: choice } = body
  const tools = listOf(body['tools'])
  const { type, mode } = objectIn(choice)
  const isForced =
    choice === 'required' ||
    (isObject(choice) && (type === 'allowed_tools' ? mode === 'required' : true))
  if (!isForced || tools.length === 0) return body
  lose('approximated', 'toolChoice')
  if (!isObject(choice)) return withMembers(body, { tool_choice: 'auto' })
  const wanted = type === 'allowed_tools' ? objectsOf(choice['tools']) : [choice]
  const named = tools.flatMap((tool) => namedIn(tool, wanted))
  const [only] = named
  const isAlone =
    named.length === 1 && (only?.['type'] !== NAMESPACE || listOf(only['tools']).length === 1)
  return only && isAlone && tools.every(isPlain) && !isMarked(body)
    ? withMembers(body, { tool_choice: 'auto', tools: [only] })
    : withMembers(body, { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: wanted } })
}

const NAMESPACE = 'namespace'

/** The tool, or the part of a namespace, that one of these choices means. */
function namedIn(tool: Json, wanted: readonly JsonObject[]): JsonObject[] {
  if (!isObject(tool)) return []
  if (tool['type'] !== NAMESPACE)
    return wanted.some(({ type, name }) => tool['type'] === type && tool['name'] === name)
      ? [tool]
      : []
  const inner = listOf(tool['tools']).flatMap((one) => namedIn(one, wanted))
  return inner.length > 0 ? [withMembers(tool, { tools: inner })] : []
}

const isPlain = (tool: Json): boolean =>
  isObject(tool) &&
  (tool['type'] === NAMESPACE
    ? listOf(tool['tools']).every(isPlain)
    : tool['type'] === 'function' || tool['type'] === 'custom')

/** Adds a request to go on, for a model that does not continue its own words. */
function endWithUser(body: JsonObject, lose: Lose): JsonObject {
  const { input } = body
  const last = listOf(input).at(-1)
  if (!Array.isArray(input) || !isObject(last)) return body
  const type = typeOfItem(last)
  const isModels = type === 'message' ? last['role'] === 'assistant' : !isAnother(type)
  if (!isModels) return body
  lose('approximated', 'turns')
  return withMembers(body, { input: [...input, { type: 'message', role: 'user', content: GO_ON }] })
}

/** Calls that the caller answers: the model goes on with the answer. */
const WAITS =
  /^(?:function|custom_tool|local_shell|shell|apply_patch|computer|tool_search)_call$|^mcp_approval_request$/

/** Whether an item is no end of the model's own words. */
const isAnother = (type: string): boolean =>
  readRole(type) === 'user' ||
  type === 'item_reference' ||
  type === 'additional_tools' ||
  WAITS.test(type)

/** Takes out cache marks for a model that does not take them. */
function withoutMarks(body: JsonObject, lose: Lose): JsonObject {
  const { input } = body
  const unmark = (part: Json): Json =>
    isObject(part) && part[MARK] !== undefined
      ? (lose('dropped', 'cache') ?? withMembers(part, { [MARK]: undefined }))
      : part
  const unmarked = (parts: Json | undefined): Json | undefined =>
    Array.isArray(parts) ? withElements(parts, unmark) : parts
  if (!Array.isArray(input)) return body
  return withMembers(body, {
    input: withElements(input, (item) =>
      isObject(item)
        ? withMembers(item, {
            content: unmarked(item['content']),
            output: unmarked(item['output']),
          })
        : item,
    ),
  })
}

const isMarked = ({ input, prompt_cache_options: options, ...body }: JsonObject): boolean =>
  (options ?? body['prompt_cache_retention'] ?? null) !== null ||
  objectsOf(input).some((item) => countMarks(item) > 0)
