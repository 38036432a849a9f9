/** A short reply in the words of this dialect, and what its candidate says beside. */
export const contentReply = <Beside extends object>(text: string, beside: Beside) => ({
  candidates: [
    { content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0, ...beside },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: 'm',
  responseId: 'r',
})
