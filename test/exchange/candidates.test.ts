import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/index.ts'
import { secretHider } from '../../src/exchange/reply/hide-secrets.ts'
import type { Event } from '../../src/model/events.ts'
import { fold, verify } from '../../src/model/events.ts'
import { secretForms } from '../../src/upstream/spellings.ts'
import { translator } from '../../src/named-translator.ts'

const CHAT = {
  model: 'm',
  n: 3,
  messages: [{ role: 'user', content: 'x' }],
  stream_options: { include_usage: true },
}
const GENERATE = {
  contents: [{ role: 'user', parts: [{ text: 'x' }] }],
  generationConfig: { candidateCount: 3 },
}

const toGenerate = () => {
  const between = translator({ from: 'chat-completions', to: 'generate-content' })
  return { between, request: between.request(CHAT) }
}
const toChat = () => {
  const between = translator({ from: 'generate-content', to: 'chat-completions', model: 'm' })
  return { between, request: between.request(GENERATE) }
}

const spoken = (text: string, more: object = {}) => ({
  content: { role: 'model', parts: [{ text }] },
  ...more,
})
const called = { content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] } }
const COUNTS = { promptTokenCount: 2, candidatesTokenCount: 9, totalTokenCount: 11 }

const message = (content: string) => ({ role: 'assistant', content })
const chunk = (index: number, content: string, finish_reason: string | null = null) => ({
  id: 'c',
  model: 'm',
  choices: [{ index, delta: { content }, finish_reason }],
})

/** The data of a stream, read in one piece or byte by byte. */
async function streamed(
  between: { stream(): TransformStream<Uint8Array, Uint8Array> },
  frames: readonly (object | string)[],
  size = Infinity,
) {
  const text = frames
    .map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    .join('')
  const bytes = new TextEncoder().encode(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / Math.min(size, bytes.length)) })
  const source = ReadableStream.from(
    pieces.map((_, at) => (size === Infinity ? bytes : bytes.slice(at * size, (at + 1) * size))),
  )
  const out = await new Response(source.pipeThrough(between.stream())).text()
  return [...out.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    data === '[DONE]' ? data : JSON.parse(data),
  )
}

describe('several answers', () => {
  it('are asked for in the words of either dialect, and lost nowhere', () => {
    const { request } = toGenerate()
    expect(request.body['generationConfig']).toMatchObject({ candidateCount: 3 })
    expect(request.losses).toEqual([])
    const chat = toChat().request
    expect(chat.body['n']).toBe(3)
    expect(chat.losses).toEqual([])
  })

  it.each(['messages', 'responses'] as const)('are not asked of %s, and that is told', (to) => {
    const losses = [
      translator({ from: 'chat-completions', to }).request(CHAT).losses,
      translator({ from: 'generate-content', to, model: 'm' }).request(GENERATE).losses,
    ]
    for (const list of losses)
      expect(list).toContainEqual(
        expect.objectContaining({ code: 'dropped', path: 'sampling.candidateCount' }),
      )
  })

  it('come in one body from content generation', () => {
    const { between } = toGenerate()
    const candidates = [
      spoken('one', { finishReason: 'STOP' }),
      { ...called, index: 1, finishReason: 'STOP' },
      spoken('three', { index: 2, finishReason: 'MAX_TOKENS' }),
    ]
    const { body, losses } = between.reply({ candidates, usageMetadata: COUNTS, responseId: 'r' })
    expect(losses).toEqual([])
    expect(body).toMatchObject({
      choices: [
        { index: 0, finish_reason: 'stop', message: { content: 'one' } },
        { index: 1, finish_reason: 'tool_calls', message: { content: null, tool_calls: [{}] } },
        { index: 2, finish_reason: 'length', message: { content: 'three' } },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 9, total_tokens: 11 },
    })
  })

  it('come in one body from chat completions', () => {
    const { between } = toChat()
    const { body, losses } = between.reply({
      id: 'c',
      model: 'm',
      choices: [
        { index: 0, finish_reason: 'stop', message: message('one') },
        { index: 1, finish_reason: 'length', message: message('two') },
        { index: 2, finish_reason: 'content_filter', message: message('') },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 9, total_tokens: 11 },
    })
    expect(losses).toEqual([])
    expect(body).toMatchObject({
      candidates: [
        spoken('one', { index: 0, finishReason: 'STOP' }),
        spoken('two', { index: 1, finishReason: 'MAX_TOKENS' }),
        { index: 2, finishReason: 'SAFETY' },
      ],
      usageMetadata: COUNTS,
    })
  })

  it.each([Infinity, 1])(
    'come interleaved from content generation, %s bytes at once',
    async (size) => {
      const chunks = await streamed(
        toGenerate().between,
        [
          { responseId: 'r', candidates: [spoken('a'), spoken('b', { index: 1 })] },
          { responseId: 'r', candidates: [spoken('B', { index: 1, finishReason: 'STOP' })] },
          { responseId: 'r', candidates: [{ ...called, index: 2, finishReason: 'STOP' }] },
          {
            responseId: 'r',
            candidates: [spoken('A', { finishReason: 'MAX_TOKENS' })],
            usageMetadata: COUNTS,
          },
        ],
        size,
      )
      expect(chunks.at(-1)).toBe('[DONE]')
      expect(chunks.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: 11 } })
      const choices = chunks.slice(0, -2).flatMap((chunk) => chunk.choices)
      const of = (index: number) => choices.filter((choice) => choice.index === index)
      for (const index of [0, 1, 2]) expect(of(index)[0].delta.role).toBe('assistant')
      const said = (index: number) =>
        of(index)
          .map((choice) => choice.delta.content ?? '')
          .join('')
      expect([said(0), said(1), said(2)]).toEqual(['aA', 'bB', ''])
      const ends = [0, 1, 2].map((index) => of(index).at(-1).finish_reason)
      expect(ends).toEqual(['length', 'stop', 'tool_calls'])
      expect(new Set(chunks.slice(0, -1).map(({ id }) => id)).size).toBe(1)
    },
  )

  it.each([Infinity, 1])(
    'come interleaved from chat completions, %s bytes at once',
    async (size) => {
      const usage = { prompt_tokens: 2, completion_tokens: 9, total_tokens: 11 }
      const chunks = await streamed(
        toChat().between,
        [
          chunk(1, 'b'),
          chunk(0, 'a'),
          chunk(1, 'B', 'length'),
          chunk(0, 'A', 'stop'),
          chunk(2, 'c', 'stop'),
          { id: 'c', model: 'm', choices: [], usage },
          '[DONE]',
        ],
        size,
      )
      const candidates = chunks.flatMap((each) => each.candidates)
      const of = (index: number) => candidates.filter((candidate) => candidate.index === index)
      const said = (index: number) =>
        of(index)
          .flatMap(({ content }) => content.parts)
          .map(({ text }) => text)
          .join('')
      expect([said(0), said(1), said(2)]).toEqual(['aA', 'bB', 'c'])
      const ends = [0, 1, 2].map((index) => of(index).at(-1).finishReason)
      expect(ends).toEqual(['STOP', 'MAX_TOKENS', 'STOP'])
      const counted = chunks.filter(({ usageMetadata }) => usageMetadata)
      expect(counted).toEqual([chunks.at(-1)])
      expect(chunks.at(-1).usageMetadata).toMatchObject(COUNTS)
    },
  )

  it('are incomplete together where the stream ends inside of one', async () => {
    const chunks = await streamed(toChat().between, [chunk(0, 'a', 'stop'), chunk(1, 'b')])
    expect(chunks.at(-1)).toHaveProperty('error')
  })

  it('are told as lost where nobody asked for so many', () => {
    const between = translator({ from: 'chat-completions', to: 'generate-content' })
    between.request({ ...CHAT, n: 2 })
    const { body, losses } = between.reply({
      candidates: [0, 1, 2, 1e9, -1, 0.5].map((index) => spoken('x', { index })),
    })
    expect(body['choices']).toHaveLength(2)
    expect(losses).toMatchObject([{ code: 'dropped', path: 'reply.candidates' }])
  })
})

