import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { anthropicClient } from './driver-anthropic.ts'
import { genaiClient } from './driver-genai.ts'
import { openaiClient } from './driver-openai.ts'
import { settingsFor, stage } from './proxy.ts'
import { DIALECTS, said, text, type Dialect } from './script.ts'
import { says, type Stage } from './stage.ts'

const ASK = {
  model: 'claude-opus-4-8',
  max_tokens: 900,
  messages: [{ role: 'user' as const, content: 'Hello' }],
}
const CHAT = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Hello' }] }
const silent = (upstream: Dialect): Stage => stage(upstream, says(upstream))
const catchFailure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (failure: unknown) => failure,
  )

describe.each(DIALECTS)('over %s', (upstream) => {
  test('what is not here is a failure of each client’s own class', async () => {
    const staged = silent(upstream)
    const batches = anthropicClient(staged).messages.batches.retrieve('msgbatch_1')
    expect(await catchFailure(batches)).toMatchObject({ status: 404, type: 'not_found_error' })
    const completed = openaiClient(staged).completions.create({ model: 'm', prompt: 'x' })
    expect(await catchFailure(completed)).toBeInstanceOf(OpenAI.NotFoundError)
    const embedded = genaiClient(staged).models.embedContent({ model: 'm', contents: 'x' })
    const failure = await catchFailure(embedded)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ status: 404 })
    expect(staged.received).toHaveLength(0)
  })

  test('a model without a route is none that exists', async () => {
    const staged = stage(upstream, says(upstream), {
      routes: [{ model: 'known', upstream: 'scripted' }],
    })
    const message = await catchFailure(anthropicClient(staged).messages.create(ASK))
    expect(message).toBeInstanceOf(Anthropic.NotFoundError)
    const response = openaiClient(staged).responses.create({ model: 'gpt-5', input: 'x' })
    expect(await catchFailure(response)).toMatchObject({ status: 404, code: 'model_not_found' })
    const chat = openaiClient(staged).chat.completions.create(CHAT)
    expect(await catchFailure(chat)).toMatchObject({ status: 404, code: 'model_not_found' })
    const contents = { model: 'gemini-3-pro', contents: 'x' }
    const generated = await catchFailure(genaiClient(staged).models.generateContent(contents))
    expect(generated).toMatchObject({ status: 404 })
  })

  test('a body that is too large is refused as such', async () => {
    const { limits } = settingsFor(upstream, {})
    const staged = stage(upstream, says(upstream), { limits: { ...limits, bodyBytes: 1000 } })
    const content = 'x'.repeat(2000)
    const message = anthropicClient(staged).messages.create({
      ...ASK,
      messages: [{ role: 'user', content }],
    })
    expect(await catchFailure(message)).toBeInstanceOf(Anthropic.ContentTooLargeError)
    const response = openaiClient(staged).responses.create({ model: 'gpt-5', input: content })
    expect(await catchFailure(response)).toMatchObject({ status: 413 })
    const chat = { ...CHAT, messages: [{ role: 'user' as const, content }] }
    const completion = openaiClient(staged).chat.completions.create(chat)
    expect(await catchFailure(completion)).toMatchObject({ status: 413 })
    expect(staged.received).toHaveLength(0)
  })

  test('a request that makes no sense is named by its field', async () => {
    const staged = silent(upstream)
    const none = { ...ASK, messages: [{ role: 'user' as const, content: 7 as never }] }
    const message = await catchFailure(anthropicClient(staged).messages.create(none))
    if (upstream !== 'messages') {
      expect(message).toBeInstanceOf(Anthropic.BadRequestError)
      expect(String(message)).toContain('messages.0.content')
    }
    const input = [{ role: 'nobody' as 'user', content: 'x' }]
    const response = await catchFailure(
      openaiClient(staged).responses.create({ model: 'm', input }),
    )
    if (upstream !== 'responses') {
      expect(response).toBeInstanceOf(OpenAI.BadRequestError)
      expect(String(response)).toContain('input[0].role')
    }
    const odd = { ...CHAT, messages: [{ role: 'user' as const, content: 7 as never }] }
    const chat = await catchFailure(openaiClient(staged).chat.completions.create(odd))
    if (upstream !== 'chat-completions') {
      expect(chat).toBeInstanceOf(OpenAI.BadRequestError)
      expect(String(chat)).toContain('messages[0].content')
    }
  })

  test('every reply has a request id that the clients find', async () => {
    const replies = [said([text('A')]), said([text('B')]), said([text('C')])]
    const staged = stage(upstream, says(upstream, ...replies))
    const message = await anthropicClient(staged).messages.create(ASK)
    expect(message._request_id).toMatch(/^[\w.=-]{1,64}$/)
    const response = await openaiClient(staged).responses.create({ model: 'gpt-5', input: 'x' })
    expect(response._request_id).toMatch(/^[\w.=-]{1,64}$/)
    expect(response._request_id).not.toBe(message._request_id)
    const completion = await openaiClient(staged).chat.completions.create(CHAT)
    expect(completion._request_id).toMatch(/^[\w.=-]{1,64}$/)
  })
})
