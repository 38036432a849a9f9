import { createAnthropic } from '@ai-sdk/anthropic'
import { validate } from '../../../adapters/messages/wire.ts'
import { anthropicClient, anthropicDriver } from '../../sdk/driver-anthropic.ts'
import { FROM_MESSAGES } from '../../sdk/odd-messages.ts'
import { ODD_REPLIES } from '../../sdk/odd-replies-messages.ts'
import { MODEL } from '../../sdk/script.ts'
import { BASE, CALLER_KEY } from '../../sdk/stage.ts'
import { checkRequest } from '../../wire/zod-messages.ts'
import { gathered, type Official } from './official.ts'
import { rare } from './rare-messages.ts'

const makeMessages = (content: string) => [{ role: 'user' as const, content }]

export const messages: Official = {
  driver: anthropicDriver,
  provider: {
    name: '@ai-sdk/anthropic',
    asked: 'claude-sonnet-4-5',
    model: ({ fetch }) =>
      createAnthropic({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch })('claude-sonnet-4-5'),
  },
  async ask(staged, maxRetries) {
    const body = { model: 'claude-opus-4-8', max_tokens: 99, messages: makeMessages('Hello') }
    const { content } = await anthropicClient(staged, maxRetries).messages.create(body)
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  },
  repeats: true,
  async iterate(staged) {
    const body = { model: MODEL, max_tokens: 9, messages: makeMessages('x') }
    return gathered(await anthropicClient(staged).messages.create({ ...body, stream: true }))
  },
  oddRequests: FROM_MESSAGES,
  oddReplies: ODD_REPLIES,
  wire: {
    shapes: (body, counting) => validate(body, counting ? 'count-tokens' : 'create'),
    schemas: checkRequest,
    prepare: (body) => body,
    rare,
  },
}
