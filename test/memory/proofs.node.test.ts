import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { PROVING } from '../dialects/index.ts'
import { StoreUnavailableError } from '../../src/memory/store.ts'
import { call, said, text, thinking, type Piece } from '../sdk/script.ts'
import { hear } from './heard.ts'
import { BASE, KEYS, proxyOf, type ProxyOptions } from './proxy.ts'

const PROOF = 'cHJvb2Zwcm9v'
const tools = [
  {
    type: 'function' as const,
    name: 'look',
    parameters: { type: 'object', properties: {} },
    strict: false,
  },
]
const keeping: ProxyOptions = { change: { retention: { proofs: true } } }

const proxyWith = (options: ProxyOptions) =>
  proxyOf(
    () =>
      turns.next++ % 2 === 0
        ? said([thinking('Hm.', PROOF), call('call_1', 'look', { b: 1, a: [2] })], 'tool-call')
        : said([text('Done.')]),
    options,
  )
const turns = { next: 0 }

/** The client keeps the call and drops what was thought. */
async function forgetful(
  options: ProxyOptions,
  dialect: string,
  change: object = {},
  key = KEYS[0],
  asked: object = {},
) {
  turns.next = 0
  const proxy = proxyWith(options)
  const model = `${dialect}-x`
  await proxy.client().responses.create({ model, input: 'Look.', tools, ...asked })
  const input = [
    { role: 'user' as const, content: 'Look.' },
    {
      type: 'function_call' as const,
      call_id: 'call_1',
      name: 'look',
      arguments: '{ "a": [2], "b": 1 }',
      ...change,
    },
    { type: 'function_call_output' as const, call_id: 'call_1', output: 'A dragon.' },
  ]
  await proxy.client(key).responses.create({ model, input, tools })
  return proxy
}

const proofsIn = (proxy: ReturnType<typeof proxyOf>, dialect: Dialect) =>
  hear(dialect, proxy.got[1]?.body)
    .turns.flatMap((turn) => turn.pieces)
    .flatMap((piece) => (piece.kind === 'thinking' && piece.proof !== '' ? [piece.proof] : []))

describe.each(PROVING.filter((dialect) => dialect !== 'responses'))('proofs over %s', (dialect) => {
  test('come back for a client that dropped them', async () => {
    expect(proofsIn(await forgetful(keeping, dialect), dialect)).toEqual([PROOF])
  })

  test('stay away unless the configuration asks for them', async () => {
    expect(proofsIn(await forgetful({}, dialect), dialect)).toEqual([])
  })

  test('are not kept for a request that wants nothing to be kept', async () => {
    const proxy = await forgetful(keeping, dialect, {}, KEYS[0], { store: false })
    expect(proofsIn(proxy, dialect)).toEqual([])
  })

  test('belong to their call and to their caller', async () => {
    const another = await forgetful(keeping, dialect, { arguments: '{"a":[2],"b":2}' })
    expect(proofsIn(another, dialect)).toEqual([])
    expect(proofsIn(await forgetful(keeping, dialect, { name: 'look' }, KEYS[1]), dialect)).toEqual(
      [],
    )
  })
})

const foreign = PROVING.filter((dialect) => dialect !== 'chat-completions')
/** LangChain and the AI SDK's provider for OpenAI bring back calls and words, and nothing else. */
describe.each(foreign)('proofs over %s, for a client of chat completions', (dialect) => {
  test('come back for a call, whatever has become of what was thought', async () => {
    turns.next = 0
    const proxy = proxyWith(keeping)
    const { completions } = proxy.client().chat
    const model = `${dialect}-x`
    const functions = [{ type: 'function' as const, function: { name: 'look' } }]
    const question = { role: 'user' as const, content: 'Look.' }
    const asked = { model, tools: functions }
    const { choices } = await completions.create({ ...asked, messages: [question] })
    const { content, tool_calls = [] } = choices[0]?.message ?? {}
    const messages = [
      question,
      {
        role: 'assistant' as const,
        content: content ?? null,
        tool_calls: tool_calls.map(({ id }) => ({
          id,
          type: 'function' as const,
          function: { name: 'look', arguments: '{ "a": [2], "b": 1 }' },
        })),
      },
      ...tool_calls.map(({ id }) => ({
        role: 'tool' as const,
        tool_call_id: id,
        content: 'A dragon.',
      })),
    ]
    await completions.create({ ...asked, messages })
    expect(proofsIn(proxy, dialect)).toEqual([PROOF])
  })
})

/** The AI SDK's provider for compatible servers brings back the words of a thought, and not its proof. */
describe.each(foreign)('proofs over %s, of a turn without a call', (dialect) => {
  test('come back with the words of the thought, and with no others', async () => {
    const proxy = proxyOf(() => said([thinking('Hm. So be it.', PROOF), text('Done.')]), keeping)
    const { completions } = proxy.client().chat
    const model = `${dialect}-x`
    const question = { role: 'user' as const, content: 'Well?' }
    await completions.create({ model, messages: [question] })
    for (const reasoning_content of ['Hm. So be it.', 'Hm. So be that.']) {
      const kept = { role: 'assistant' as const, content: 'Done.', reasoning_content }
      await completions.create({ model, messages: [question, kept, question] })
    }
    expect(proofsIn(proxy, dialect)).toEqual([PROOF])
    expect(proxy.got[2]?.text).not.toContain(PROOF)
  })
})

