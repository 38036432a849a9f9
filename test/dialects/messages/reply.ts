/** A short reply in the words of this dialect. */
export const messagesReply = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 7 },
})

/** The first event of a stream. */
export const messagesStart = {
  type: 'message_start',
  message: {
    ...messagesReply(''),
    content: [],
    stop_reason: null,
    usage: { input_tokens: 5, output_tokens: 0 },
  },
}
