import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import type { Work } from './cpu.ts'
import { DIALECTS, proportional } from './law.ts'
import { eventStream } from './replies.ts'

/** Lists of which each element meets all of another list, or all that came before it. */

const many = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => make(index))

const schema = { type: 'object' }
const toolName = (index: number) => `tool_${index}`

/** A conversation in which each tool is found by a search of its own. */
const searches = (size: number): JsonObject => ({
  model: 'm',
  max_tokens: 9,
  tools: [
    { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    ...many(size, (at) => ({ name: toolName(at), input_schema: schema, defer_loading: true })),
  ],
  messages: many(size, (at) => [
    { role: 'user', content: `Find ${at}` },
    { role: 'assistant', content: found(`srvtoolu_${at}`, toolName(at)) },
  ]).flat(),
})

const found = (id: string, tool_name: string): JsonObject[] => [
  { type: 'server_tool_use', id, name: 'tool_search_tool_regex', input: { query: 'x' } },
  {
    type: 'tool_search_tool_result',
    tool_use_id: id,
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name }],
    },
  },
]

/** Functions of the old kind, which go by their names, and results of others. */
const oldCalls = (size: number): JsonObject => ({
  model: 'm',
  messages: [
    { role: 'user', content: 'Go' },
    ...many(size, (at) => {
      const function_call = { name: toolName(at), arguments: '{}' }
      return { role: 'assistant', content: null, function_call }
    }),
    ...many(size, (at) => ({ role: 'function', name: `other_${at}`, content: 'done' })),
  ],
})

const REQUESTS: [string, Dialect, (size: number) => JsonObject, number][] = [
  ['tools that are found one by one', 'messages', searches, 500],
  ['calls of functions that go by their names', 'chat-completions', oldCalls, 6000],
]

/** Each text with a source of its own, and a call behind it, so that the next one is another text. */
const saying = (index: number): JsonObject[] => [
  { text: `text ${index}` },
  { functionCall: { name: 'f', args: {} } },
]

const sources = (size: number, placeOf: (index: number) => JsonObject): JsonObject => ({
  groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
  groundingSupports: many(size, (at) => ({ segment: placeOf(at), groundingChunkIndices: [0] })),
})

const here = (index: number): JsonObject => ({
  partIndex: 2 * index,
  startIndex: 0,
  endIndex: `text ${index}`.length,
  text: `text ${index}`,
})
const nowhere = (index: number): JsonObject => ({ endIndex: 400, text: `nowhere ${index}` })

const grounded = (placeOf: (index: number) => JsonObject) => (size: number) => ({
  responseId: 'r',
  candidates: [
    {
      content: { role: 'model', parts: many(size, saying).flat() },
      finishReason: 'STOP',
      groundingMetadata: sources(size, placeOf),
    },
  ],
})

const thinking = (size: number): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 1 },
  content: [
    ...many(size, (at) => [
      { type: 'thinking', thinking: `thought ${at}`, signature: 'EqQBAAAA' },
      { type: 'text', text: `text ${at}` },
    ]).flat(),
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
  ],
})

const REPLIES: [string, Dialect, (size: number) => JsonObject, number][] = [
  ['texts, each with a source', 'generate-content', grounded(here), 800],
  ['texts, and sources of none of them', 'generate-content', grounded(nowhere), 1500],
  ['thoughts and texts before one call', 'messages', thinking, 1200],
]

const chunk = (candidate: JsonObject): JsonObject => ({ responseId: 'r', candidates: [candidate] })
const part = (one: JsonObject) => ({ content: { role: 'model', parts: [one] } })

/** Texts with sources, each of which ends with a call. */
const quoted = (size: number): JsonObject[] =>
  many(size, (at): JsonObject[] => {
    const citationSources = [{ endIndex: 4, uri: `https://a.test/${at}` }]
    const [text = {}, call = {}] = saying(at).map(part)
    return [chunk({ ...text, citationMetadata: { citationSources } }), chunk(call)]
  }).flat()

