import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'
import { dialects } from '../../adapters/index.ts'
import { siteOf } from '../cache/exchange.ts'
import { kits } from '../dialects/index.ts'
import { proxyOf, sse, sseReply } from '../exchange/proxy.ts'
import { messagesReply } from '../dialects/messages/reply.ts'
import { responsesReply } from '../dialects/responses/reply.ts'

/**
 * Traps of the newest words of the services, with the numbers of our notes on them. Elsewhere: 1 to 4 and 48 in
 * `http/gateway`, 4, 8 and 9 in `binding`, 6 in `laws/prefixes`, 14 and 15 in `responses/client-tools`, 17 in
 * `found-tools`, 18 to 20 in `late-tools`, 23, 25, 29, 32 and 33 in `cache/derived`.
 */

async function asked(
  caller: Dialect,
  upstream: Dialect,
  body: object,
  {
    model = 'm',
    reply,
    headers,
  }: { model?: string; reply?: object; headers?: Record<string, string> } = {},
) {
  const site = siteOf({ caller, upstream, ...(reply && { reply: () => reply }) })
  const response = await site.ask(model, body, headers)
  const told: JsonObject = JSON.parse(await response.text())
  const losses = response.headers.get('x-dragoman-losses') ?? ''
  return {
    status: response.status,
    told,
    losses,
    sent: site.sent[0] ?? {},
    calls: site.sent.length,
  }
}

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const hi = { max_tokens: 9, messages: [user('hi')] }
const cache_control = { type: 'ephemeral' }
const count = (value: Json | undefined, word: string) =>
  JSON.stringify(value).split(word).length - 1

const rolesIn = (items: Json | undefined) => objectsOf(items).map(({ role }) => role)
const billed = (turn: number) =>
  `x-anthropic-billing-header: cc_version=2.1.330; cc_prev_msg=${turn};`
const billedSystem = (turn: number) => [
  { type: 'text', text: billed(turn) },
  { type: 'text', text: 'Be brief.' },
]
const around = (items: (JsonObject | undefined)[]) => [user('hi'), ...items, user('go on')]
const marked = (text: string) => ({ type: 'text', text, cache_control })

const message = (more: object) => ({ ...messagesReply('yes'), ...more })
const response = (more: object) => ({ ...responsesReply('yes'), ...more })

describe('what was said stays what it was', () => {
  it('trap 5: an instruction in the middle keeps its place on the way there and back', async () => {
    const messages = [
      user('one'),
      assistant('two'),
      user('three'),
      { role: 'system', content: 'note' },
    ]
    const there = await asked('messages', 'responses', { ...hi, messages })
    expect(rolesIn(there.sent['input'])).toEqual(['user', 'assistant', 'user', 'developer'])
    const { model: _, ...body } = there.sent
    const back = await asked('responses', 'messages', body, { model: 'claude-opus-5-5' })
    expect(rolesIn(back.sent['messages'])).toEqual(['user', 'assistant', 'user', 'system'])
  })
  it('trap 6: what Claude Code says of its bill is told to no other service', async () => {
    for (const upstream of ['responses', 'generate-content', 'chat-completions'] as const) {
      const [one, other] = [
        await asked('messages', upstream, { ...hi, system: billedSystem(1) }),
        await asked('messages', upstream, { ...hi, system: billedSystem(2) }),
      ]
      expect(one.sent).toEqual(other.sent)
      expect(JSON.stringify(one.sent)).not.toContain('x-anthropic-billing-header')
    }
    const own = await asked('messages', 'messages', { ...hi, system: billedSystem(1) })
    expect(own.sent['system']).toEqual(billedSystem(1))
  })
  it('trap 7: a thought behind one that came back damaged is not sent either', async () => {
    const content = [1, 2, 3].map((n) => ({
      type: 'thinking',
      thinking: `t${n}`,
      signature: `s${n}`,
    }))
    const reply = message({ content: [...content, { type: 'text', text: 'yes' }] })
    const first = await asked('responses', 'messages', { input: 'hi' }, { reply })
    const output = objectsOf(first.told['output'])
    const [one, two, ...others] = output
    const broken = { ...two, encrypted_content: `${String(two?.['encrypted_content'])}x` }
    const whole = await asked('responses', 'messages', { input: around(output) })
    expect(count(whole.sent, '"signature":"s')).toBe(3)
    const cut = await asked('responses', 'messages', { input: around([one, broken, ...others]) })
    expect(count(cut.sent, '"signature":"s')).toBe(1)
    expect(cut.losses).toContain('seal')
  })
  it('trap 9: what was withheld passes as it stands, and an ordinary reply says nothing of it', async () => {
    const list = [{ type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'x' }]
    const { told } = await asked('messages', 'messages', hi, {
      reply: message({ input_transformations: list }),
    })
    expect(told['input_transformations']).toEqual(list)
    const ordinary = await asked('messages', 'responses', hi)
    expect(ordinary.told).not.toHaveProperty('input_transformations')
  })
  it('trap 10: an empty `compaction` is the service’s to refuse', async () => {
    const { sent, status } = await asked('messages', 'messages', { ...hi, compaction: {} })
    expect(status).toBe(200)
    expect(sent['compaction']).toEqual({})
  })
})

