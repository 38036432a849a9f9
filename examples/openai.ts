/** The SDK of OpenAI without a server; what was said before is remembered over any upstream. */
import { createApp } from 'dragoman'
import OpenAI from 'openai'
import { config } from './config.ts'

const { fetch } = createApp({ ...config, callers: 'open' })
const client = new OpenAI({ apiKey: 'unused', fetch })

const first = await client.responses.create({ model: 'any', input: 'Hello' })
console.log(first.output_text)

const stream = await client.responses.create({
  model: 'any',
  input: 'Hello again',
  previous_response_id: first.id,
  stream: true,
})
for await (const event of stream)
  if (event.type === 'response.output_text.delta') console.log(event.delta)
