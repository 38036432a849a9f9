import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputContent,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseStreamEvent,
  Tool as ResponsesTool,
} from 'openai/resources/responses/responses'
import type { ReasoningEffort } from 'openai/resources/shared'
import type { Ledger } from './fate.ts'

type Item = NonNullable<ResponseInputItem['type']> | ResponseOutputItem['type']

export const RESPONSES_ITEMS = {
  message: 'read',
  function_call: 'read',
  function_call_output: 'read',
  custom_tool_call: 'read',
  custom_tool_call_output: 'read',
  reasoning: 'read',
  additional_tools: 'read',
  item_reference: 'read',
  web_search_call: 'read',
  code_interpreter_call: 'read',
  image_generation_call: 'read',
  apply_patch_call: 'read',
  apply_patch_call_output: 'read',
  compaction: 'opaque',
  compaction_trigger: 'read',
  computer_call: 'read',
  computer_call_output: 'read',
  configuration_update: 'read',
  file_search_call: 'opaque',
  local_shell_call: 'read',
  local_shell_call_output: 'read',
  mcp_approval_request: 'opaque',
  mcp_approval_response: 'opaque',
  mcp_call: 'read',
  mcp_list_tools: 'read',
  program: 'opaque',
  program_output: 'opaque',
  shell_call: 'read',
  shell_call_output: 'read',
  tool_search_call: 'read',
  tool_search_output: 'read',
} as const satisfies Ledger<Item>

export const RESPONSES_TOOLS = {
  function: 'read',
  custom: 'read',
  namespace: 'read',
  web_search: 'read',
  web_search_2025_08_26: 'read',
  web_search_preview: 'read',
  web_search_preview_2025_03_11: 'read',
  code_interpreter: 'read',
  file_search: 'read',
  apply_patch: 'read',
  computer: 'read',
  computer_use_preview: 'read',
  image_generation: 'opaque',
  local_shell: 'read',
  mcp: 'read',
  programmatic_tool_calling: 'opaque',
  shell: 'read',
  tool_search: 'read',
} as const satisfies Ledger<ResponsesTool['type']>

export const RESPONSES_PARTS = {
  input_text: 'read',
  input_image: 'read',
  input_file: 'read',
  output_text: 'read',
  refusal: 'read',
} as const satisfies Ledger<
  ResponseInputContent['type'] | ResponseOutputMessage['content'][number]['type']
>

export const RESPONSES_ANNOTATIONS = {
  url_citation: 'read',
  file_citation: 'read',
  file_path: 'ext',
  container_file_citation: 'ext',
} as const satisfies Ledger<ResponseOutputText['annotations'][number]['type']>

export const RESPONSES_EFFORTS = {
  none: 'read',
  minimal: 'read',
  low: 'read',
  medium: 'read',
  high: 'read',
  xhigh: 'read',
  max: 'read',
} as const satisfies Ledger<NonNullable<ReasoningEffort>>

export const RESPONSES_STATUSES = {
  completed: 'read',
  incomplete: 'read',
  failed: 'read',
  cancelled: 'read',
  in_progress: 'read',
  queued: 'read',
} as const satisfies Ledger<NonNullable<Response['status']>>

export const INCOMPLETE_REASONS = {
  max_output_tokens: 'read',
  content_filter: 'read',
  max_messages: 'read',
  steered: 'read',
} as const satisfies Ledger<NonNullable<NonNullable<Response['incomplete_details']>['reason']>>

export const RESPONSES_MEMBERS = {
  model: 'read',
  input: 'read',
  instructions: 'read',
  stream: 'read',
  store: 'read',
  previous_response_id: 'read',
  tools: 'read',
  tool_choice: 'read',
  parallel_tool_calls: 'read',
  max_output_tokens: 'read',
  temperature: 'read',
  top_p: 'read',
  top_logprobs: 'read',
  reasoning: 'read',
  text: 'read',
  user: 'read',
  safety_identifier: 'read',
  metadata: 'read',
  service_tier: 'read',
  prompt_cache_key: 'read',
  include: 'ext',
  access_programs: 'ext',
  background: 'ext',
  background_options: 'ext',
  context_management: 'read',
  conversation: 'ext',
  image: 'ext',
  max_tool_calls: 'ext',
  moderation: 'ext',
  prompt: 'ext',
  prompt_cache_options: 'ext',
  prompt_cache_retention: 'ext',
  stream_options: 'ext',
  truncation: 'ext',
} as const satisfies Ledger<keyof ResponseCreateParamsNonStreaming>

/** Progress of hosted tools and of items that come whole when they are done. */
type Progress =
  | 'audio'
  | 'code_interpreter_call'
  | 'code_interpreter_call_code'
  | 'file_search_call'
  | 'image_generation_call'
  | 'mcp_call'
  | 'mcp_call_arguments'
  | 'mcp_list_tools'
  | 'shell_call_command'
  | 'shell_call_output_content'
  | 'web_search_call'
  | 'compaction'

export const RESPONSES_EVENTS = {
  error: 'read',
  'response.created': 'read',
  'response.in_progress': 'read',
  'response.queued': 'ignored',
  'response.completed': 'read',
  'response.incomplete': 'read',
  'response.failed': 'read',
  'response.output_item.added': 'read',
  'response.output_item.done': 'read',
  'response.content_part.added': 'read',
  'response.content_part.done': 'read',
  'response.output_text.delta': 'read',
  'response.output_text.done': 'read',
  'response.output_text.annotation.added': 'read',
  'response.refusal.delta': 'read',
  'response.refusal.done': 'read',
  'response.function_call_arguments.delta': 'read',
  'response.function_call_arguments.done': 'read',
  'response.custom_tool_call_input.delta': 'read',
  'response.custom_tool_call_input.done': 'read',
  'response.reasoning_text.delta': 'read',
  'response.reasoning_text.done': 'read',
  'response.reasoning_summary_part.added': 'read',
  'response.reasoning_summary_part.done': 'read',
  'response.reasoning_summary_text.delta': 'read',
  'response.reasoning_summary_text.done': 'read',
} as const satisfies Ledger<Exclude<ResponseStreamEvent['type'], `response.${Progress}.${string}`>>
