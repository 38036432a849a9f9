import type { Json } from '../../../src/json/json.ts'

/** Legal requests with what no fixture has. */
export const rare: Json[] = [
  {
    model: 'm',
    max_tokens: 2000,
    metadata: { user_id: 'u' },
    stop_sequences: ['x'],
    stream: true,
    temperature: 1,
    top_p: 1,
    top_k: 1,
    service_tier: 'auto',
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tool_choice: { type: 'tool', name: 'f' },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } },
    output_format: { type: 'json_schema', schema: {} },
    cache_control: { type: 'ephemeral', ttl: '5m' },
    system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    tools: [
      {
        name: 'f',
        description: 'x',
        input_schema: {},
        strict: true,
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
      { type: 'custom', name: 'g', input_schema: {} },
      { type: 'future_20300101', name: 'h' },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
          { type: 'image', source: { type: 'url', url: 'https://a.example/' } },
          { type: 'document', source: { type: 'file', file_id: 'f' } },
          { type: 'document', source: { type: 'text', data: 'x' }, cache_control: null },
          { type: 'search_result', source: 's', title: 't', content: [{ type: 'text' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x', signature: 'AA==' },
          { type: 'redacted_thinking', data: 'AA==' },
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'tool_use', id: 't', name: 'f', input: {}, cache_control: null },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't',
            is_error: false,
            cache_control: null,
            content: [
              { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } },
              { type: 'image', source: { type: 'file', file_id: 'f' } },
            ],
          },
        ],
      },
    ],
  },
]
