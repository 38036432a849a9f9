/** The AI SDK without a server: any of its providers takes the app's `fetch`. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { generateText, streamText } from 'ai'
import { createApp } from 'dragoman'
import { config } from './config.ts'

const { fetch } = createApp({ ...config, callers: 'open' })
const model = createAnthropic({ apiKey: 'unused', fetch })('any')

const { text } = await generateText({ model, prompt: 'Hello' })
console.log(text)

for await (const piece of streamText({ model, prompt: 'Hello' }).textStream) console.log(piece)
