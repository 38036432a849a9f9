import { describe, expect, it } from 'vitest'
import { adapterOf } from '../dialects/adapters.ts'
import { fold } from '../../src/model/events.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { readBodyText, readFrames, writeReply } from '../laws/exchange.ts'
import { bothWays, chunk, completion } from './reading.ts'

const adapter = adapterOf('chat-completions')
const request = emptyRequest('m')
const text = (said: string) => ({ type: 'text', text: said })

/** What a messages caller is told to be lost of a message, in a body and in a stream. */
function lost(message: object): string[][] {
  const frames = [chunk(message), chunk({}, 'stop')].map((each) => ({ data: JSON.stringify(each) }))
  const heard = [
    readBodyText(adapter, request, JSON.stringify(completion(message))),
    readFrames(adapter, request, frames),
  ]
  return heard.map(({ events }) =>
    writeReply(adapterOf('messages'), request, events)
      .losses.map(({ code, path }) => `${code} ${path}`)
      .toSorted(),
  )
}

describe('a content in parts', () => {
  it.each([
    ['a refusal', [{ type: 'refusal', refusal: 'No.' }], [{ kind: 'refusal', text: 'No.' }]],
    [
      'a picture',
      [text('A'), { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      [{ text: 'A' }, { kind: 'media', source: { data: 'AAAA' } }],
    ],
    [
      'what only its server knows (references of Mistral)',
      [text('A'), { type: 'reference', reference_ids: [1] }, text('B')],
      [{ text: 'A' }, { kind: 'opaque', value: { type: 'reference' } }, { text: 'B' }],
    ],
  ])('is read in a stream as in a body: %s', (_name, content, blocks) => {
    for (const reply of bothWays({ content })) expect(reply.blocks).toMatchObject(blocks)
  })

  it('is read where they are bare texts, or do not say their type', () => {
    for (const { blocks } of bothWays({ content: [text('A'), { text: 'B' }, 'C'] }))
      expect(blocks.map((block) => 'text' in block && block.text).join('')).toBe('ABC')
  })
})

describe('a thought beside what only its provider can read', () => {
  it('is told, in a body as in a stream', () => {
    const entry = {
      type: 'reasoning.encrypted',
      data: 'e',
      id: 'rs_1',
      format: 'openai-responses-v1',
    }
    for (const { blocks } of bothWays({
      content: 'A',
      reasoning: 'Hm.',
      reasoning_details: [entry],
    }))
      expect(blocks).toContainEqual(expect.objectContaining({ kind: 'reasoning', text: 'Hm.' }))
  })
})

describe('a call of the older kind without a word in it (Snowflake)', () => {
  it('is none, in a body as in a stream', () => {
    for (const { blocks, finish } of bothWays({
      content: 'A',
      function_call: { name: '', arguments: '' },
    }))
      expect({ blocks, finish }).toMatchObject({ blocks: [{ text: 'A' }], finish: 'stop' })
  })
})

describe('arguments as the empty list that PHP makes of an empty object', () => {
  it('are none, in a body as in a stream', () => {
    const called = { id: 'c', type: 'function', function: { name: 'f', arguments: [] } }
    for (const { blocks, finish } of bothWays({ tool_calls: [called] }))
      expect({ blocks, finish }).toMatchObject({ blocks: [{ input: '{}' }], finish: 'tool-call' })
  })
})

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const choice = (message: object, finish_reason = 'tool_calls') => ({ finish_reason, message })

function replyOf(choices: object[], candidateCount = 1) {
  const asked = { ...request, sampling: { candidateCount } }
  return readBodyText(adapter, asked, JSON.stringify({ ...completion({}), choices }))
}

describe('calls in choices of their own (Claude at Copilot)', () => {
  const one = choice({ content: null, tool_calls: [call('a')] })
  const other = choice({ content: '', tool_calls: [call('b')] })

  it.each([
    [
      'words',
      choice({ role: 'assistant', content: 'A' }),
      [{ text: 'A' }, { id: 'a' }, { id: 'b' }],
    ],
    ['words that end', choice({ content: 'A' }, 'stop'), [{ text: 'A' }, { id: 'a' }, { id: 'b' }]],
    ['a call', choice({ tool_calls: [call('c')] }), [{ id: 'c' }, { id: 'a' }, { id: 'b' }]],
  ])('belong to the first, behind %s', (_, first, blocks) => {
    const { events, losses } = replyOf([first, one, other])
    expect(fold(events).reply).toMatchObject({ blocks, finish: 'tool-call' })
    expect(losses).toEqual([])
  })

  it('undo no cut', () => {
    const { events } = replyOf([choice({ content: 'A' }, 'length'), one])
    expect(fold(events).reply).toMatchObject({ finish: 'length' })
  })

  it('are not carried out where they were cut', () => {
    const { events, losses } = replyOf([
      choice({ content: 'A' }, 'stop'),
      { ...one, finish_reason: 'length' },
    ])
    expect(fold(events).reply).toMatchObject({ blocks: [{ text: 'A' }], finish: 'stop' })
    expect(losses).toEqual([{ code: 'dropped', path: 'reply.candidates' }])
  })

  it('bring what their choice says beside them', () => {
    const { losses } = replyOf([choice({ content: 'A' }), { ...one, strange: 1 }])
    expect(losses).toEqual(replyOf([{ ...choice({ content: 'A' }), strange: 1 }]).losses)
  })

  it('are of another candidate where more were asked for, or where that has words', () => {
    const words = choice({ content: 'A' })
    const more = choice({ content: 'B', tool_calls: [call('a')] })
    for (const { events } of [replyOf([words, one], 2), replyOf([words, more])])
      expect(fold(events).reply.blocks).toMatchObject([{ text: 'A' }])
  })
})

describe('a member in a shape in which nothing is read of it', () => {
  it.each([
    ['content', { content: { answer: 1 } }],
    ['reasoning', { content: 'A', reasoning: { text: 'Hm.' } }],
    ['tool_calls', { content: 'A', tool_calls: { id: 'c', function: { name: 'f' } } }],
    ['annotations', { content: 'A', annotations: { url: 'https://a.example' } }],
    ['annotations', { content: 'A', annotations: 'https://a.example' }],
  ])('is reported: %s', (name, message) => {
    expect(lost(message)).toEqual([[`dropped reply.${name}`], [`dropped reply.${name}`]])
  })
})
