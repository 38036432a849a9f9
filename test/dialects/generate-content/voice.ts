import { isObject, type JsonObject } from '../../../src/json/json.ts'
import { hasText, sse, type Voice } from '../voice.ts'

const part = (text: string, more: JsonObject = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  modelVersion: 'm',
  responseId: 'r_1',
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
})
const failure = { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }

export const voice: Voice = {
  dialect: 'generate-content',
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  request: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  opening: sse(part('Hel')),
  half: 'data: {"candidates": [{"content": {"par',
  closing: sse(part('lo', { finishReason: 'STOP' })),
  whole: JSON.stringify(part('Hello', { finishReason: 'STOP' })),
  failure: sse(failure),
  refusal: JSON.stringify({ error: { code: 400, message: 'the words of it', status: 'X' } }),
  isTerminal: (event) => /"(?:finishReason|blockReason)":/.test(JSON.stringify(event)),
  isError: (event) => isObject(event['error']),
  isProblem: ({ error }, status) =>
    isObject(error) &&
    error['code'] === status &&
    hasText(error['message']) &&
    hasText(error['status']),
}
