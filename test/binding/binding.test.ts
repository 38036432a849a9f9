import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { objectsOf, type JsonObject } from '../../src/json/json.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { proxyOf, sse, sseReply } from '../exchange/proxy.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { clientOf } from './session.ts'
import { messagesVendor, responsesVendor, type Vendor } from './vendors.ts'

const VENDORS = { messages: messagesVendor, responses: responsesVendor }
const TURNS = 16

const PAIRS = DIALECTS.flatMap((caller) =>
  (['messages', 'responses'] as const).map((upstream) => [caller, upstream] as const),
)

async function session(caller: Dialect, vendor: Vendor, upstream: Dialect, turns = TURNS) {
  const client = clientOf(caller, upstream, vendor)
  let request = client.first()
  for (let turn = 0; turn < turns; turn += 1) {
    const options = kits[caller].client.restless
    const reply = await client.ask({ ...request, ...options[turn % options.length] })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    request = client.next(request, reply.body)
  }
  return { vendor, client, request }
}

describe('reasoning that is bound to its conversation', () => {
  it.each(PAIRS)('is good in each later turn: %s from %s', async (caller, upstream) => {
    const vendor = VENDORS[upstream]()
    await session(caller, vendor, upstream)
    expect(vendor.returned.mismatches).toEqual([])
    expect(vendor.returned.accepted).toBeGreaterThan(TURNS)
  })
})

/** A client that has rewritten its first message, which no client may. */
const edited = (request: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(request).replace('Do it.', 'Do something else.'))

const thinking = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })

describe('a conversation that was rewritten', () => {
  it.each(DIALECTS)('is refused by the place it has in the request of %s', async (caller) => {
    const { client, request } = await session(caller, messagesVendor(), 'messages', 5)
    const { status, body } = await client.ask(edited(request))
    expect(status).toBe(400)
    const text = JSON.stringify(body)
    expect(text).toContain(
      `"${kits[caller].client.firstThought}: Invalid \`signature\` in \`thinking\` block.`,
    )
    expect(text).toContain('bound to a different conversation')
    expect(client.sent).toHaveLength(6)
    const named = { param: 'input[1]', code: 'invalid_encrypted_content' }
    if (caller === 'responses') expect(body).toHaveProperty('error', expect.objectContaining(named))
  })
  it('is refused by its own places also where something was taken out on the way', async () => {
    const vendor = messagesVendor()
    const client = clientOf('messages', 'messages', vendor)
    const foreign = writeEnvelope({ dialect: 'responses', value: 'enc' }, 'self')
    const content = [thinking(foreign), thinking('unknown'), { type: 'text', text: 'yes' }]
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'go on' },
    ]
    const { status, body } = await client.ask({ max_tokens: 9, messages })
    expect(status).toBe(400)
    expect(vendor.returned.mismatches).toEqual([expect.stringMatching(/^messages\.1\.content\.0 /)])
    expect(body).toHaveProperty(
      'error.message',
      expect.stringMatching(/^messages\.1\.content\.1: /),
    )
  })
  it('has its thoughts left out, and says so in the words and ids of each client', async () => {
    const { list } = await told('messages', messagesVendor(true), 'messages')
    expect(list).toEqual([1, 3, 5].map(dropped))
    for (const [vendor, upstream] of [
      [messagesVendor(true), 'messages'],
      [responsesVendor(), 'responses'],
    ] as const) {
      const { list: items, request } = await told('responses', vendor, upstream)
      const ids = objectsOf(request['input']).flatMap(({ type, id = '' }) =>
        type === 'reasoning' ? [id] : [],
      )
      expect(new Set(ids)).toHaveLength(3)
      const reason = 'prefix_mismatch'
      expect(items).toEqual(ids.map((id) => ({ id, type: 'reasoning', action: 'removed', reason })))
    }
  })
  it('says so at the beginning of a stream', async () => {
    const { client, request } = await session('responses', messagesVendor(true), 'messages', 2)
    const { text } = await client.listen(edited(request))
    const ids = objectsOf(request['input']).flatMap(({ type, id = '' }) =>
      type === 'reasoning' ? [`{"id":${JSON.stringify(id)},"type":"reasoning"`] : [],
    )
    const [created = '', ...later] = text.split('\n\n')
    for (const id of ids) {
      expect(created).toContain(`response.created`)
      expect(created).toContain(id)
      expect(later.find((frame) => frame.includes('response.completed'))).toContain(id)
    }
  })
  it('has its thoughts left out by a service that names only items, and says where they stood', async () => {
    const { list } = await told('messages', responsesVendor(), 'responses')
    expect(list).toEqual([1, 3, 5].map(dropped))
  })
  it.each([
    ['generate-content', responsesVendor, 'responses'],
    ['chat-completions', responsesVendor, 'responses'],
    ['generate-content', () => messagesVendor(true), 'messages'],
    ['chat-completions', () => messagesVendor(true), 'messages'],
  ] as const)(
    'has its thoughts left out, and reports it where %s has no word or place for it',
    async (caller, vendor, upstream) => {
      const { list, losses } = await told(caller, vendor(), upstream)
      expect(list).toBeUndefined()
      expect(losses).toContain('dropped reply.withheld')
    },
  )
})

