import { list, none, objects, post, type Client } from '../client.ts'

const RESULTS: Record<string, string> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
}

export const client: Client = {
  incoming: () => post('/v1/responses'),
  headers: none,
  request: (model, text) => ({
    model,
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
  }),
  followUp(request, reply) {
    const output = objects(reply['output'])
    const results = output.flatMap((item) => {
      const type = RESULTS[String(item['type'])]
      return type === undefined ? [] : [{ type, call_id: item['call_id'] ?? '', output: 'done' }]
    })
    const user = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'go on' }],
    }
    const input = request['input']
    const before =
      typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : list(input)
    return { ...request, input: [...before, ...output, ...(results.length > 0 ? results : [user])] }
  },
  history: (request) => list(request['input']),
  restless: [{}, { tool_choice: 'none' }, { reasoning: { effort: 'low' } }, { metadata: {} }],
  firstThought: 'input[1]',
  isTerminal: (frame) => /"type":\s*"response\.(?:completed|incomplete|failed)"/.test(frame.data),
}
