import { isObject, type JsonObject } from '../../../src/json/json.ts'
import { sse, type Voice } from '../voice.ts'
import { isOpenAiProblem, OPENAI_REFUSAL } from '../openai-refusals.ts'

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
})
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

export const voice: Voice = {
  dialect: 'chat-completions',
  path: () => '/v1/chat/completions',
  request: (model, stream) => ({
    model,
    stream,
    messages: [{ role: 'user', content: 'Hello' }],
  }),
  opening: sse(chunk({ role: 'assistant', content: '' })) + sse(chunk({ content: 'Hel' })),
  half: 'data: {"id":"chatcmpl-1","object":"chat.comp',
  closing:
    sse(chunk({ content: 'lo' })) +
    sse(chunk({}, 'stop')) +
    sse({ ...head, choices: [], usage }) +
    'data: [DONE]\n\n',
  whole: JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
  failure: sse({ error: { message: 'busy', type: 'server_error', param: null, code: null } }),
  refusal: OPENAI_REFUSAL,
  isTerminal: ({ choices }) =>
    Array.isArray(choices) &&
    choices.some((choice) => isObject(choice) && typeof choice['finish_reason'] === 'string'),
  isError: ({ error }) => isObject(error),
  isProblem: isOpenAiProblem,
}
