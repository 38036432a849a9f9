import { createOpenAI } from '@ai-sdk/openai'
import * as wire from '../../../adapters/responses/wire.ts'
import { openaiClient, openaiDriver } from '../../sdk/driver-openai.ts'
import { FROM_RESPONSES } from '../../sdk/odd-responses.ts'
import { ODD_REPLIES } from '../../sdk/odd-replies-responses.ts'
import { MODEL } from '../../sdk/script.ts'
import { BASE, CALLER_KEY } from '../../sdk/stage.ts'
import { checkRequest } from '../../wire/zod-responses.ts'
import { gathered, type Official } from './official.ts'
import { rare } from './rare-responses.ts'

export const responses: Official = {
  driver: openaiDriver,
  provider: {
    name: '@ai-sdk/openai',
    asked: 'gpt-5',
    model: ({ fetch }) =>
      createOpenAI({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch })('gpt-5'),
  },
  async ask(staged, maxRetries) {
    const api = openaiClient(staged, maxRetries).responses
    return (await api.create({ model: 'gpt-5', input: 'Hello' })).output_text
  },
  repeats: true,
  iterate: async (staged) =>
    gathered(
      await openaiClient(staged).responses.create({ model: MODEL, input: 'x', stream: true }),
    ),
  oddRequests: FROM_RESPONSES,
  oddReplies: ODD_REPLIES,
  wire: {
    shapes: wire.checkRequest,
    schemas: checkRequest,
    prepare: (body) => body,
    rare,
  },
}