const foretold = (size: number): JsonObject[] => [
  chunk({ ...part({ text: 'First.' }), groundingMetadata: sources(size, nowhere) }),
  ...many(size, saying)
    .flat()
    .map((one) => chunk(part(one))),
]

const STREAMS: [string, (size: number) => JsonObject[], number][] = [
  ['texts, each with what it quotes', quoted, 600],
  ['sources, and texts behind them', foretold, 1000],
]

const pairs = <T extends [string, Dialect, ...unknown[]]>(cases: T[]) =>
  cases.flatMap((each) =>
    DIALECTS.filter((other) => other !== each[1]).map((other): [Dialect, ...T] => [other, ...each]),
  )

function asked(from: Dialect, to: Dialect, stream: boolean) {
  const { client, http } = kits[from]
  const between = translator({ from, to, model: 'm', stream })
  between.request(http.body('m', stream, client.request('m', 'Go')))
  return between
}

async function heard(
  { readable, writable }: TransformStream<Uint8Array, Uint8Array>,
  bytes: Uint8Array,
): Promise<void> {
  const writer = writable.getWriter()
  const written = writer.write(bytes).then(() => writer.close())
  await Promise.all([written, new Response(readable).arrayBuffer()])
}

const members = (size: number): JsonObject =>
  Object.fromEntries(many(size, (at) => [`member_${at}`, [{}]]))

describe('costs in proportion to its size', () => {
  it.each(pairs(REQUESTS))('for %s: %s in %s', async (to, name, from, make, size) => {
    const prepare = (length: number): Work => {
      const body = JSON.stringify(make(length))
      const model = to === 'responses' ? 'gpt-5.6' : 'm'
      return () => translator({ from, to, model }).request(body)
    }
    await proportional([{ name, prepare }], size)
  })

  it.each(pairs(REPLIES))('for %s: %s in a reply of %s', async (from, name, to, make, size) => {
    const prepare = (length: number): Work => {
      const body = JSON.stringify(make(length))
      const { reply } = asked(from, to, false)
      return () => reply(body)
    }
    await proportional([{ name, prepare }], size)
  })

  it.each(DIALECTS.flatMap((from) => STREAMS.map((each) => [from, ...each] as const)))(
    'for %s: %s in a stream',
    async (from, name, make, size) => {
      const prepare = (length: number): Work => {
        const frames = [...make(length), chunk({ finishReason: 'STOP' })]
        const bytes = new TextEncoder().encode(eventStream(frames))
        const stream = asked(from, 'generate-content', true).stream()
        return () => heard(stream, bytes)
      }
      await proportional([{ name, prepare }], size)
    },
  )

  const file = { type: 'document', source: { type: 'file', file_id: 'file_1' } }
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] }
  const refused = {
    'members of the body': (size: number) => ({
      ...members(size),
      messages: [{ role: 'user', content: [file] }],
    }),
    'members of a message': (size: number) => ({
      messages: [{ ...members(size), role: 'user', content: [file] }],
    }),
    'parts of a result': (size: number) => {
      const texts = many(size, (at) => ({ type: 'text', text: `text ${at}` }))
      const result = { type: 'tool_result', tool_use_id: 't', content: [...texts, file] }
      return {
        messages: [{ role: 'user', content: 'Go' }, call, { role: 'user', content: [result] }],
      }
    },
  }
  it.each(Object.entries(refused))('the place of a refusal among many %s', async (name, make) => {
    const prepare = (length: number): Work => {
      const body = JSON.stringify({ model: 'm', max_tokens: 9, ...make(length) })
      const { request } = translator({ from: 'messages', to: 'generate-content', model: 'm' })
      return () => expect(() => request(body)).toThrow(ProblemError)
    }
    await proportional([{ name, prepare }], 1000)
  })
})