describe('a summary', () => {
  it('trap 11: of a responses service comes as one block without a delta', async () => {
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' }
    const whole = response({ output: [item] })
    const frames = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ].map((event) => `event: ${event.type}\n${sse(event)}`)
    const route = { routes: [{ model: '*', upstream: 'plain' }] }
    const change = { ...route, upstream: { dialect: 'responses' as const } }
    const proxy = proxyOf(() => sseReply(frames), change, { dialects })
    const { http } = kits.messages
    const body = http.body('m', true, hi)
    const headers = { 'anthropic-version': '2023-06-01' }
    const text = await (await proxy.fetch(http.path('m', true), { body, headers })).text()
    const told: JsonObject[] = text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? JSON.parse(line.slice(6)) : []))
    expect(told.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(told[1]).toMatchObject({ content_block: { type: 'compaction' } })
    expect(told[3]).toMatchObject({ delta: { stop_reason: 'end_turn' } })
  })
  it('trap 12: of an earlier turn passes to its own service as it stands', async () => {
    const block = { type: 'compaction', content: 'c', encrypted_content: null, tool_changes: [] }
    const messages = [assistant([block]), user('go on')]
    const { sent } = await asked('messages', 'messages', { ...hi, messages })
    expect(sent['messages']).toEqual(messages)
  })
})

describe('an end of another kind', () => {
  it.each(['steered', 'max_messages'])('trap 13: is no refusal: %s', async (reason) => {
    const reply = response({ status: 'incomplete', incomplete_details: { reason } })
    const { told, losses } = await asked('messages', 'responses', hi, { reply })
    expect(told).toHaveProperty('stop_reason', 'end_turn')
    expect(losses).toMatch(/incomplete|finish/)
  })
})

describe('a picture that may not be made smaller', () => {
  it.each(['responses', 'generate-content', 'chat-completions'] as const)(
    'trap 21: is sent to %s all the same, and reported',
    async (upstream) => {
      const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
      const transformations = { oversized_image: 'error' }
      const messages = [user([{ type: 'image', source, transformations }])]
      const { losses, sent } = await asked('messages', upstream, { ...hi, messages })
      expect(JSON.stringify(sent)).toContain('iVBORw0KGgo=')
      expect(losses).toContain('transformations')
    },
  )
})

