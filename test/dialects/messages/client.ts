import { list, objects, post, typed, type Client } from '../client.ts'

export const client: Client = {
  incoming: () => post('/v1/messages'),
  headers: { get: (name) => (name === 'anthropic-version' ? '2023-06-01' : null) },
  request: (model, text) => ({
    model,
    max_tokens: 9000,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  }),
  followUp(request, reply) {
    const results = typed(objects(reply['content']), 'tool_use').map((call) => ({
      type: 'tool_result',
      tool_use_id: call['id'] ?? '',
      content: [{ type: 'text', text: 'done' }],
    }))
    const next = results.length > 0 ? results : [{ type: 'text', text: 'go on' }]
    return {
      ...request,
      messages: [
        ...list(request['messages']),
        { role: 'assistant', content: reply['content'] ?? [] },
        { role: 'user', content: next },
      ],
    }
  },
  history: (request) => list(request['messages']),
  restless: [{}, { tool_choice: { type: 'none' } }, { max_tokens: 5000 }, { temperature: 1 }],
  firstThought: 'messages.1.content.0',
  isTerminal: (frame) => /"type":\s*"message_stop"/.test(frame.data),
}
