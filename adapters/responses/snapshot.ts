import type { WriteReplyContext } from '../contract.ts'
import { pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { writeChoice } from './choice.ts'
import { wireForm, lookup, objectIn, objectsOf, ownLeftovers, textIn } from './members.ts'
import { wireNames } from './names.ts'
import { writeText } from './options.ts'
import { showReasoning } from './reasoning.ts'
import { isOwn } from './request.ts'
import { writeTools } from './tools.ts'

const nothing = () => undefined

/**
 * The response object as it is before anything was said: the request's settings, with defaults filled in. No
 * member may be missing: readers of the open standard (openresponses.org) refuse an object that lacks one.
 */
export function writeOpening(
  request: Request,
  { newId, now }: Pick<WriteReplyContext, 'newId' | 'now'>,
): JsonObject {
  const { limits, sampling } = request
  const rest = ownLeftovers(request)
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
    prompt_cache_retention: rest['prompt_cache_retention'] ?? null,
    reasoning: showReasoning(request.reasoning),
    safety_identifier: userAs('safety_identifier', request),
    service_tier: request.tier ?? 'default',
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

function echoInstructions({ system }: Request): string | null {
  const texts = system.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  return texts.length > 0 ? texts.join('\n\n') : null
}

function userAs(key: 'user' | 'safety_identifier', request: Request): string | null {
  const spelling = wireForm(request)['user'] ?? 'user'
  return spelling === key ? (request.user ?? null) : null
}

function echoText(request: Request): JsonObject {
  const text = withoutNulls(writeText(request, true, nothing) ?? {})
  const format = {
    ...lookup(FORMATS, textIn(objectIn(text['format']), 'type')),
    ...objectIn(text['format']),
  }
  return { verbosity: 'medium', ...text, format: text['format'] ? format : { type: 'text' } }
}

const FORMATS: Record<string, JsonObject> = { json_schema: { description: null, strict: true } }

const withoutNulls = (value: JsonObject): JsonObject =>
  pickMembers(value, (_, member) => member !== null)

function echoTools(request: Request): JsonObject {
  const context = { names: wireNames(request), own: isOwn(request), lose: nothing }
  const { tools, choices } = writeTools(request.tools, context)
  const choice: Json = writeChoice(request.toolChoice, choices, nothing) ?? 'auto'
  return { tool_choice: choice, tools: tools.map(withDefaults) }
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
  const type = textIn(tool, 'type') ?? ''
  if (type === 'namespace') return { ...tool, tools: objectsOf(tool['tools']).map(withDefaults) }
  const filled = { ...lookup(DEFAULTS, type), ...tool }
  // An explicit null for the strictness means the default.
  return type === 'function' && filled['strict'] === null ? { ...filled, strict: true } : filled
}
