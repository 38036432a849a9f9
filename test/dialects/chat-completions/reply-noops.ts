import type { Entry } from '../../replay/noop.ts'
import {
  ALWAYS,
  COUNTED,
  DEFAULT,
  NAMED,
  nothing,
  ONLY,
  OWN_ID,
  SUM,
} from '../../replay/reasons.ts'

export const replyNoOps: Entry[] = [
  { path: 'id', upstream: 'responses', why: OWN_ID },
  { path: 'model', why: NAMED },
  { path: 'object', why: ONLY },
  { path: 'created', why: 'the reply is told when it is told' },
  { path: 'system_fingerprint', why: 'says which machine it was' },
  { path: 'service_tier', values: ['default', 'auto', 'on_demand'], why: ALWAYS },
  { path: 'obfuscation', why: 'padding' },
  { path: 'choices.*.index', why: ONLY },
  { path: 'choices.*.message.role', why: ONLY },
  { path: 'choices.*.message.delta', why: 'the same again' },
  { path: 'choices.*.finish_reason', values: ['stop', 'tool_calls'], why: DEFAULT },
  { path: 'choices.*.message.tool_calls.*.type', values: ['function'], why: ONLY },
  { path: 'choices.*.message.tool_calls.*.index', why: 'calls stand in their order' },
  { path: 'choices.*.message.content', values: ['', null], why: 'no words' },
  { path: 'usage.**', when: nothing, why: COUNTED },
  { path: 'usage.total_tokens', why: SUM },
]
