import type { JsonObject } from '../../../src/json/json.ts'

/** A reply with whatever the service may say besides. */
export const fullReply: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
    {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: { query: 'sky' },
      caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_0' },
    },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [
        {
          type: 'web_search_result',
          url: 'https://a.example',
          title: 'A',
          encrypted_content: 'enc',
          page_age: '2 days',
        },
      ],
    },
    {
      type: 'text',
      text: 'Blue.',
      citations: [
        {
          type: 'web_search_result_location',
          cited_text: 'it is blue',
          url: 'https://a.example',
          title: 'A',
          encrypted_index: 'idx',
        },
      ],
    },
    { type: 'container_upload', file_id: 'file_1' },
    {
      type: 'mcp_tool_listing',
      mcp_server_name: 's',
      tools: [{ name: 'g', description: 'Gets.', input_schema: { type: 'object' } }],
    },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  stop_details: { type: 'refusal', category: 'cyber', explanation: 'no' },
  container: { id: 'container_1', expires_at: '2026-08-15T06:28:14Z' },
  context_management: { applied_edits: [{ type: 'clear_tool_uses_20250919' }] },
  usage: {
    input_tokens: 10,
    output_tokens: 20,
    cache_creation_input_tokens: 5,
    cache_read_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 },
    output_tokens_details: { thinking_tokens: 3 },
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    service_tier: 'priority',
    inference_geo: 'us',
  },
}
