import { isObject, type Json } from '../../src/json/json.ts'
import { list, member } from '../grammar/shape.ts'
import { has, of, type Entry, type NoOp } from './noop.ts'

/*
 * Members of a reply that say nothing to a foreign caller. `dialect` is the upstream's here, and `upstream`
 * names the caller's.
 */

const OWN_ID = 'the caller is given an id of the proxy'
const NAMED = 'the caller is told the name that it asked for'
const ONLY = 'there is no other type'
const COUNTED = 'a count that is not there is none'
const ALWAYS = 'as always'
const SUM = 'the other counts say it'
const PLACED = 'its words say where they stand'
const DEFAULT = 'the default'
const SAID = 'a source that is named twice has its title once'

/** Nothing was counted. */
const nothing = (value: Json | undefined): boolean =>
  isObject(value) ? Object.values(value).every(nothing) : value === 0 || value === null

const MESSAGES: Entry[] = [
  { path: 'id', upstream: 'responses', why: OWN_ID },
  { path: 'model', why: NAMED },
  { path: 'type', why: ONLY },
  { path: 'role', why: ONLY },
  { path: 'stop_reason', values: ['end_turn', 'tool_use'], why: DEFAULT },
  { path: 'content.*', when: (value) => member(value, 'text') === '', why: 'no words' },
  { path: 'content.*.caller', values: [{ type: 'direct' }], why: DEFAULT },
  { path: 'content.*.caller.type', values: ['direct'], why: DEFAULT },
  {
    path: 'content.*.tool_use_id',
    upstream: 'responses',
    why: 'a result stands behind what it is of',
  },
  { path: 'content.*.citations.*.*', values: [0], why: 'the beginning' },
  { path: 'content.*.citations.*.title', upstream: 'generate-content', why: SAID },
  { path: 'content.*.content.*.type', values: ['web_search_result'], why: ONLY },
  { path: 'content.*.citations.*.type', values: ['web_search_result_location'], why: DEFAULT },
  { path: 'content.*.is_error', values: [false], why: DEFAULT },
  { path: 'usage.**', when: nothing, why: COUNTED },
  { path: 'usage.service_tier', values: ['standard'], why: ALWAYS },
  { path: 'usage.inference_geo', values: ['global', 'not_available'], why: ALWAYS },
  {
    path: 'usage.output_tokens_details.thinking_tokens',
    upstream: 'generate-content',
    why: 'thoughts are no more than all that was said',
  },
]

/** Some clients ask for the numbers of an enumeration. */
const TEXT: Json[] = ['TEXT', 1]
const isText = (value: Json | undefined): boolean =>
  list(value).every((one) => TEXT.includes(member(one, 'modality') ?? null))

const GENERATE_CONTENT: Entry[] = [
  { path: 'responseId', upstream: 'responses', why: OWN_ID },
  { path: 'modelVersion', why: NAMED },
  { path: 'createTime', why: 'the caller is told when the proxy answered' },
  { path: 'candidates', when: (value) => list(value).every(isSilent), why: 'says nothing' },
  { path: 'candidates.*', when: isSilent, why: 'says nothing' },
  { path: 'candidates.*.index', values: [0], why: 'the first' },
  { path: 'candidates.*.finishReason', values: ['STOP', 1], why: DEFAULT },
  { path: 'candidates.*.content.role', why: ONLY },
  { path: 'candidates.*.content.invalid-field', why: 'a mistake of who recorded it' },
  { path: 'candidates.*.content.parts.*.executableCode.language', values: ['PYTHON'], why: ONLY },
  {
    path: 'candidates.*.content.parts.*.codeExecutionResult.outcome',
    values: ['OUTCOME_FAILED'],
    why: 'what is no success is a failure',
  },
  {
    path: 'candidates.*.content.parts.*.codeExecutionResult.id',
    why: 'a result stands behind its code',
  },
  {
    path: 'candidates.*.content.parts.*.executableCode.id',
    upstream: 'responses',
    why: OWN_ID,
  },
  ...['startIndex', 'endIndex', 'text'].map((name) => ({
    path: `candidates.*.groundingMetadata.groundingSupports.*.segment.${name}`,
    why: PLACED,
  })),
  ...['startIndex', 'endIndex'].map((name) => ({
    path: `candidates.*.citationMetadata.*.*.${name}`,
    upstream: 'messages',
    why: 'beyond the text, there is no such place',
  })),
  { path: 'usageMetadata.**', when: nothing, why: COUNTED },
  ...['prompt', 'candidates', 'cache', 'toolUsePrompt'].flatMap((name) => [
    { path: `usageMetadata.${name}TokensDetails`, when: isText, why: SUM },
    {
      path: `usageMetadata.${name}TokensDetails.*.*`,
      beside: (parent: Json) => isText([parent]),
      why: SUM,
    },
  ]),
  { path: 'usageMetadata.promptTokenCount', why: SUM },
  { path: 'usageMetadata.candidatesTokenCount', why: SUM },
  { path: 'usageMetadata.totalTokenCount', why: SUM },
  { path: 'usageMetadata.serviceTier', values: ['standard'], why: ALWAYS },
  { path: 'usageMetadata.trafficType', values: ['ON_DEMAND'], why: ALWAYS },
]

