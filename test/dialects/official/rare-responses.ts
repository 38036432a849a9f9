import type { Json } from '../../../src/json/json.ts'

/** Legal requests with what no fixture has. */
export const rare: Json[] = [
  {
    model: 'm',
    instructions: 'x',
    parallel_tool_calls: true,
    previous_response_id: 'r',
    reasoning: { effort: 'low', summary: 'auto', generate_summary: 'auto' },
    text: {
      format: { type: 'json_schema', name: 'f', schema: {}, description: 'x', strict: true },
    },
    tool_choice: { type: 'function', name: 'f' },
    include: ['x'],
    max_output_tokens: 1,
    metadata: { a: 'x' },
    prompt_cache_key: 'x',
    safety_identifier: 'x',
    service_tier: 'auto',
    store: true,
    stream: true,
    temperature: 2,
    top_p: 1,
    top_logprobs: 1,
    truncation: 'auto',
    user: 'x',
    tools: [
      { type: 'function', name: 'f', description: 'x', parameters: {}, strict: true },
      { type: 'custom', name: 'c', description: 'x', format: { type: 'text' } },
      {
        type: 'namespace',
        name: 'n',
        tools: [
          { type: 'function', name: 'f', parameters: null },
          { type: 'namespace', name: 'o', tools: [{ type: 'custom', name: 'd' }] },
        ],
      },
      {
        type: 'file_search',
        vector_store_ids: ['v'],
        max_num_results: 50,
        ranking_options: { score_threshold: 1 },
      },
    ],
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', file_id: 'f', detail: 'low' },
          { type: 'input_file', file_id: 'f', file_data: 'x', file_url: 'x', filename: 'x' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ],
      },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'x', annotations: [{}] },
          { type: 'refusal', refusal: 'x' },
        ],
      },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}', namespace: 'n' },
      { type: 'custom_tool_call', call_id: 'b', name: 'c', input: 'x', namespace: 'n' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [{ type: 'input_text', text: '' }],
      },
      { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'future' }] },
      { type: 'reasoning', summary: [{ text: 'x' }], encrypted_content: 'AA==' },
      { type: 'web_search_call', action: {} },
      { type: 'code_interpreter_call', id: 'x', code: 'x', outputs: [{}] },
      { type: 'additional_tools', tools: [{ type: 'function', name: 'f', strict: true }] },
    ],
  },
]
