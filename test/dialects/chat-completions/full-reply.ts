import type { JsonObject } from '../../../src/json/json.ts'

/** A reply with whatever services may say besides. */
export const fullReply: JsonObject = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'flex',
  provider: 'Somebody',
  moderation: { flagged: true },
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      logprobs: { content: [{ token: 'Blue', logprob: -0.5, bytes: [66], top_logprobs: [] }] },
      message: {
        role: 'assistant',
        content: 'Blue.',
        refusal: null,
        reasoning_content: 'Hm.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'a-v1', index: 0 },
        ],
        annotations: [
          {
            type: 'url_citation',
            url_citation: { start_index: 0, end_index: 4, title: 'A', url: 'https://a.example' },
          },
        ],
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        ],
      },
    },
  ],
  usage: {
    prompt_tokens: 9,
    completion_tokens: 8,
    total_tokens: 17,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 3, accepted_prediction_tokens: 2 },
  },
}
