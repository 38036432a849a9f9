import { member } from '../../grammar/shape.ts'
import { isType, type Entry } from '../../replay/noop.ts'
import {
  ALWAYS,
  COUNTED,
  DEFAULT,
  NAMED,
  ONLY,
  OWN_ID,
  SAID,
  nothing,
} from '../../replay/reasons.ts'

export const replyNoOps: Entry[] = [
  { path: 'id', upstream: 'responses', why: OWN_ID },
  { path: 'model', why: NAMED },
  { path: 'type', why: ONLY },
  { path: 'role', why: ONLY },
  { path: 'stop_reason', values: ['end_turn', 'tool_use'], why: DEFAULT },
  { path: 'content.*', when: (value) => member(value, 'text') === '', why: 'no words' },
  { path: 'content.*.caller', values: [{ type: 'direct' }], why: DEFAULT },
  { path: 'content.*.caller.type', values: ['direct'], why: DEFAULT },
  {
    path: 'content.*.id',
    upstream: 'responses',
    beside: isType('server_tool_use'),
    why: OWN_ID,
  },
  {
    path: 'content.*.tool_use_id',
    upstream: 'responses',
    why: 'a result stands behind what it is of',
  },
  {
    path: 'content.*.name',
    upstream: 'responses',
    values: ['tool_search_tool_bm25', 'tool_search_tool_regex'],
    why: 'which search finds a tool is left to the service',
  },
  { path: 'content.*.content.tool_references.*.type', values: ['tool_reference'], why: ONLY },
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
