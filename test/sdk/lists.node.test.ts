import { createOpenAI } from '@ai-sdk/openai'
import { generateText, type ModelMessage } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { othersThan } from '../dialects/index.ts'
import { anthropicClient } from './driver-anthropic.ts'
import { genaiClient } from './driver-genai.ts'
import { openaiClient } from './driver-openai.ts'
import { stage } from './proxy.ts'
import { DIALECTS, MODEL, said, text, type Dialect } from './script.ts'
import { BASE, CALLER_KEY, says, type Stage } from './stage.ts'

const listing = (upstream: Dialect): Stage =>
  stage(upstream, says(upstream), {
    routes: [
      { model: 'swift', upstream: 'scripted', as: MODEL },
      { model: 'thorough', upstream: 'scripted' },
      { model: 'thorough-*', upstream: 'scripted' },
    ],
  })

async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of pages) list.push(item)
  return list
}

describe.each(DIALECTS)('models over %s', (upstream) => {
  test('@anthropic-ai/sdk lists and retrieves them', async () => {
    const staged = listing(upstream)
    const { models } = anthropicClient(staged)
    const list = await collect(models.list())
    expect(list.map(({ id }) => id)).toEqual(expect.arrayContaining(['swift', 'thorough']))
    expect(list.every(({ id, type }) => type === 'model' && !id.includes('*'))).toBe(true)
    expect(await models.retrieve('swift')).toMatchObject({ type: 'model', id: 'swift' })
    expect(staged.received).toHaveLength(0)
  })
  test('openai lists and retrieves them', async () => {
    const { models } = openaiClient(listing(upstream))
    const list = await collect(models.list())
    expect(list.map(({ id }) => id)).toEqual(expect.arrayContaining(['swift', 'thorough']))
    expect(list.every(({ object }) => object === 'model')).toBe(true)
    expect(await models.retrieve('thorough-2')).toMatchObject({ id: 'thorough-2', object: 'model' })
  })
  test('@google/genai lists and retrieves them', async () => {
    const { models } = genaiClient(listing(upstream))
    const list = await collect(await models.list())
    expect(list.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['models/swift', 'models/thorough']),
    )
    expect(await models.get({ model: 'swift' })).toMatchObject({ name: 'models/swift' })
  })
})

describe.each(othersThan('responses'))('state over %s', (upstream) => {
  test('a reply that nobody has kept cannot be continued', async () => {
    const client = openaiClient(stage(upstream, says(upstream)))
    const asked = client.responses.create({
      model: 'gpt-5',
      input: 'Go on',
      previous_response_id: 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
    })
    await expect(asked).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await expect(asked).rejects.toMatchObject({
      param: 'previous_response_id',
      code: 'previous_response_not_found',
      message: expect.stringMatching(/send the whole conversation .* or set state\.store/),
    })
  })

  test('an item that the AI SDK only refers to is not forgotten in silence', async () => {
    const staged = stage(upstream, says(upstream, said([text('Four.')]), said([text('Five.')])))
    const { fetch } = staged
    const provider = createOpenAI({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Two and two?' }]
    const settings = { model: provider('gpt-5'), maxRetries: 0 }
    const { response } = await generateText({ ...settings, messages })
    messages.push(...response.messages, { role: 'user', content: 'And one?' })
    const outcome = await generateText({ ...settings, messages }).then(
      () => staged.heard(1).turns[1]?.pieces,
      (error: unknown) => error,
    )
    if (Array.isArray(outcome)) expect(outcome).toEqual([text('Four.')])
    else expect(outcome).toMatchObject({ statusCode: 400 })
  })
})
