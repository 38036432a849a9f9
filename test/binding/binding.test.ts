import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { objectsOf, type JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'
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
  it.each([
    ['messages', responsesVendor, 'responses'],
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

async function told(caller: Dialect, vendor: Vendor, upstream: Dialect) {
  const { client, request } = await session(caller, vendor, upstream, 3)
  const { status, body, losses } = await client.ask(edited(request))
  expect(status).toBe(200)
  return { list: body['input_transformations'], request, losses }
}
