import type { JsonObject } from '../../../src/json/json.ts'

/** A reply with whatever the service may say besides. */
export const fullReply: JsonObject = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  service_tier: 'flex',
  moderation: { flagged: true },
  conversation: { id: 'conv_1' },
  tool_usage: { web_search: { num_requests: 1 } },
  output: [
    {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      content: [{ type: 'reasoning_text', text: 'Hm, hm.' }],
      encrypted_content: 'enc',
    },
    {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: {
        type: 'search',
        query: 'sky',
        sources: [
          { type: 'url', url: 'https://a.example' },
          { type: 'api', name: 'weather' },
        ],
      },
    },
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      phase: 'commentary',
      author: 'agent-1',
      content: [
        {
          type: 'output_text',
          text: 'Blue.',
          annotations: [
            {
              type: 'container_file_citation',
              container_id: 'cntr_1',
              file_id: 'cfile_1',
              filename: 'a.png',
              start_index: 0,
              end_index: 4,
            },
          ],
          logprobs: [{ token: 'Blue', logprob: -0.5, bytes: [66], top_logprobs: [] }],
        },
        { type: 'output_audio', data: 'aGFsbG8=', transcript: 'Blue.' },
      ],
    },
    {
      id: 'ig_1',
      type: 'image_generation_call',
      status: 'completed',
      result: 'aGFsbG8=',
      revised_prompt: 'a blue sky',
      size: '1024x1024',
    },
    {
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'f',
      arguments: '{"a":1}',
      caller: { type: 'program', caller_id: 'call_0' },
    },
    {
      id: 'mcpl_1',
      type: 'mcp_list_tools',
      server_label: 's',
      tools: [{ name: 'g', description: 'Gets.', input_schema: { type: 'object' } }],
    },
    { id: 'mcp_1', type: 'mcp_call', name: 'g', server_label: 's', arguments: '{}', output: 'x' },
  ],
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 3, audio_tokens: 2 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 30,
    cost: 0.25,
  },
}
