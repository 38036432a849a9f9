import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { adapterOf } from '../dialects/adapters.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { jsonReply, proxyOf } from '../exchange/proxy.ts'
import { kits } from '../dialects/index.ts'
import { readBody, readFrames, readRequest, writeReply } from '../laws/exchange.ts'

/** A service searches for tools itself, and says what it has found, before it calls one. */
const schema = { type: 'object', properties: {} }
const tool = { type: 'function', name: 'late', parameters: schema, defer_loading: true }
const asked = { model: 'm', input: 'a', tools: [tool, { type: 'tool_search' }] }
const search = {
  type: 'server_tool_use',
  id: 'srvtoolu_01',
  name: 'tool_search_tool_bm25',
  input: { query: 'weather' },
}
const found = {
  type: 'tool_search_tool_result',
  tool_use_id: 'srvtoolu_01',
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: [{ type: 'tool_reference', tool_name: 'late' }],
  },
}
const call = { type: 'tool_use', id: 'toolu_1', name: 'late', input: {} }
const reply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [search, found, call],
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const items = [
  {
    type: 'tool_search_call',
    id: 'tsc_srvtoolu_01',
    call_id: null,
    execution: 'server',
    arguments: { query: 'weather' },
    status: 'completed',
  },
  {
    type: 'tool_search_output',
    id: 'tso_srvtoolu_01',
    execution: 'server',
    tools: [{ type: 'function', name: 'late', parameters: schema }],
  },
  { type: 'function_call', name: 'late' },
]

const [messages, responses] = [adapterOf('messages'), adapterOf('responses')]
const request = readRequest(responses, JSON.stringify(asked))
const heard = () => writeReply(responses, request, readBody(messages, request, reply).events)

const itemsIn = (text: string | undefined): Json[] => {
  const body: JsonObject = JSON.parse(text ?? '{}')
  return Array.isArray(body['output']) ? body['output'] : []
}

const idsIn = (value: Json): string[] =>
  JSON.stringify(value).match(/(?<="(?:id|tool_use_id|call_id)":")[^"]+/g) ?? []

