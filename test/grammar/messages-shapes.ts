import {
  any,
  anyObject,
  array,
  boolean,
  count,
  either,
  empty,
  emptyObject,
  exactly,
  filled,
  literal,
  loose,
  matching,
  nothing,
  nullable,
  number,
  object,
  optional,
  string,
  variant,
  type Shape,
} from './shape.ts'

const usage = object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
})

const stopReason = literal(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
)

const document = { document_index: count, document_title: nullable(string), file_id: loose(string) }
const citation = variant('type', {
  web_search_result_location: object({
    cited_text: string,
    url: string,
    title: nullable(string),
    encrypted_index: string,
  }),
  page_location: object({
    cited_text: string,
    ...document,
    start_page_number: count,
    end_page_number: count,
  }),
  char_location: object({
    cited_text: string,
    ...document,
    start_char_index: count,
    end_char_index: count,
  }),
  content_block_location: object({
    cited_text: string,
    ...document,
    start_block_index: count,
    end_block_index: count,
  }),
  search_result_location: object({
    cited_text: string,
    search_result_index: count,
    source: string,
    title: nullable(string),
    start_block_index: count,
    end_block_index: count,
  }),
})

const toolId = matching(/^[a-zA-Z0-9_-]+$/)
const outcome = (type: string, extra: Record<string, Shape>) =>
  object({
    tool_use_id: toolId,
    content: variant('type', {
      [`${type}_result`]: object({ stdout: string, stderr: string, return_code: number, ...extra }),
      [`${type}_tool_result_error`]: object({ error_code: string }),
    }),
  })
const searchResult = object({
  type: literal('web_search_result'),
  url: string,
  title: nullable(string),
  encrypted_content: string,
  page_age: loose(string),
})
const failure = (type: string) => object({ type: literal(type), error_code: string })

/** All types of the official libraries have it; anthropic-java 3.14 demands it of results where it validates replies. */
const caller = object({ type: filled })

/** Blocks that look the same in a stream's start event and in a whole reply. */
const WHOLE: Record<string, Shape> = {
  redacted_thinking: object({ data: filled }),
  web_search_tool_result: object({
    caller,
    tool_use_id: toolId,
    content: either(array(searchResult), failure('web_search_tool_result_error')),
  }),
  web_fetch_tool_result: object({
    caller,
    tool_use_id: toolId,
    content: either(
      object({ type: literal('web_fetch_result'), url: string, content: anyObject }),
      failure('web_fetch_tool_result_error'),
    ),
  }),
  code_execution_tool_result: outcome('code_execution', { content: optional(array(anyObject)) }),
  bash_code_execution_tool_result: outcome('bash_code_execution', { content: array(anyObject) }),
  text_editor_code_execution_tool_result: object({ tool_use_id: toolId, content: anyObject }),
  tool_search_tool_result: object({ tool_use_id: toolId, content: anyObject }),
  mcp_tool_use: object({ id: toolId, name: string, input: any, server_name: string }),
  mcp_tool_result: object({ tool_use_id: toolId, is_error: boolean, content: any }),
  container_upload: object({ file_id: string }),
  compaction: object({ content: nullable(string), encrypted_content: nullable(string) }),
}

const callShape = (input: Shape, more: Record<string, Shape> = {}) =>
  object({ id: toolId, name: filled, input, ...more })

export const blockStart = variant('type', {
  ...WHOLE,
  text: object({ text: literal(''), citations: loose(empty) }),
  thinking: exactly({ type: any, thinking: literal(''), signature: literal('') }),
  tool_use: callShape(emptyObject),
  server_tool_use: callShape(emptyObject, { caller }),
})

const wholeBlock = variant('type', {
  ...WHOLE,
  text: object({ text: string, citations: loose(array(citation)) }),
  thinking: object({ thinking: string, signature: string }),
  tool_use: callShape(anyObject),
  server_tool_use: callShape(anyObject, { caller }),
})

const envelope = { id: filled, type: literal('message'), role: literal('assistant'), model: string }

export const startShape = object({
  message: object({
    ...envelope,
    content: empty,
    stop_reason: nothing,
    stop_sequence: nothing,
    usage,
  }),
})

export const bodyShape = object({
  ...envelope,
  content: array(wholeBlock),
  stop_reason: stopReason,
  stop_sequence: nullable(string),
  usage,
})

/** Which deltas a block takes. */
export const DELTAS: Record<string, Record<string, Shape>> = {
  text: { text_delta: object({ text: filled }), citations_delta: object({ citation }) },
  thinking: {
    thinking_delta: object({ thinking: filled }),
    signature_delta: object({ signature: filled }),
  },
  tool_use: { input_json_delta: object({ partial_json: string }) },
  server_tool_use: { input_json_delta: object({ partial_json: string }) },
  mcp_tool_use: { input_json_delta: object({ partial_json: string }) },
}

export const deltaShape = object({
  delta: exactly({
    stop_reason: stopReason,
    stop_sequence: nullable(string),
    stop_details: loose(anyObject),
    container: loose(anyObject),
  }),
  usage: object({
    output_tokens: count,
    input_tokens: loose(count),
    cache_creation_input_tokens: loose(count),
    cache_read_input_tokens: loose(count),
  }),
})

export const errorShape = object({ error: object({ type: filled, message: string }) })
