import type { Json, JsonObject } from '../../../src/json/json.ts'
import { list, member } from '../../grammar/shape.ts'
import { has, type Entry } from '../../replay/noop.ts'
import {
  ALWAYS,
  COUNTED,
  DEFAULT,
  NAMED,
  nothing,
  ONLY,
  OWN_ID,
  SAID,
  SUM,
} from '../../replay/reasons.ts'

const AGAIN = 'the next one takes its place, and may say the same'
const TWICE = 'said twice'
const THOUGHTS = 'thoughts are no more than all that was said'

const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)

/** What the counts of a usage leave for one of them. */
const leftOfTotal = (body: Json): number => {
  const usage = member(body, 'usage')
  return count(member(usage, 'total_tokens')) - count(member(usage, 'prompt_tokens'))
}

/** Some servers say a thought by two of its names. */
const isThoughtToldBeside = (message: JsonObject, own: string): boolean =>
  ['reasoning_content', 'reasoning'].some((name) => name !== own && Boolean(message[name])) ||
  (own !== 'reasoning_details' && list(message['reasoning_details']).length > 0)

/** Nothing that only its provider can read. */
const isOpen = (entry: Json): boolean =>
  member(entry, 'type') !== 'reasoning.encrypted' && !member(entry, 'signature')

const hasCached = (body: Json): boolean =>
  member(member(body, 'usage'), 'prompt_cache_hit_tokens') ===
  member(member(member(body, 'usage'), 'prompt_tokens_details'), 'cached_tokens')

/** What a reply says it has read, at other places than in its list of addresses. */
const named = (body: Json): Json[] => [
  ...list(member(body, 'search_results')).map((result) => member(result, 'url') ?? null),
  ...list(member(member(list(member(body, 'choices'))[0], 'message'), 'annotations')).map(
    (raw) => member(member(raw, 'url_citation'), 'url') ?? null,
  ),
]

const hasNoRange = ({ start_index, end_index }: JsonObject): boolean =>
  count(end_index) <= count(start_index)

export const replyNoOps: Entry[] = [
  { path: 'id', upstream: 'responses', why: OWN_ID },
  { path: 'model', why: NAMED },
  { path: 'object', why: ONLY },
  { path: 'created', why: 'the reply is told when it is told' },
  { path: 'system_fingerprint', why: 'says which machine it was' },
  { path: 'service_tier', values: ['default', 'auto', 'on_demand'], why: ALWAYS },
  {
    path: 'service_tier',
    upstream: 'responses',
    values: ['flex', 'priority'],
    why: 'where the service does not say it, the reply repeats what was asked for',
  },
  { path: 'usage.service_tier', values: ['standard', 'default'], why: ALWAYS },
  { path: 'usage.is_byok', values: [false], why: ALWAYS },
  { path: 'obfuscation', why: 'padding' },
  { path: 'choices.*.index', why: ONLY },
  { path: 'choices.*.message.role', why: ONLY },
  { path: 'choices.*.delta', below: true, beside: has('message'), why: TWICE },
  { path: 'choices.*.native_finish_reason', why: TWICE },
  {
    path: 'choices.*.stop_reason',
    when: (value) => typeof value === 'number',
    why: 'a token of the model',
  },
  {
    path: 'choices.*.message.reasoning',
    beside: (message) => isThoughtToldBeside(message, 'reasoning'),
    why: TWICE,
  },
  {
    path: 'choices.*.message.reasoning_content',
    beside: (message) => isThoughtToldBeside(message, 'reasoning_content'),
    why: TWICE,
  },
  {
    path: 'choices.*.message.reasoning_details',
    below: true,
    beside: (message) =>
      isThoughtToldBeside(message, 'reasoning_details') &&
      list(message['reasoning_details']).every(isOpen),
    why: TWICE,
  },
  {
    path: 'choices.*.message.reasoning_details.*.index',
    why: 'entries stand in their order',
  },
  {
    path: 'choices.*.message.reasoning_details.*.type',
    values: ['reasoning.text', 'reasoning.summary'],
    why: 'its words say it',
  },
  { path: 'choices.*.message.content.*.thinking.*.type', values: ['text'], why: ONLY },
  {
    path: 'choices.*.message.content.*.type',
    values: ['text'],
    beside: has('text'),
    why: 'its words say it',
  },
  {
    path: 'choices.*.message.tool_calls.*.function.arguments',
    values: ['{}'],
    why: 'a call without arguments',
  },
  {
    path: 'choices.*.message.annotations.*.url_citation.start_index',
    beside: hasNoRange,
    why: 'a citation without a range',
  },
  {
    path: 'choices.*.message.annotations.*.url_citation.end_index',
    values: [0],
    beside: hasNoRange,
    why: 'a citation without a range',
  },
  {
    path: 'choices.*.message.annotations.*.url_citation.title',
    upstream: 'generate-content',
    why: SAID,
  },
  { path: 'citations.*', when: (value, body) => named(body).includes(value ?? null), why: TWICE },
  { path: 'choices.*.message.audio.expires_at', values: [0], why: ALWAYS },
  {
    path: 'choices.*.finish_reason',
    values: ['stop', 'tool_calls', 'function_call', 'eos'],
    why: DEFAULT,
  },
  {
    path: 'choices.*.finish_reason',
    values: ['content_filter'],
    beside: ({ message }) => Boolean(member(message, 'refusal')),
    why: 'a refusal in words says it',
  },
  { path: 'choices.0', when: (_, body) => list(member(body, 'choices')).length > 1, why: AGAIN },
  { path: 'choices.*.message.tool_calls.*.type', values: ['function'], why: ONLY },
  { path: 'choices.*.message.tool_calls.*.index', why: 'calls stand in their order' },
  { path: 'choices.*.message.content', values: ['', null], why: 'no words' },
  { path: 'usage.**', when: nothing, why: COUNTED },
  { path: 'usage.total_tokens', why: SUM },
  { path: 'usage.prompt_cache_miss_tokens', why: SUM },
  {
    path: 'usage.prompt_cache_hit_tokens',
    beside: ({ prompt_tokens_details }) =>
      member(prompt_tokens_details, 'cached_tokens') !== undefined,
    why: TWICE,
  },
  {
    path: 'usage.prompt_tokens_details.cached_tokens',
    when: (_, body) => hasCached(body),
    why: TWICE,
  },
  {
    path: 'usage.prompt_tokens_details.cached_tokens',
    when: (value, body) => count(value) >= count(member(member(body, 'usage'), 'prompt_tokens')),
    why: 'what was read of a cache is no more than all that was read',
  },
  {
    path: 'usage.prompt_tokens_details.text_tokens',
    when: (value, body) => value === member(member(body, 'usage'), 'prompt_tokens'),
    why: SUM,
  },
  {
    path: 'usage.completion_tokens_details.text_tokens',
    when: (value, body) => value === member(member(body, 'usage'), 'completion_tokens'),
    why: SUM,
  },
  {
    path: 'usage.completion_tokens_details.reasoning_tokens',
    when: (value, body) => count(value) >= leftOfTotal(body),
    why: THOUGHTS,
  },
  {
    path: 'usage.completion_tokens',
    when: (value, body) => value === leftOfTotal(body),
    why: SUM,
  },
]
