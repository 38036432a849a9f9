/** A reply of these items, and one that only says something. */
export const responsesItems = <Items extends readonly object[]>(...output: Items) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
})

export const responsesReply = (text: string) =>
  responsesItems({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  })
