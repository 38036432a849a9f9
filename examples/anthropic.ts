/** The SDK of Anthropic without a server: it speaks its own format, and the configuration says which one goes out. */
import Anthropic from '@anthropic-ai/sdk'
import { createApp } from 'dragoman'
import { config } from './config.ts'

const { fetch } = createApp({ ...config, callers: 'open' })
const client = new Anthropic({ apiKey: 'unused', fetch })

const messages = [{ role: 'user' as const, content: 'Hello' }]
const reply = await client.messages.create({ model: 'any', max_tokens: 256, messages })
console.log(reply.content)

for await (const event of client.messages.stream({ model: 'any', max_tokens: 256, messages }))
  if (event.type === 'content_block_delta') console.log(event.delta)
