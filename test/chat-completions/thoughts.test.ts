import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { stringify } from '../../src/json/json.ts'
import type { Block } from '../../src/model/request.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { othersThan } from '../dialects/index.ts'
import { clientOf } from '../laws/clients.ts'
import { readFrames, readRequest, writeReply, writeRequest } from '../laws/exchange.ts'
import { bothWays, chunk, read } from './reading.ts'

/** The numbers are those of the traps that servers of this dialect set. */

const thought = (text: string) => ({ kind: 'reasoning', text })
const text = (words: string) => ({ kind: 'text', text: words })
const part = (words: string) => [{ type: 'text', text: words }]
const entry = (rest: object) => ({ type: 'reasoning.text', format: 'unknown', index: 0, ...rest })

describe('a thought is read once, by whatever name its server has for it', () => {
  it.each<[string, object]>([
    ['DeepSeek, Kimi, GLM, Qwen, Fireworks, SGLang, llama.cpp', { reasoning_content: 'hm' }],
    ['xAI grok-3-mini, grok-code-fast-1', { reasoning_content: 'hm', refusal: null }],
    ['Groq with its channel', { reasoning: 'hm', channel: 'analysis' }],
    ['Cerebras, Together, Ollama, vLLM from 0.16', { reasoning: 'hm' }],
    ['vLLM 0.12 to 0.16, doubleword', { reasoning: 'hm', reasoning_content: 'hm' }],
    ['OpenRouter', { reasoning: 'hm', reasoning_details: [entry({ text: 'hm' })] }],
    [
      'a proof without words',
      { reasoning: 'hm', reasoning_details: [entry({ text: '', signature: 's' })] },
    ],
    ['Vercel as a body, MiniMax', { reasoning_details: [entry({ text: 'hm', format: null })] }],
    ['Avian', { reasoning_content: 'hm', reasoning_details: [entry({ text: 'hm' })] }],
    [
      "OpenAI's summaries over OpenRouter",
      { reasoning_details: [entry({ type: 'reasoning.summary', summary: 'hm' })] },
    ],
    ['Copilot', { reasoning_text: 'hm', reasoning_opaque: 'sealed' }],
  ])('45: %s', (_, members) => {
    for (const reply of bothWays({ content: 'yes', ...members }))
      expect(reply.blocks).toMatchObject([thought('hm'), text('yes')])
  })

  it('51: Mistral, as parts of the content', () => {
    const content = [{ type: 'thinking', thinking: part('hm'), closed: true }, ...part('yes')]
    for (const reply of bothWays({ content }))
      expect(reply.blocks).toMatchObject([thought('hm'), text('yes')])
    const pieces = read(
      chunk({ content: [{ type: 'thinking', thinking: part('h') }] }),
      chunk({ content: [{ type: 'thinking', thinking: part('m') }] }),
      chunk({ content: 'yes' }, 'stop'),
    )
    expect(pieces.blocks).toMatchObject([thought('hm'), text('yes')])
  })

  it('52: Perplexity and R1, in tags, which are text unless a profile says otherwise', () => {
    const content = '<think>hm</think>yes'
    for (const reply of bothWays({ content })) expect(reply.blocks).toMatchObject([text(content)])
  })

  it('OpenAI, xAI grok-4 and Anthropic: not at all', () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 9,
      total_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 8 },
    }
    for (const reply of bothWays({ content: 'yes' }, 'stop', { usage })) {
      expect(reply.blocks).toMatchObject([text('yes')])
      expect(reply.usage).toMatchObject({ output: 9, reasoning: 8 })
    }
  })

  it('absent: empty texts and nulls', () => {
    const nothing = { reasoning: null, reasoning_content: '', reasoning_details: [] }
    for (const reply of bothWays({ content: 'yes', ...nothing }))
      expect(reply.blocks).toMatchObject([text('yes')])
  })
})

const google = (id: string, data: string) => ({
  type: 'reasoning.encrypted',
  data,
  id,
  format: 'google-gemini-v1',
  index: 0,
})
const openai = (data: string) => ({
  type: 'reasoning.encrypted',
  data,
  id: 'rs_1',
  format: 'openai-responses-v1',
  index: 0,
})
const claude = (rest: object) => ({
  type: 'reasoning.text',
  format: 'anthropic-claude-v1',
  index: 0,
  ...rest,
})
const calling = (...ids: string[]) => ({
  tool_calls: ids.map((id, index) => ({
    index,
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  })),
})

/** What a server said, and what it has to be given back. */
const SEALED: [string, object[], object[]][] = [
  [
    '46: a signature in a delta of its own (Claude over OpenRouter)',
    [
      { reasoning_details: [claude({ text: 'h' })] },
      { reasoning_details: [claude({ text: 'm' })] },
      { reasoning_details: [claude({ signature: 'c2ln' })] },
      calling('call_a'),
    ],
    [claude({ text: 'hm', signature: 'c2ln' })],
  ],
  [
    '47: an entry with the id of a call (Gemini over OpenRouter)',
    [{ reasoning_details: [google('call_a', 'c2Vh')] }, calling('call_a')],
    [google('call_a', 'c2Vh')],
  ],
  [
    '48: an entry behind the text',
    [{ content: 'yes' }, { reasoning_details: [openai('c2Vh')] }],
    [openai('c2Vh')],
  ],
  [
    '49: several entries with one index',
    [{ reasoning_details: [openai('MQ=='), openai('Mg=='), openai('Mw==')] }, calling('call_a')],
    [openai('MQ=='), openai('Mg=='), openai('Mw==')],
  ],
  [
    'a summary and what proves it (OpenAI over OpenRouter)',
    [
      { reasoning_details: [{ ...openai(''), type: 'reasoning.summary', summary: 'hm' }] },
      { reasoning_details: [openai('c2Vh')] },
      calling('call_a'),
    ],
    [openai('c2Vh')],
  ],
]