describe('marks of what to cache', () => {
  it('trap 22: none is added to a mark of the whole request and four others', async () => {
    const messages = [user(['a', 'b', 'c', 'd'].map(marked))]
    const { sent } = await asked('messages', 'messages', { ...hi, messages, cache_control })
    expect(count(sent, 'cache_control')).toBe(5)
    const parts = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => ({
      type: 'input_text',
      text,
      prompt_cache_breakpoint: { mode: 'explicit' },
    }))
    const over = await asked('responses', 'messages', { input: [user(parts)] })
    expect(count(over.sent, 'cache_control')).toBe(4)
  })
  it('trap 24: none stands on thoughts, on empty text or on what is shown for one turn', async () => {
    const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } }
    const input = [
      user([{ type: 'input_text', text: 'hi', ...breakpoint }]),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
      user([{ type: 'input_text', text: '', ...breakpoint }]),
      user([{ type: 'input_text', text: 'go on' }]),
    ]
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
    for (const more of [{}, { tools, prompt_cache_options: { mode: 'implicit' } }]) {
      const { sent } = await asked('responses', 'messages', { input, ...more })
      const blocks = objectsOf(sent['messages']).flatMap(({ content }) => objectsOf(content))
      for (const block of blocks.filter((each) => 'cache_control' in each)) {
        expect(block['type']).toBe('text')
        expect(block['text']).not.toBe('')
      }
    }
  })
  it('trap 26 and 27: none stands on words of the model or on late tools; four are the most', async () => {
    const messages = [
      user([marked('a')]),
      assistant([marked('b')]),
      user(['c', 'd', 'e', 'f'].map(marked)),
    ]
    const { sent } = await asked(
      'messages',
      'responses',
      { ...hi, messages },
      { model: 'gpt-5.6-sol' },
    )
    const parts = objectsOf(sent['input']).flatMap(({ content }) => objectsOf(content))
    const kinds = parts.filter((part) => 'prompt_cache_breakpoint' in part).map(({ type }) => type)
    expect(kinds).toEqual(['input_text', 'input_text', 'input_text'])
  })
  it('trap 28: a breakpoint of twelve hours is carried', async () => {
    const prompt_cache_breakpoint = { mode: 'explicit', ttl: '12h' }
    const input = [user([{ type: 'input_text', text: 'a', prompt_cache_breakpoint }])]
    const own = await asked('responses', 'responses', { input })
    expect(own.sent['input']).toEqual(input)
    const other = await asked('responses', 'messages', { input })
    expect(JSON.stringify(other.sent)).toContain('"ttl":"1h"')
  })
})

describe('counts', () => {
  it('trap 30: what was written to a cache and read from it is a part of the input', async () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 3000,
      output_tokens: 5,
    }
    const { told } = await asked(
      'responses',
      'messages',
      { input: 'hi' },
      { reply: message({ usage }) },
    )
    expect(told['usage']).toMatchObject({
      input_tokens: 3210,
      input_tokens_details: { cached_tokens: 3000, cache_write_tokens: 200 },
    })
  })
  it('trap 31: more that was cached than there was is not less than nothing', async () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 50 },
      output_tokens: 5,
      total_tokens: 15,
    }
    const { told } = await asked('messages', 'responses', hi, { reply: response({ usage }) })
    expect(told).toHaveProperty('usage.input_tokens', 0)
  })
  it('trap 50: a summary that was made meanwhile is paid for, so it is counted, and reported', async () => {
    const iterations = [
      { type: 'compaction', input_tokens: 900, output_tokens: 90 },
      { type: 'message', input_tokens: 5, output_tokens: 7 },
    ]
    const usage = { input_tokens: 5, output_tokens: 7, iterations }
    for (const caller of ['responses', 'generate-content'] as const) {
      const body =
        caller === 'responses' ? { input: 'hi' } : { contents: [{ parts: [{ text: 'hi' }] }] }
      const { told, losses } = await asked(caller, 'messages', body, { reply: message({ usage }) })
      expect(JSON.stringify(told)).toMatch(/(?:input_tokens|promptTokenCount)":905\b/)
      expect(JSON.stringify(told)).toMatch(/(?:output_tokens|candidatesTokenCount)":97\b/)
      expect(losses).toContain('iterations')
    }
  })
})

describe('what another service cannot do', () => {
  it('trap 34: a request for no token passes, and is refused for any other service', async () => {
    const none = { ...hi, max_tokens: 0 }
    expect((await asked('messages', 'messages', none)).sent).toMatchObject(none)
    const refused = await asked('messages', 'responses', none)
    expect([refused.status, refused.calls]).toEqual([400, 0])
    expect(JSON.stringify(refused.told)).toContain('max_tokens')
  })
  it('trap 47: nothing of ours makes a newer service refuse the temperature', async () => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const { sent } = await asked('messages', 'messages', { ...hi, temperature: 0.5 }, { headers })
    expect(sent['temperature']).toBe(0.5)
  })
  it('trap 49: a conversation that a service has kept is refused in words that the client knows', async () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' }
    const { status, told, calls } = await asked('messages', 'responses', { ...hi, thread })
    expect([status, calls]).toEqual([400, 0])
    expect(told).toHaveProperty('error.details.error_code', 'thread_unsupported_request')
  })
})
