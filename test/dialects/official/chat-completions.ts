import { createOpenAI } from '@ai-sdk/openai'
import * as wire from '../../../adapters/chat-completions/wire.ts'
import { chatDriver } from '../../sdk/driver-chat-completions.ts'
import { openaiClient } from '../../sdk/driver-openai.ts'
import { FROM_CHAT_COMPLETIONS } from '../../sdk/odd-chat-completions.ts'
import { ODD_REPLIES } from '../../sdk/odd-replies-chat-completions.ts'
import { MODEL } from '../../sdk/script.ts'
import { BASE, CALLER_KEY } from '../../sdk/stage.ts'
import { checkRequest } from '../../wire/zod-chat-completions.ts'
import { gathered, type Official } from './official.ts'
import { rare } from './rare-chat-completions.ts'

const hello = { messages: [{ role: 'user' as const, content: 'Hello' }] }

export const chatCompletions: Official = {
  driver: chatDriver,
  provider: {
    name: '@ai-sdk/openai, chat',
    asked: 'gpt-4o',
    // @ai-sdk/openai 4.0.118: its reader of chat knows neither `reasoning_content` nor `reasoning_details`.
    forgetsThoughts: true,
    model: ({ fetch }) =>
      createOpenAI({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch }).chat('gpt-4o'),
  },
  async ask(staged, maxRetries) {
    const api = openaiClient(staged, maxRetries).chat.completions
    const { choices } = await api.create({ model: 'gpt-4o', ...hello })
    return choices[0]?.message.content ?? undefined
  },
  repeats: true,
  iterate: async (staged) =>
    gathered(
      await openaiClient(staged).chat.completions.create({ model: MODEL, ...hello, stream: true }),
    ),
  oddRequests: FROM_CHAT_COMPLETIONS,
  oddReplies: ODD_REPLIES,
  wire: {
    shapes: wire.validate,
    schemas: checkRequest,
    prepare: (body) => body,
    rare,
  },
}