describe('a search for tools by the service', () => {
  it('is told to a responses caller with the tools that it found (trap 17)', () => {
    const { frames, body, losses } = heard()
    expect(itemsIn(body)).toMatchObject(items)
    const done = frames.map(({ data }) => JSON.parse(data)).filter((event) => isObject(event.item))
    expect(
      done.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item),
    ).toMatchObject(items)
    expect(losses).toEqual([])
  })

  it('tells that a tool is left out because the caller does not offer it', () => {
    const other = readRequest(responses, JSON.stringify({ ...asked, tools: [] }))
    const { body, losses } = writeReply(
      responses,
      other,
      readBody(messages, other, { ...reply, content: [search, found], stop_reason: 'end_turn' })
        .events,
    )
    expect(itemsIn(body)[1]).toMatchObject({ type: 'tool_search_output', tools: [] })
    expect(losses).toContainEqual({ code: 'dropped', path: 'reply.tool-change' })
  })

  it('is told to a messages caller by the names of what it found', () => {
    const { frames, body } = heard()
    const caller = readRequest(
      messages,
      JSON.stringify({
        model: 'm',
        max_tokens: 9,
        tools: [{ name: 'late', input_schema: schema }],
        messages: [{ role: 'user', content: 'a' }],
      }),
    )
    for (const read of [
      readFrames(responses, caller, frames),
      readBody(responses, caller, JSON.parse(body ?? '')),
    ]) {
      const written = writeReply(messages, caller, read.events)
      const told: JsonObject = JSON.parse(written.body ?? '{}')
      const id = 'hosted_srvtoolu_01'
      const others = [
        { ...search, id },
        { ...found, tool_use_id: id },
      ]
      expect(told['content']).toMatchObject([...others, { type: 'tool_use', name: 'late' }])
      expect(told['stop_reason']).toBe('tool_use')
      const starts = written.frames.map(({ data }) => JSON.parse(data).content_block?.type)
      expect(starts.filter(Boolean)).toEqual([search.type, found.type, 'tool_use'])
    }
  })

  it('comes home with the next request', () => {
    const output = { type: 'function_call_output', call_id: 'toolu_1', output: 'r' }
    const input = [{ role: 'user', content: 'a' }, ...itemsIn(heard().body), output]
    const back = translator({ from: 'responses', to: 'messages', model: 'claude-opus-5-5' })
    const sent: JsonObject = JSON.parse(back.request({ ...asked, input }).text)
    expect(sent['messages']).toMatchObject([{}, { content: [search, found, call] }, {}])
    const own = translator({ from: 'messages', to: 'messages', model: 'm' })
    const again = { model: 'm', max_tokens: 9, messages: sent['messages'] ?? [] }
    expect(JSON.parse(own.request(again).text)).toMatchObject({ messages: sent['messages'] })
  })

  it('stands in the history of a responses upstream with all that is said of the tools (trap 18)', () => {
    const history = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [search, found, call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'r' }] },
    ]
    const tools = [
      { name: 'late', input_schema: schema, defer_loading: true },
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    ]
    const there = translator({ from: 'messages', to: 'responses', model: 'gpt-5.6' })
    const sent = there.request({ model: 'm', max_tokens: 99, messages: history, tools })
    const [one, other] = items
    const { id: _, ...searched } = one ?? {}
    const { id: __, ...told } = other ?? {}
    const body: JsonObject = JSON.parse(sent.text)
    expect(body['input']).toMatchObject([{}, searched, told, { type: 'function_call' }, {}])
    expect(sent.losses).toEqual([])
  })

  const SAID = { messages: { content: [search, found] }, responses: { output: items.slice(0, 2) } }
  const ROOT = { messages: 'srvtoolu_', responses: 'ts' }
  it.each(
    (['messages', 'responses'] as const).flatMap((caller) =>
      (['messages', 'responses'] as const).flatMap((first) =>
        (['messages', 'responses'] as const).map((second) => [caller, first, second] as const),
      ),
    ),
  )('keeps its ids from a service that would look them up: %s, %s, then %s', async (...way) => {
    const [caller, first, second] = way
    const own =
      first === 'responses' ? JSON.stringify(SAID).replaceAll('srvtoolu_01', '9f') : undefined
    const told = own === undefined ? SAID : (JSON.parse(own) as typeof SAID)
    const said = {
      ...reply,
      ...(first === 'messages' ? told.messages : {}),
      stop_reason: 'end_turn',
    }
    const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'm' }
    const { ask } = kits[caller]
    const offered = {
      messages: { tools: [{ name: 'late', input_schema: schema, defer_loading: true }] },
      responses: { tools: asked.tools },
    }[caller]
    const send = async (dialect: Dialect, body: object) => {
      const reply = first === 'messages' ? said : { ...answer, ...told.responses }
      const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
      const proxy = proxyOf(() => jsonReply(reply), change, { dialects })
      const { http } = kits[caller]
      const headers = { 'anthropic-version': '2023-06-01' }
      const came = await proxy.fetch(http.path('m', false), {
        body: http.body('claude-opus-5-5', false, body),
        headers,
      })
      const sent = JSON.parse(new TextDecoder().decode(proxy.sent[0]?.body as Uint8Array))
      return { came: JSON.parse(await came.text()) as JsonObject, sent: sent as JsonObject }
    }
    const begun = { ...kits[caller].client.request('m', 'hi'), ...ask.needed, ...offered }
    const { came } = await send(first, begun)
    const next = kits[caller].client.followUp(begun, came)
    const { sent } = await send(second, next)
    const ids = idsIn(sent['messages'] ?? sent['input'] ?? null)
    expect(ids.filter((id) => first !== second || !id.startsWith(ROOT[second]))).toEqual([])
  })

  it('is left out where there is none, which is told', () => {
    const input = [
      { role: 'user', content: 'a' },
      ...items.slice(0, 2),
      { role: 'user', content: 'b' },
    ]
    for (const to of ['generate-content', 'chat-completions'] as const) {
      const { losses } = translator({ from: 'responses', to, model: 'm' }).request({
        ...asked,
        input,
      })
      expect(losses.map(({ path }) => path)).toContain('turns.1.blocks.0')
    }
  })
})

describe('what a search by the caller found', () => {
  it('goes on as words where the call is gone, with the turns that were cut off', () => {
    const item = { type: 'tool_search_output', execution: 'client', call_id: 'c', tools: [tool] }
    const input = [{ role: 'user', content: 'a' }, item, { role: 'user', content: 'b' }]
    const { body, losses } = translator({
      from: 'responses',
      to: 'messages',
      model: 'claude-opus-4-8',
    }).request({ model: 'm', input })
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '[result of an earlier tool call, c]' },
          { type: 'text', text: 'The tool late was found and can be called.' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
    expect(losses.map(({ path }) => path)).toContain('turns.0.results')
  })
})
