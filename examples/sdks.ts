/** Without a server: each official SDK speaks its own format, and another one goes out. */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { createApp, translator } from 'dragoman'
import OpenAI from 'openai'
import { config } from './config.ts'

const { fetch } = createApp({ ...config, callers: 'open' })

const anthropic = new Anthropic({ apiKey: 'unused', fetch })
const openai = new OpenAI({ apiKey: 'unused', fetch })
const google = new GoogleGenAI({ apiKey: 'unused', httpOptions: { fetch } })

const question: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'any',
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Hello' }],
}
console.log(await anthropic.messages.create(question))
console.log(await openai.responses.create({ model: 'any', input: 'Hello' }))
console.log(await google.models.generateContent({ model: 'any', contents: 'Hello' }))

// The bare translation, in the types of both.
const between = translator<
  Anthropic.MessageCreateParamsNonStreaming,
  OpenAI.Responses.ResponseCreateParamsNonStreaming
>({ from: 'messages', to: 'responses', model: 'gpt-5' })
const { body, losses } = between.request(question)
console.log(losses, await openai.responses.create(body))
