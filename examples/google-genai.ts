/** The SDK of Google without a server. */
import { GoogleGenAI } from '@google/genai'
import { createApp } from 'dragoman'
import { config } from './config.ts'

const { fetch } = createApp({ ...config, callers: 'open' })
const client = new GoogleGenAI({ apiKey: 'unused', httpOptions: { fetch } })

const reply = await client.models.generateContent({ model: 'any', contents: 'Hello' })
console.log(reply.text)

for await (const chunk of await client.models.generateContentStream({
  model: 'any',
  contents: 'Hello',
}))
  console.log(chunk.text)
