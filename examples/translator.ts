/** The bare translation, in the types of both SDKs: one body goes in, another one goes out. */
import type Anthropic from '@anthropic-ai/sdk'
import { translator } from 'dragoman'
import OpenAI from 'openai'

const question: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'any',
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Hello' }],
}
const between = translator<
  Anthropic.MessageCreateParamsNonStreaming,
  OpenAI.Responses.ResponseCreateParamsNonStreaming
>({ from: 'messages', to: 'responses', model: 'gpt-5' })

const { body, losses } = between.request(question)
console.log(body.input, losses)

/** Sends it, and tells the answer as Anthropic would. */
export async function ask(client: OpenAI): Promise<unknown> {
  return between.reply(JSON.stringify(await client.responses.create(body))).body
}