const dropped = (index: number) => ({
  type: 'thinking_dropped',
  path: `messages.${index}.content.0`,
  reason: 'prefix_binding_mismatch',
})

/** Trap 9: told beside the delta, after another model went on in the middle of the reply; or with the whole reply. */
describe('what is known of withheld thoughts only when a reply ends', () => {
  const item = { type: 'reasoning', encrypted_content: 'enc', summary: [] }
  const first = [{ ...dropped(1), reason: 'model_binding_mismatch' }]
  const ENDS = {
    messages: [
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', content: [], input_transformations: first },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 7 },
        input_transformations: [...first, dropped(1)],
      },
      { type: 'message_stop' },
    ],
    responses: [
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
      {
        type: 'response.completed',
        response: {
          id: 'resp_1',
          status: 'completed',
          output: [{ type: 'message', role: 'assistant', content: [] }],
          input_transformations: [
            { id: 'rs_1', type: 'reasoning', action: 'removed', reason: 'model_mismatch' },
          ],
        },
      },
    ],
  }
  const asked = async (caller: Dialect, upstream: 'messages' | 'responses', request: object) => {
    const frames = ENDS[upstream].map((event) => `event: ${event.type}\n${sse(event)}`)
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } }
    const proxy = proxyOf(() => sseReply(frames), change, { dialects })
    const { http } = kits[caller]
    const body = http.body('m', true, request)
    const headers = { 'anthropic-version': '2023-06-01' }
    const response = await proxy.fetch(http.path('m', true), { body, headers })
    return { text: await response.text(), log: proxy.log }
  }

  it('is told to a caller of responses with the whole response', async () => {
    const own = writeEnvelope({ dialect: 'messages', value: 'sig' }, 'self')
    const said = { role: 'assistant', content: 'a' }
    const input = around({ ...item, id: 'rs_own', encrypted_content: own }, said)
    const { text, log } = await asked('responses', 'messages', { input })
    const { response } = lastOf(text, 'response.completed')
    const told = { id: 'rs_own', type: 'reasoning', action: 'removed' }
    expect(response.input_transformations).toEqual([{ ...told, reason: 'model_mismatch' }])
    // Of what is new at the end of a stream the place is not known any more.
    const lost = { code: 'dropped', path: 'reply.withheld', detail: 'prefix' }
    expect(log[0]?.losses).toContainEqual(lost)
  })
  it('is told to a caller of messages beside the last delta', async () => {
    const own = writeEnvelope({ dialect: 'responses', value: 'enc' }, 'self')
    const said = {
      role: 'assistant',
      content: [thinking(own), { type: 'text', text: 'a' }],
    }
    const { text } = await asked('messages', 'responses', { max_tokens: 9, messages: around(said) })
    const delta = lastOf(text, 'message_delta')
    const told = { ...dropped(1), reason: 'model_binding_mismatch' }
    expect(delta.input_transformations).toEqual([told])
    expect(delta.delta).not.toHaveProperty('input_transformations')
    expect(lastOf(text, 'message_start').message).not.toHaveProperty('input_transformations')
  })
  it.each(['generate-content', 'chat-completions'] as const)(
    'is reported where %s has no word for it',
    async (caller) => {
      const request = { ...kits[caller].client.request('m', 'hi') }
      const { log } = await asked(caller, 'messages', request)
      expect(log[0]?.losses).toContainEqual(
        expect.objectContaining({ code: 'dropped', path: 'reply.withheld' }),
      )
    },
  )
})

const around = (...own: object[]) => [
  { role: 'user', content: 'hi' },
  ...own,
  { role: 'user', content: 'go on' },
]
const lastOf = (text: string, type: string) =>
  JSON.parse(text.split(`event: ${type}\ndata: `).at(-1)?.split('\n')[0] ?? '{}')

async function told(caller: Dialect, vendor: Vendor, upstream: Dialect) {
  const { client, request } = await session(caller, vendor, upstream, 3)
  const { status, body, losses } = await client.ask(edited(request))
  expect(status).toBe(200)
  return { list: body['input_transformations'], request, losses }
}
