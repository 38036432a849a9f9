import { REPLIES } from '../../../scripts/words/wires.ts'
import type { Json, JsonObject } from '../../../src/json/json.ts'
import { list, member } from '../../grammar/shape.ts'
import { has, isType, type Entry } from '../../replay/noop.ts'
import {
  ALWAYS,
  COUNTED,
  DEFAULT,
  NAMED,
  ONLY,
  OWN_ID,
  SAID,
  SUM,
  nothing,
} from '../../replay/reasons.ts'

export const replyNoOps: Entry[] = [
  ...(REPLIES.responses.echo ?? []).map((path) => ({
    path,
    below: true as const,
    why: 'what was asked is said again',
  })),
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
  {
    path: 'output.*.tools',
    below: true,
    beside: isType('tool_search_output'),
    why: 'tools that the caller defined, or that it does not offer, which is reported',
  },
  ...['chat-completions', 'generate-content'].map((upstream) => ({
    path: 'output.*.arguments',
    upstream,
    below: true as const,
    beside: (parent: JsonObject) =>
      parent['type'] === 'tool_search_call' && parent['execution'] === 'server',
    why: 'how the service searched is part of the search, which is reported as lost',
  })),
  { path: 'service_tier', values: ['default', 'auto'], why: ALWAYS },
  {
    path: 'tool_usage.web_search.num_requests',
    why: 'reported once, however often the service searched',
  },
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
  ...['generate-content', 'chat-completions'].map((upstream) => ({
    path: 'output.*.content.*.annotations.*.end_index',
    upstream,
    why: 'beyond the text, there is no such place',
  })),
  { path: 'output.*.error.type', why: 'its message says what went wrong' },
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
