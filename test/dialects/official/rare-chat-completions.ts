import type { Json } from '../../../src/json/json.ts'

/** Legal requests with what no fixture has. */
export const rare: Json[] = [
  {
    model: 'm',
    max_tokens: 1,
    max_completion_tokens: 1,
    temperature: 1,
    top_p: 1,
    n: 1,
    stop: ['x'],
    seed: 1,
    presence_penalty: 1,
    frequency_penalty: 1,
    logprobs: true,
    top_logprobs: 1,
    parallel_tool_calls: true,
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: 'low',
    user: 'x',
    store: true,
    response_format: { type: 'json_schema', json_schema: { name: 'f', schema: {}, strict: true } },
    tools: [
      { type: 'function', function: { name: 'f', description: 'x', parameters: {}, strict: true } },
      { type: 'custom', custom: { name: 'c', description: 'x' } },
    ],
    functions: [{ name: 'g', description: 'x', parameters: {} }],
    messages: [
      { role: 'system', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'https://a.example', detail: 'low' } },
          { type: 'image_url', image_url: 'https://a.example' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'file', file: { file_data: 'AA==', filename: 'x', file_id: 'f' } },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'x' }],
        refusal: 'x',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'b', type: 'custom', custom: { name: 'c', input: 'x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'x' }] },
      { role: 'function', name: 'g', content: 'x' },
    ],
  },
]
