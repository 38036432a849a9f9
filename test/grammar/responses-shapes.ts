import type { Json } from '../../src/json/json.ts'
import {
  anyObject,
  array,
  boolean,
  both,
  count,
  either,
  empty,
  filled,
  list,
  literal,
  loose,
  matching,
  member,
  nothing,
  nullable,
  number,
  object,
  optional,
  string,
  variant,
  type Shape,
} from './shape.ts'

const id = (prefix: string) => matching(new RegExp(`^${prefix}[A-Za-z0-9_-]+$`))
const status = literal('in_progress', 'completed', 'incomplete')
const callId: Shape = matching(/^.{1,64}$/s)

const annotation = variant('type', {
  url_citation: object({ url: string, title: string, start_index: count, end_index: count }),
  file_citation: object({ file_id: string, filename: string, index: count }),
  container_file_citation: object({
    container_id: string,
    file_id: string,
    filename: string,
    start_index: count,
    end_index: count,
  }),
  file_path: object({ file_id: string, index: count }),
})

export const part = variant('type', {
  output_text: object({
    text: string,
    annotations: array(annotation),
    logprobs: loose(array(anyObject)),
  }),
  refusal: object({ refusal: string }),
})
export const emptyPart = variant('type', {
  output_text: object({ text: literal(''), annotations: empty }),
  refusal: object({ refusal: literal('') }),
})
export const summaryPart = object({ type: literal('summary_text'), text: string })
const reasoningPart = object({ type: literal('reasoning_text'), text: string })

const call = (key: string, input: Shape, extra: Record<string, Shape>) => ({
  id: id(''),
  call_id: callId,
  name: filled,
  namespace: optional(filled),
  [key]: input,
  ...extra,
})
const outputs = nullable(
  array(variant('type', { logs: object({ logs: string }), image: object({ url: string }) })),
)
const action = variant('type', {
  search: object({
    query: loose(string),
    queries: loose(array(string)),
    sources: loose(
      array(variant('type', { url: object({ url: string }), api: object({ name: string }) })),
    ),
  }),
  open_page: object({ url: loose(string) }),
  find_in_page: object({ url: loose(string), pattern: loose(string) }),
})

/** Items that the proxy passes on from an upstream of the same dialect only. */
const FOREIGN: Record<string, Shape> = {
  file_search_call: object({ id: filled, queries: array(string), status: string }),
  image_generation_call: object({ id: filled, result: nullable(string) }),
  computer_call: object({ id: filled, call_id: filled }),
  mcp_call: object({ id: filled, name: string, arguments: string, server_label: string }),
  mcp_list_tools: object({ id: filled, server_label: string, tools: array(anyObject) }),
  mcp_approval_request: object({ id: filled, name: string, arguments: string }),
  local_shell_call: object({ id: filled, call_id: filled, action: anyObject }),
  shell_call: object({ id: filled, call_id: filled, action: anyObject }),
  shell_call_output: object({ id: filled, call_id: filled, output: array(anyObject) }),
  apply_patch_call: object({ id: filled, call_id: filled, operation: anyObject }),
  compaction: object({ id: filled, encrypted_content: string }),
  tool_search_call: object({ id: filled }),
  tool_search_output: object({ id: filled }),
}

/** An item as its `added` event shows it: there, but without its contents. */
export const addedItem = variant('type', {
  ...FOREIGN,
  message: object({
    id: id('msg_'),
    role: literal('assistant'),
    status: literal('in_progress'),
    content: empty,
  }),
  function_call: object(
    call('arguments', literal(''), { status: literal('in_progress'), id: id('fc_') }),
  ),
  custom_tool_call: object(call('input', literal(''), { id: id('ctc_') })),
  reasoning: object({ id: id('rs_'), summary: empty }),
  // openai-java 4.101 demands the action where it validates replies.
  web_search_call: object({ id: id('ws_'), status, action }),
  code_interpreter_call: object({
    id: id('ci_'),
    code: either(literal(''), nothing),
    container_id: string,
    outputs,
    status: string,
  }),
})

/** An item when it is complete. */
export const doneItem = variant('type', {
  ...FOREIGN,
  message: object({ id: id('msg_'), role: literal('assistant'), status, content: array(part) }),
  function_call: object(call('arguments', string, { status, id: id('fc_') })),
  custom_tool_call: object(call('input', string, { status: literal('completed'), id: id('ctc_') })),
  reasoning: object({
    id: id('rs_'),
    summary: array(summaryPart),
    content: loose(array(reasoningPart)),
    encrypted_content: loose(filled),
    status: loose(status),
  }),
  web_search_call: object({ id: id('ws_'), status: string, action }),
  code_interpreter_call: object({
    id: id('ci_'),
    code: nullable(string),
    container_id: string,
    outputs,
    status: string,
  }),
})

const usage: Shape = both(
  object({
    input_tokens: count,
    input_tokens_details: object({ cached_tokens: count }),
    output_tokens: count,
    output_tokens_details: object({ reasoning_tokens: count }),
    total_tokens: count,
  }),
  (value, path) =>
    Number(member(value, 'input_tokens')) + Number(member(value, 'output_tokens')) ===
    member(value, 'total_tokens')
      ? undefined
      : `${path}.total_tokens: is not the sum`,
)

const tool: Shape = (value, path) =>
  member(value, 'type') === 'function'
    ? object({ name: filled, parameters: nullable(anyObject), strict: nullable(boolean) })(
        value,
        path,
      )
    : object({ type: filled })(value, path)

/** The members that every snapshot of a response has. */
const SNAPSHOT: Record<string, Shape> = {
  id: id('resp_'),
  object: literal('response'),
  created_at: count,
  model: string,
  instructions: nullable(either(string, array(anyObject))),
  max_output_tokens: nullable(count),
  parallel_tool_calls: boolean,
  previous_response_id: nullable(string),
  reasoning: object({ effort: nullable(string), summary: nullable(string) }),
  store: boolean,
  temperature: nullable(number),
  text: object({ format: object({ type: literal('text', 'json_schema', 'json_object') }) }),
  tool_choice: either(literal('none', 'auto', 'required'), object({ type: filled })),
  tools: array(tool),
  top_p: nullable(number),
  truncation: literal('auto', 'disabled'),
  user: nullable(string),
  metadata: nullable(anyObject),
}

export const running = object({
  ...SNAPSHOT,
  status: literal('in_progress'),
  output: empty,
  usage: nothing,
  error: nothing,
  incomplete_details: nothing,
})

const final = { ...SNAPSHOT, output: array(doneItem) }

/** The final snapshot for each terminal event. */
export const TERMINAL: Record<string, Shape> = {
  completed: object({
    ...final,
    status: literal('completed'),
    usage,
    error: nothing,
    incomplete_details: nothing,
  }),
  incomplete: object({
    ...final,
    status: literal('incomplete'),
    usage,
    error: nothing,
    incomplete_details: object({ reason: literal('max_output_tokens', 'content_filter') }),
  }),
  failed: object({
    ...final,
    status: literal('failed'),
    usage: nullable(usage),
    error: object({ code: filled, message: string }),
    incomplete_details: nothing,
  }),
}

/** Ids and call ids are unique within a reply. */
export function duplicate(output: Json | undefined): string | undefined {
  const seen = new Set<string>()
  for (const item of list(output))
    for (const key of ['id', 'call_id']) {
      const value = member(item, key)
      if (typeof value !== 'string') continue
      const name = `${key === 'id' ? key : String(member(item, 'type'))} ${value}`
      if (seen.has(name)) return `output: ${name} occurs twice`
      seen.add(name)
    }
  return undefined
}
