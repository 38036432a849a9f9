import type { JsonObject } from '../../../src/json/json.ts'

/** A correct stream, written by hand. */
export const correctStream: JsonObject[] = [
  {
    candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, index: 0 }],
    modelVersion: 'm',
    responseId: 'r',
  },
  {
    candidates: [
      {
        content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        index: 0,
        finishReason: 'STOP',
      },
    ],
    modelVersion: 'm',
    responseId: 'r',
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
  },
]
