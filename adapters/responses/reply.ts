import {
  isObject,
  Verbatim,
  withoutNulls,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { WITHHELD, type Withheld } from '../../src/model/events.ts'
import { nothingLost, type Lose } from '../../src/model/loss.ts'
import type { FinishReason, Request, Tool } from '../../src/model/request.ts'
import { remembered } from '../../src/model/remembered.ts'
import { lookup, objectIn, memberText, objectsOf, restOf, factsOf, isOrigin } from './dialect.ts'
import type { WriteReplyContext } from '../contract.ts'
import { writeChoice, writeTools } from './tools.ts'
import { wireNames, type WireNames } from './names.ts'
import { writeText, writeTier } from './fields.ts'
import { showReasoning } from './reasoning.ts'

/** The end of a response. */
export interface Ending {
  status: 'completed' | 'incomplete'
  reason?: 'max_output_tokens' | 'content_filter'
}

const COMPLETED: Ending = { status: 'completed' }
const CUT: Ending = { status: 'incomplete', reason: 'max_output_tokens' }
const FILTERED: Ending = { status: 'incomplete', reason: 'content_filter' }

const ENDINGS: Record<FinishReason, Ending> = {
  stop: COMPLETED,
  'stop-sequence': COMPLETED,
  'tool-call': COMPLETED,
  length: CUT,
  'context-window': CUT,
  pause: CUT,
  refusal: FILTERED,
  safety: FILTERED,
  recitation: FILTERED,
  'malformed-call': FILTERED,
  other: FILTERED,
}

/** A refusal in words ends like any other reply. */
export const chooseEnding = (reason: FinishReason, seen: Seen): Ending =>
  reason === 'refusal' && seen.refusal ? COMPLETED : ENDINGS[reason]

const REASONS: Record<string, FinishReason> = {
  max_output_tokens: 'length',
  max_tokens: 'length',
  content_filter: 'safety',
  // The reply was stopped; nothing was refused.
  max_messages: 'stop',
  steered: 'stop',
}

/** Whether no other dialect has a word for the end. */
export const isOwnEnd = (reason: FinishReason, response: JsonObject): boolean =>
  reason === 'stop' && memberText(response, 'status') === 'incomplete'

/** The content of a reply, as far as it tells why the reply ended. */
export interface Seen {
  refusal: boolean
  call: boolean
}

export function chooseFinish(
  ending: { status: string; reason?: string | undefined },
  seen: Seen,
): FinishReason {
  // An incomplete reply without a reason gets the most common one.
  if (ending.status === 'incomplete')
    return lookup(REASONS, ending.reason ?? 'max_output_tokens') ?? 'other'
  if (seen.call) return 'tool-call'
  return seen.refusal ? 'refusal' : 'stop'
}

export function readFinish(response: JsonObject, seen: Seen): FinishReason {
  const details = response['incomplete_details']
  const reason = isObject(details) ? memberText(details, 'reason') : undefined
  return chooseFinish({ status: memberText(response, 'status') ?? 'completed', reason }, seen)
}

/** The end of a reason, which the canonical word leaves out: `prefix_mismatch`. */
const MISMATCH = '_mismatch'

/** The items of reasoning that the model was not shown; undefined where nothing is said of them. */
export const readWithheld = (list: Json | undefined): Withheld[] | undefined =>
  Array.isArray(list)
    ? objectsOf(list).map((item) => ({
        id: memberText(item, 'id'),
        type: 'reasoning',
        reason: (memberText(item, 'reason') ?? '').replace(MISMATCH, ''),
      }))
    : undefined

/** Inverse of `readWithheld`, for items with an id. */
export const writeWithheld = (withheld: readonly Withheld[], lose: Lose): JsonObject[] =>
  withheld.flatMap(({ id, reason, shown }) => {
    const word = reason === 'turn_boundary' ? reason : reason + MISMATCH
    if (id && !shown) return { id, type: 'reasoning', action: 'removed', reason: word }
    lose('dropped', WITHHELD, reason)
    return []
  })

/**
 * The response object before any output: the request's settings, with defaults filled in. All members must be
 * there: readers of the open standard (openresponses.org) refuse an object that lacks one.
 */
export function writeOpening(
  request: Request,
  { newId, now }: Pick<WriteReplyContext, 'newId' | 'now'>,
): JsonObject {
  const { limits, sampling } = request
  const rest = restOf(request)
  return {
    id: newId('resp_'),
    access_programs: null,
    object: 'response',
    created_at: now,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: echoInstructions(request),
    max_output_tokens: limits.maxOutputTokens ?? null,
    max_tool_calls: rest['max_tool_calls'] ?? null,
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallelToolCalls ?? true,
    presence_penalty: 0,
    previous_response_id: request.previous ?? null,
    prompt_cache_key: request.cacheKey ?? null,
    prompt_cache_retention: factsOf(request).caching?.['prompt_cache_retention'] ?? null,
    reasoning: showReasoning(request),
    safety_identifier: userAs('safety_identifier', request),
    service_tier: writeTier(request.tier, false, nothingLost) ?? 'default',
    store: request.store ?? true,
    temperature: sampling.temperature ?? 1,
    text: echoText(request),
    ...echoTools(request),
    top_logprobs: sampling.logprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: rest['truncation'] ?? 'disabled',
    usage: null,
    user: userAs('user', request),
    metadata: { ...request.labels },
  }
}

/** What several events of a stream repeat is spelled once for all of them; events of a reply in one body never are. */
export const repeated = (value: Json, { request }: WriteReplyContext): Json =>
  request.stream ? Verbatim.of(value) : value

function echoInstructions({ system }: Request): string | null {
  const texts = system.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  return texts.length > 0 ? texts.join('\n\n') : null
}

function userAs(key: 'user' | 'safety_identifier', request: Request): string | null {
  const spelling = factsOf(request).user ?? 'user'
  return spelling === key ? (request.user ?? null) : null
}

function echoText(request: Request): JsonObject {
  const text = withoutNulls(writeText(request, true, nothingLost) ?? {})
  const format = {
    ...lookup(FORMATS, memberText(objectIn(text['format']), 'type')),
    ...objectIn(text['format']),
  }
  return { verbosity: 'medium', ...text, format: text['format'] ? format : { type: 'text' } }
}

const FORMATS: Record<string, JsonObject> = { json_schema: { description: null, strict: true } }

/** Remembered, because every reply of a session repeats the same tools. */
const writtenTools = remembered((list: readonly Tool[], names: WireNames, own: boolean) => {
  const context = { names, own, lose: nothingLost, deferred: true }
  const { tools, choices } = writeTools(list, context)
  return { choices, tools: Verbatim.of(tools.map(withDefaults)) }
})

function echoTools(request: Request): JsonObject {
  const { tools, choices } = writtenTools(request.tools, wireNames(request), isOrigin(request))
  const choice: Json = writeChoice(request.toolChoice, choices, nothingLost) ?? 'auto'
  return { tool_choice: choice, tools }
}

const SEARCH: JsonObject = { search_context_size: 'medium', user_location: null }
const DEFAULTS: Record<string, JsonObject> = {
  function: { description: null, parameters: null, strict: true },
  web_search: SEARCH,
  web_search_preview: SEARCH,
  file_search: {
    filters: null,
    max_num_results: 20,
    ranking_options: { ranker: 'auto', score_threshold: 0 },
  },
  custom: { description: null, format: { type: 'text' } },
}

function withDefaults(tool: JsonObject): JsonObject {
  const type = memberText(tool, 'type') ?? ''
  if (type === 'namespace') return { ...tool, tools: objectsOf(tool['tools']).map(withDefaults) }
  const filled = { ...lookup(DEFAULTS, type), ...tool }
  // `strict: null` means the default.
  return type === 'function' && filled['strict'] === null ? { ...filled, strict: true } : filled
}
