import type Anthropic from '@anthropic-ai/sdk'
import type { Ledger } from './fate.ts'

type Beta = Anthropic.Beta.BetaContentBlock | Anthropic.Beta.BetaContentBlockParam

export const MESSAGES_BLOCKS = {
  text: 'read',
  image: 'read',
  document: 'read',
  search_result: 'read',
  thinking: 'read',
  redacted_thinking: 'read',
  tool_use: 'read',
  tool_result: 'read',
  server_tool_use: 'read',
  web_search_tool_result: 'read',
  code_execution_tool_result: 'read',
  bash_code_execution_tool_result: 'read',
  text_editor_code_execution_tool_result: 'opaque',
  web_fetch_tool_result: 'opaque',
  tool_search_tool_result: 'read',
  container_upload: 'opaque',
  mcp_tool_use: 'read',
  mcp_tool_result: 'opaque',
  mcp_tool_listing: 'read',
  advisor_tool_result: 'opaque',
  compaction: 'opaque',
  fallback: 'opaque',
  tool_addition: 'opaque',
  tool_removal: 'opaque',
} as const satisfies Ledger<Beta['type']>

export const MESSAGES_STOP_REASONS = {
  end_turn: 'read',
  max_tokens: 'read',
  stop_sequence: 'read',
  tool_use: 'read',
  pause_turn: 'read',
  refusal: 'read',
  model_context_window_exceeded: 'read',
  compaction: 'read',
} as const satisfies Ledger<Anthropic.Beta.BetaStopReason>

export const MESSAGES_EVENTS = {
  message_start: 'read',
  message_delta: 'read',
  message_stop: 'read',
  content_block_start: 'read',
  content_block_delta: 'read',
  content_block_stop: 'read',
} as const satisfies Ledger<Anthropic.Beta.BetaRawMessageStreamEvent['type']>

export const MESSAGES_DELTAS = {
  text_delta: 'read',
  input_json_delta: 'read',
  citations_delta: 'read',
  thinking_delta: 'read',
  signature_delta: 'read',
  compaction_delta: 'opaque',
} as const satisfies Ledger<Anthropic.Beta.BetaRawContentBlockDelta['type']>

export const MESSAGES_MEMBERS = {
  model: 'read',
  max_tokens: 'read',
  messages: 'read',
  system: 'read',
  stream: 'read',
  stop_sequences: 'read',
  tools: 'read',
  tool_choice: 'read',
  thinking: 'read',
  output_config: 'read',
  metadata: 'read',
  service_tier: 'read',
  cache_control: 'ext',
  container: 'ext',
  diagnostics: 'ext',
  inference_geo: 'ext',
  speed: 'read',
  // They travel as headers.
  user_profile_id: 'ext',
  workspace_id: 'ext',
} as const satisfies Ledger<keyof Anthropic.MessageCreateParamsNonStreaming>
