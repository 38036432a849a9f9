import type { LanguageModel } from 'ai'
import { generateText, jsonSchema, Output, streamText } from 'ai'
import { describe, expect, test } from 'vitest'
import { DEFAULT_RETENTION } from '../../src/config/defaults.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { kits, othersThan } from '../dialects/index.ts'
import { aiDriver } from '../sdk/driver-ai.ts'
import type { Driver } from '../sdk/driver.ts'
import { stage } from '../sdk/proxy.ts'
import { CLOCK, issued, WEATHER } from '../sdk/scene.ts'
import { SCENARIOS } from '../sdk/scenarios.ts'
import { call, said, text, thinking, type Dialect } from '../sdk/script.ts'
import { BASE, CALLER_KEY, says, type Stage } from '../sdk/stage.ts'
import { langchainDriver } from './driver-langchain.ts'
import { INSTALLED, library } from './installed.ts'

const CHAT = 'chat-completions'
const COMPATIBLE = '@ai-sdk/openai-compatible'
const OPENROUTER = '@openrouter/ai-sdk-provider'

type Make = (options: object) => (model: string, settings?: object) => LanguageModel

/** The driver asks OpenAI to keep nothing; here that would be asked of the proxy. */
const transformRequestBody = (body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'store'))

/** The name is that under which the driver asks for thoughts. */
async function compatible({ fetch }: Pick<Stage, 'fetch'>): Promise<LanguageModel> {
  const { createOpenAICompatible } = (await library(COMPATIBLE)) as { createOpenAICompatible: Make }
  const options = { name: 'openai', apiKey: CALLER_KEY, baseURL: `${BASE}/v1` }
  const more = { fetch, includeUsage: true, supportsStructuredOutputs: true, transformRequestBody }
  return createOpenAICompatible({ ...options, ...more })('gpt-4o')
}
async function openrouter({ fetch }: Pick<Stage, 'fetch'>): Promise<LanguageModel> {
  const { createOpenRouter } = (await library(OPENROUTER)) as { createOpenRouter: Make }
  const options = { apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch }
  return createOpenRouter(options)('gpt-4o', { usage: { include: true } })
}

/** Models are made before they are needed, which the driver does not wait for. */
async function aiLibrary(
  name: string,
  make: (stage: Pick<Stage, 'fetch'>) => Promise<LanguageModel>,
): Promise<Driver> {
  let current: typeof fetch = fetch
  const model = await make({ fetch: (input, init) => current(input, init) })
  return aiDriver(CHAT, {
    name,
    asked: 'gpt-4o',
    model(staged) {
      current = staged.fetch
      return model
    },
  })
}

const drivers = INSTALLED()
  ? await Promise.all([
      aiLibrary(COMPATIBLE, compatible),
      aiLibrary(OPENROUTER, openrouter),
      langchainDriver(),
    ])
  : []

/** What is kept here makes up for what a library drops. */
const keeping = { retention: { ...DEFAULT_RETENTION, proofs: true } }

function isBeyond(driver: Driver, upstream: Dialect, name: string): boolean {
  // Thoughts, text and calls stand in no order among each other here.
  if (name.startsWith('keeps the order')) return true
  // They look for the reason of an end alone, which says nothing of a refusal in words.
  if (name.endsWith('ended by refusal') && upstream === 'responses') return true
  // A thought without words that led to no call is kept by none of them.
  if (name.startsWith('returns the proof')) return true
  // The proof of words without a call is not kept here, and one of the libraries alone has a place for it.
  if (name.startsWith('runs a tool loop'))
    return driver.name !== OPENROUTER || upstream === 'generate-content'
  return driver.name === '@langchain/openai' && name.startsWith('carries images')
}

describe.skipIf(!INSTALLED())('libraries of chat completions', () => {
  describe.each(drivers)('$name', (driver) => {
    describe.each(othersThan(CHAT))('over %s', (upstream) => {
      describe.each([false, true])('stream: %s', (stream) => {
        const possible = SCENARIOS.filter(({ name }) => !isBeyond(driver, upstream, name))
        test.each(possible)('$name', async ({ replies, play }) => {
          const store = memoryStore(keeping.retention)
          const staged = stage(upstream, says(upstream, ...replies(upstream)), keeping, store)
          await play({ driver, upstream, stream, stage: staged, foreign: true })
          expect(staged.received).toHaveLength(replies(upstream).length)
        })

        test('brings home what proves the thought before parallel calls', async () => {
          const { proofs, ids } = kits[upstream].scripted
          const pieces = [
            thinking('Both.', proofs[0]),
            call(ids[0], 'get_weather', { city: 'Ulm' }),
            call(ids[1], 'get_time', { zone: 'utc' }),
          ]
          const replies = [said(pieces, 'tool-call'), said([text('Sunny, noon.')])]
          const store = memoryStore(keeping.retention)
          const staged = stage(upstream, says(upstream, ...replies), keeping, store)
          const options = { stream, tools: [WEATHER, CLOCK], thinking: true, maxTokens: 8000 }
          const talk = driver.talk(staged, options)
          const first = await talk.say('Weather and time?')
          expect(first.thinking).toBe('Both.')
          expect(first.calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time'])
          const second = await talk.answer(first.calls.map((made) => ({ call: made, output: '1' })))
          expect(second).toMatchObject({ text: 'Sunny, noon.', stop: 'stop' })
          const [, assistant] = issued(staged.heard(1).turns, upstream)
          expect(assistant).toEqual(issued([{ role: 'assistant', pieces }], upstream)[0])
        })

        test.each(['invalid', 'rate'] as const)('hears of a refusal: %s', async (kind) => {
          const staged = stage(upstream, () => kits[upstream].scripted.refusals[kind])
          const talk = driver.talk(staged, { stream })
          await expect(talk.say('Hello?')).rejects.toThrow(/./)
        })
      })
    })
  })

  describe.each(othersThan(CHAT))('a schema over %s', (upstream) => {
    test.each([false, true])('is kept to, stream: %s', async (stream) => {
      const staged = stage(upstream, says(upstream, said([text('{"city":"Ulm"}')])))
      const schema = jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      })
      const asked = {
        model: await compatible(staged),
        prompt: 'Where?',
        output: Output.object({ schema }),
        maxRetries: 0,
      }
      const { output } = stream ? streamText(asked) : await generateText(asked)
      expect(await output).toEqual({ city: 'Ulm' })
      expect(staged.received[0]?.text).toContain('"city"')
    })
  })
})