/** Services that think between their words take each thought back only where it stood: OpenAI's, Anthropic's. */
describe.each(['messages', 'responses'] as const)('thoughts between words over %s', (dialect) => {
  const [one, two] = [`${PROOF}1`, `${PROOF}2`]
  const order = async (pieces: Piece[], change: object = {}) => {
    const calls = pieces.filter(({ kind }) => kind === 'call')
    const proxy = proxyOf(() => said(pieces, calls.length > 0 ? 'tool-call' : 'stop'), keeping)
    const { completions } = proxy.client().chat
    const functions = [{ type: 'function' as const, function: { name: 'look' } }]
    const asked = { model: `${dialect}-x`, tools: functions }
    const question = { role: 'user' as const, content: 'Look.' }
    const { choices } = await completions.create({ ...asked, messages: [question] })
    const { content, tool_calls } = choices[0]?.message ?? {}
    const results = (tool_calls ?? []).map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: 'A dragon.',
    }))
    // All texts of a message are one, and stand before its calls.
    const kept = {
      role: 'assistant' as const,
      content: content ?? null,
      ...(tool_calls && {
        tool_calls: tool_calls.map((made) => ({
          id: made.id,
          type: 'function' as const,
          function: made.type === 'function' ? made.function : { name: '', arguments: '' },
        })),
      }),
      ...change,
    }
    await completions.create({ ...asked, messages: [question, kept, ...results, question] })
    const [, spoken] = hear(dialect, proxy.got[1]?.body).turns
    return spoken?.pieces.map((piece) => {
      if (piece.kind === 'thinking') return piece.proof
      return piece.kind === 'text' ? piece.text : piece.kind
    })
  }
  test('come back between calls', async () => {
    const calls = [call('call_1', 'look', {}), call('call_2', 'look', { b: 1 })] as const
    const pieces = [thinking('Hm.', one), calls[0], thinking('Oh.', two), calls[1]]
    expect(await order(pieces)).toEqual([one, 'call', two, 'call'])
  })

  test('come back between words and a call', async () => {
    const pieces = [
      thinking('Hm.', one),
      text('I look 😀.'),
      thinking('Oh.', two),
      call('call_1', 'look', {}),
    ]
    expect(await order(pieces)).toEqual([one, 'I look 😀.', two, 'call'])
    expect(await order(pieces, { content: 'I look' })).toEqual([one, 'I look', two, 'call'])
  })

  test('come back within words that were joined', async () => {
    const pieces = [thinking('Hm.', one), text('Well.'), thinking('Oh.', two), text(' Done.')]
    const kept = { reasoning_content: 'Hm.Oh.' }
    expect(await order(pieces, kept)).toEqual([one, 'Well.', two, ' Done.'])
  })
})

const refuse = () => Promise.reject(new StoreUnavailableError('away'))

describe('proofs', () => {
  test('of another upstream are not sent', async () => {
    turns.next = 0
    const routes = [
      { model: 'one', upstream: 'messages' },
      { model: 'two', upstream: 'generate-content' },
    ]
    const proxy = proxyWith({ ...keeping, routes })
    const { responses } = proxy.client()
    await responses.create({ model: 'one', input: 'Look.', tools })
    const input = [
      { role: 'user' as const, content: 'Look.' },
      {
        type: 'function_call' as const,
        call_id: 'call_1',
        name: 'look',
        arguments: '{"b":1,"a":[2]}',
      },
      { type: 'function_call_output' as const, call_id: 'call_1', output: 'A dragon.' },
    ]
    await responses.create({ model: 'two', input, tools })
    expect(proxy.got[1]?.text).not.toContain(PROOF)
  })

  test('that the client brought back are left as they are', async () => {
    turns.next = 0
    const gets: string[] = []
    const proxy = proxyWith({
      ...keeping,
      store: {
        get: async (key: string) => {
          gets.push(key)
          return undefined
        },
        put: async () => {},
        delete: async () => false,
        close: async () => {},
      },
    })
    const { responses } = proxy.client()
    const model = 'messages-x'
    const first = await responses.create({ model, input: 'Look.', tools })
    const answer = { type: 'function_call_output' as const, call_id: 'call_1', output: 'x' }
    const input = [{ role: 'user' as const, content: 'Look.' }, ...first.output, answer]
    await responses.create({ model, input: input as never, tools })
    expect(proofsIn(proxy, 'messages')).toEqual([PROOF])
    expect(gets).toEqual([])
  })

  test('are not missed when the store is down', async () => {
    const store = { get: refuse, put: refuse, delete: refuse, close: async () => {} }
    const proxy = await forgetful({ ...keeping, store }, 'messages')
    expect(proxy.got).toHaveLength(2)
  })

  test('come back for callers of other dialects too', async () => {
    turns.next = 0
    const proxy = proxyWith(keeping)
    const client = new Anthropic({ apiKey: KEYS[0] ?? '', baseURL: BASE, fetch: proxy.fetch })
    const body = {
      model: 'generate-content-x',
      max_tokens: 100,
      tools: [{ name: 'look', input_schema: { type: 'object' as const } }],
    }
    const question = { role: 'user' as const, content: 'Look.' }
    const first = await client.messages.stream({ ...body, messages: [question] }).finalMessage()
    const calls = first.content.filter((block) => block.type === 'tool_use')
    const results = calls.map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'A dragon.',
    }))
    await client.messages.create({
      ...body,
      messages: [
        question,
        { role: 'assistant', content: calls },
        { role: 'user', content: results },
      ],
    })
    expect(proofsIn(proxy, 'generate-content')).toEqual([PROOF])
  })
})