const calling = (place: number) => ({
  index: place,
  finishReason: 'STOP',
  content: {
    parts: [{ functionCall: { name: 'f', args: { place } }, thoughtSignature: `sign${place}` }],
  },
})

it('leave their proofs for a client that brings back the call alone', async () => {
  const sent: string[] = []
  const app = createApp(
    {
      upstreams: { one: { dialect: 'generate-content', url: 'https://one.example', key: 'key' } },
      routes: [{ model: '*', upstream: 'one' }],
      callers: 'open',
      state: { store: 'memory', proofs: true },
    },
    {
      send: async ({ body }) => {
        sent.push(await new Response(body).text())
        const reply = JSON.stringify({ responseId: 'r', candidates: [calling(0), calling(1)] })
        return { status: 200, headers: new Headers(), body: new Response(reply).body }
      },
    },
  )
  const ask = async (messages: unknown[]) => {
    const body = JSON.stringify({ ...CHAT, n: 2, messages })
    const headers = { 'content-type': 'application/json' }
    const url = 'http://localhost/v1/chat/completions'
    const answer = await app.fetch(new Request(url, { method: 'POST', headers, body }))
    return JSON.parse(await answer.text())
  }
  const { choices } = await ask(CHAT.messages)
  const { id, type, function: called } = choices[1].message.tool_calls[0]
  const answered = { role: 'tool', tool_call_id: id, content: 'ok' }
  const kept = { role: 'assistant', content: null, tool_calls: [{ id, type, function: called }] }
  await ask([...CHAT.messages, kept, answered])
  expect(sent[1]).toContain('sign1')
})

const at = (index: number, event: Event): Event => ({ type: 'candidate', index, event })
const START: Event = { type: 'start', id: 'r', model: 'm' }
const FINISH: Event = { type: 'finish', reason: 'stop' }
const TEXT: Event = { type: 'block-start', block: { kind: 'text', text: '' } }
const delta = (text: string): Event => ({ type: 'block-delta', text })
const END: Event = { type: 'block-end', tail: {} }

describe('the events of further candidates', () => {
  const whole = [START, at(1, START), TEXT, at(1, TEXT), at(1, END), END, at(1, FINISH), FINISH]

  it('follow the grammar by themselves', () => {
    expect(verify(whole)).toBeUndefined()
    expect(verify(whole.filter((event) => event !== whole[6]))).toMatch(/candidate 1: /)
    expect(verify([START, at(1, { type: 'usage', usage: {} }), FINISH])).toMatch(/usage/)
    expect(fold(whole).others).toMatchObject([{ reply: { finish: 'stop' } }])
  })

  it('hide credentials whose pieces come between those of another', () => {
    const key = 'sk-a-key-that-is-secret'
    const conceal = secretHider(secretForms([key]))
    const [first, second] = [key.slice(0, 9), key.slice(9)]
    const pieces = [delta(first), at(1, delta(first)), delta(second), at(1, delta(second))]
    const ends = [END, at(1, END), at(1, FINISH), FINISH]
    const shown = conceal([START, TEXT, at(1, TEXT), ...pieces, ...ends])
    expect(JSON.stringify(shown)).not.toContain(second)
    expect(verify([...shown].toSpliced(1, 0, at(1, START)))).toBeUndefined()
  })
})