it('Gemini proves a text beside its message', () => {
  const proof = { dialect: 'chat-completions', value: JSON.stringify({ extra_content: SIGNED }) }
  for (const reply of bothWays({ content: 'yes', extra_content: { ...SIGNED } }))
    expect(reply.blocks).toEqual([{ ...text('yes'), proof }])
})

const SIGNED = { google: { thought_signature: 'c2ln' } }

/** The reply as a caller's client has it, and its next request as the server gets it. */
function returned(dialect: Dialect, deltas: object[]): { details: unknown; message: string } {
  const chat = adapterOf('chat-completions')
  const caller = adapterOf(dialect)
  const request = { ...emptyRequest('m', true), reasoning: { mode: 'on' as const, visible: true } }
  const tools = [{ kind: 'function' as const, name: 'f' }]
  const frames = [...deltas.map((delta) => chunk(delta)), chunk({}, 'stop')]
  const data = frames.map((frame) => ({ data: JSON.stringify(frame) }))
  const { events } = readFrames(chat, { ...request, tools }, data)
  const { body = '' } = writeReply(caller, { ...request, tools }, events)
  const client = clientOf(dialect)
  const next = client.followUp(client.request('m', 'Hello'), JSON.parse(body))
  const { body: sent } = writeRequest(chat, { ...readRequest(caller, stringify(next)), tools })
  const messages: unknown = JSON.parse(stringify(sent))['messages']
  const message = (Array.isArray(messages) ? messages : []).find(({ role }) => role === 'assistant')
  return { details: message?.reasoning_details, message: JSON.stringify(message) }
}

describe.each(othersThan('chat-completions'))('over a client of %s comes back', (dialect) => {
  it.each(SEALED)('%s', (_, deltas, expected) => {
    const { details } = returned(dialect, deltas)
    for (const one of expected) expect(details).toContainEqual(one)
  })

  it.each(['google', 'vertex'])(
    'the member in which Gemini has the proof of a call, %s',
    (signer) => {
      const extra_content = { [signer]: { thought_signature: 'c2ln' } }
      const [call] = calling('call_a').tool_calls
      const { message } = returned(dialect, [{ tool_calls: [{ ...call, extra_content }] }])
      expect(message).toContain(JSON.stringify(extra_content))
    },
  )

  it.each<[string, object[]]>([
    ['beside it', [{ content: 'Yes.', extra_content: SIGNED }]],
    ['behind it', [{ content: 'Yes.' }, { extra_content: SIGNED }]],
    ['without it', [{ reasoning: 'hm' }, { extra_content: SIGNED }, calling('call_a')]],
    ['before a call', [{ content: 'Yes.' }, { extra_content: SIGNED }, calling('call_a')]],
  ])('the proof of a text that came %s', (_, deltas) => {
    const { message } = returned(dialect, deltas)
    expect(message).toContain(`"extra_content":${JSON.stringify(SIGNED)}`)
  })

  it('the members in which Copilot has its proof', () => {
    const copilot = [{ reasoning_text: 'hm', reasoning_opaque: 'c2ln' }, calling('call_a')]
    expect(returned(dialect, copilot).message).toContain('"reasoning_opaque":"c2ln"')
  })
})

const proof = (value: string) => ({ dialect: 'messages' as const, value })

describe('for a client of this dialect', () => {
  it('50: every entry has a format and an index of its own', () => {
    const chat = adapterOf('chat-completions')
    const blocks: Block[] = [
      { kind: 'reasoning', text: 'hm', proof: proof('c2ln') },
      { kind: 'reasoning', text: '', redacted: true, proof: proof('cmVk') },
      {
        kind: 'tool-call',
        id: 'call_a',
        name: 'f',
        form: 'json',
        input: '{}',
        proof: proof('eA=='),
      },
    ]
    const { body = '' } = writeReply(chat, emptyRequest('m'), [
      { type: 'start', id: 'x', model: 'm' },
      ...blocks.flatMap((block) => [
        { type: 'block-start' as const, block: 'text' in block ? { ...block, text: '' } : block },
        { type: 'block-end' as const, tail: {} },
      ]),
      { type: 'finish', reason: 'tool-call' },
    ])
    const [{ message }] = JSON.parse(body).choices
    const entries: { format: unknown; index: number }[] = message.reasoning_details
    expect(entries.every(({ format }) => typeof format === 'string')).toBe(true)
    expect(new Set(entries.map(({ index }) => index)).size).toBe(entries.length)
    expect(message.tool_calls[0].extra_content.google.thought_signature).toMatch(/^xseal1\./)
  })

  it('a thought stays in its place where a client joined the ids of its pieces (openai 2.54 for Python)', () => {
    const chat = adapterOf('chat-completions')
    const entry = {
      type: 'reasoning.text',
      text: 'hm',
      format: 'unknownunknown',
      index: 0,
      id: 'thought_3_3_0'.repeat(3),
    }
    const message = { role: 'assistant', content: 'yes!', reasoning_details: [entry] }
    const { turns } = readRequest(chat, stringify({ model: 'm', messages: [message] }))
    expect(turns[0]?.blocks).toMatchObject([
      { kind: 'text', text: 'yes' },
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: '!' },
    ])
  })
})
