import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { chatCompletions } from '../../adapters/chat-completions/index.ts'
import type { Adapter } from '../../adapters/contract.ts'
import { responses } from '../../adapters/responses/index.ts'
import { KNOWN_PROFILES } from '../../src/config/profiles.ts'
import { objectIn, parse, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { refuses } from './refusals.ts'
import { SERVERS } from './servers.ts'

const GOLDEN = new URL('../../fixtures/golden/', import.meta.url)

/** All that is written for the upstreams of a dialect, and what its own callers ask. */
function readBodies({ dialect, caller }: Adapter): [string, JsonObject][] {
  return readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' })
    .filter((file) =>
      new RegExp(`(?:\\.${dialect}|/${dialect}\\.input)\\.request\\.json$`).test(file),
    )
    .flatMap((file): [string, JsonObject][] => {
      const text = readFileSync(new URL(file, GOLDEN), 'utf8')
      const whole = objectIn(parse(text))
      const body = stringify(objectIn(whole['body'] ?? whole))
      return [[file, objectIn(parse(body, caller.verbatim))]]
    })
}

const fitted = (adapter: Adapter, body: JsonObject, name: string, model?: string): JsonObject => {
  const { facts } = adapter.upstream.profiles?.find((row) => row.name === name) ?? { facts: {} }
  return adapter.same.edit(
    body,
    { facts: { server: facts }, foreign: false, ...(model !== undefined && { model }) },
    () => undefined,
  )
}

describe.each(adapters.filter(({ upstream }) => upstream.profiles))('$dialect', (adapter) => {
  const bodies = readBodies(adapter)

  test('is lowered to each profile once and for all', () => {
    expect(bodies.length).toBeGreaterThan(10)
    const { dialect } = adapter
    for (const { name } of KNOWN_PROFILES.filter((row) => row.dialect === dialect))
      for (const [file, body] of bodies) {
        const once = fitted(adapter, body, name)
        const again = fitted(adapter, once, name)
        expect(stringify(again), `${name}: ${file}`).toBe(stringify(once))
      }
  })

  test('is taken by each server, whatever is asked', () => {
    const { dialect } = adapter
    for (const { profile, refusals, model } of SERVERS.filter((one) => one.dialect === dialect))
      for (const [file, body] of bodies) {
        const sent = objectIn(JSON.parse(stringify(fitted(adapter, body, profile, model))))
        expect(refuses(refusals, sent)?.body, `${profile}: ${file}`).toBeUndefined()
      }
  })
})

test('a picture says how closely to look at it, where the server demands that', () => {
  const picture = { type: 'input_image', image_url: 'https://a.example/x.png' }
  const content = [picture, { ...picture, detail: 'low' }, { ...picture, detail: null }]
  const body = { model: 'm', store: false, input: [{ role: 'user', content }] }
  const { profile, refusals = [] } =
    SERVERS.find((one) => one.profile === 'vllm' && one.dialect === 'responses') ?? {}
  const row = responses.upstream.profiles?.find(({ name }) => name === profile)
  const refused = JSON.stringify(refuses(refusals, body)?.body)
  expect(row?.refusals?.filter(({ words }) => words.test(refused))).toHaveLength(1)
  const sent = fitted(responses, body, 'vllm')
  expect(refuses(refusals, sent)).toBeUndefined()
  const details = [{ detail: 'auto' }, { detail: 'low' }, { detail: 'auto' }]
  expect(sent['input']).toMatchObject([{ content: details }])
  expect(fitted(responses, body, 'groq')).toMatchObject({ input: body.input })
})

const said = { type: 'text', text: 'Yes.' }

test.each<[string, string, Json, Json]>([
  ['in tags', 'minimax', 'Yes.', '<think>Aha.</think>Yes.'],
  ['in tags', 'minimax', [said], [{ type: 'text', text: '<think>Aha.</think>' }, said]],
  ['as a part', 'mistral', 'Yes.', [thinking('Aha.'), said]],
  ['as a part', 'mistral', [said], [thinking('Aha.'), said]],
])('a thought %s of the content of %s takes the place of no words', (_, name, content, sent) => {
  const calls = [{ id: 'call12345', type: 'function', function: { name: 'f', arguments: '{}' } }]
  const thought = { role: 'assistant', reasoning_content: 'Aha.', tool_calls: calls }
  const { messages } = fitted(chatCompletions, { messages: [{ ...thought, content }] }, name)
  expect(messages).toEqual([{ role: 'assistant', tool_calls: calls, content: sent }])
})

function thinking(text: string): JsonObject {
  return { type: 'thinking', thinking: [{ type: 'text', text }], closed: true }
}

test.each<[string, JsonObject]>([
  ['in a member of its own', { type: 'function', function: { name: 'b' } }],
  ['beside its type', { type: 'function', name: 'b' }],
])('a choice that names its tool %s leaves that tool alone on offer', (_, tool_choice) => {
  const [a, b] = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }))
  const body = { model: 'm', messages: [], tools: [a ?? null, b ?? null], tool_choice }
  const sent = fitted(chatCompletions, body, 'llama.cpp')
  expect(sent).toMatchObject({ tools: [b], tool_choice: 'required' })
})

test('a free-text tool that is declared beside its type keeps its name as a function', () => {
  const tools = [{ type: 'custom', name: 'run', description: 'Runs.' }]
  const body = { model: 'm', messages: [], tools, tool_choice: { type: 'custom', name: 'run' } }
  const named = { type: 'function', function: { name: 'run' } }
  const sent = fitted(chatCompletions, body, 'xai')
  expect(sent['tools']).toMatchObject([
    { ...named, function: { name: 'run', description: 'Runs.' } },
  ])
  expect(sent['tool_choice']).toEqual(named)
  expect(fitted(chatCompletions, body, 'llama.cpp')['tools']).toMatchObject([named])
})