function isSilent(candidate: Json | undefined): boolean {
  return list(member(member(candidate, 'content'), 'parts')).length === 0
}

/** What was asked is said again. */
const ASKED = [
  'background',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]

const RESPONSES: Entry[] = [
  ...ASKED.map((path) => ({ path, below: true as const, why: 'what was asked is said again' })),
  { path: 'id', why: OWN_ID },
  { path: 'object', why: ONLY },
  { path: 'model', why: NAMED },
  { path: 'created_at', why: 'the caller is told when the proxy answered' },
  { path: 'completed_at', why: 'the caller is told when the proxy answered' },
  { path: 'status', values: ['completed', 'complete'], why: DEFAULT },
  { path: 'incomplete_details', values: [{ reason: 'max_output_tokens' }], why: DEFAULT },
  { path: 'incomplete_details.reason', values: ['max_output_tokens'], why: DEFAULT },
  { path: 'billing', below: true, why: 'between the proxy and its upstream' },
  { path: 'output_text', why: 'the output says it' },
  { path: 'service_tier', values: ['default', 'auto'], why: ALWAYS },
  { path: '**', when: nothing, why: COUNTED },
  { path: 'usage.is_byok', values: [false], why: DEFAULT },
  { path: 'usage.total_tokens', why: SUM },
  {
    path: 'usage.output_tokens_details.reasoning_tokens',
    upstream: 'generate-content',
    why: 'thoughts are no more than all that was said',
  },
  { path: 'output.*.output_format', values: ['png'], why: DEFAULT },
  { path: 'output.*.action.type', why: 'a page that was opened or looked through is a source' },
  { path: 'output.*.action.query', beside: has('queries'), why: 'said among the others' },
  { path: 'output.*.action.queries', beside: has('query'), why: 'said alone' },
  {
    path: 'output.*.action.queries.*',
    beside: (_, around) => has('query')(around),
    why: 'said alone',
  },
  { path: 'output.*.action.sources.*.type', values: ['url'], why: ONLY },
  { path: 'output.*.content.*.annotations.*.title', upstream: 'generate-content', why: SAID },
  {
    path: 'output.*.content.*.annotations.*.end_index',
    upstream: 'generate-content',
    why: 'beyond the text, there is no such place',
  },
  { path: 'output.*', when: isWordless, why: 'a thought without words and without proof' },
  { path: 'output.*.id', why: OWN_ID },
  { path: 'output.*.container_id', why: OWN_ID },
  { path: 'output.*.role', why: ONLY },
  { path: 'output.*.status', why: 'an item of a reply that is over is over' },
  { path: 'output.*.arguments', values: ['{}'], why: DEFAULT },
  { path: 'output.*.content.*.type', values: ['output_text', 'reasoning_text'], why: DEFAULT },
  { path: 'output.*.summary.*.type', why: ONLY },
  {
    path: 'output.*.content.*.annotations.*.type',
    values: ['url_citation', 'file_citation'],
    why: DEFAULT,
  },
]

function isWordless(value: Json | undefined): boolean {
  if (!['reasoning', 'message'].includes(String(member(value, 'type')))) return false
  const parts = [...list(member(value, 'summary')), ...list(member(value, 'content'))]
  return !member(value, 'encrypted_content') && !parts.some((part) => member(part, 'text'))
}

export const REPLY_NO_OPS: readonly NoOp[] = [
  ...of('messages', MESSAGES),
  ...of('generate-content', GENERATE_CONTENT),
  ...of('responses', RESPONSES),
]
