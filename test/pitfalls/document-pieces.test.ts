import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { messages } from '../../adapters/messages/index.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'

/** Documents whose source is `content`: texts and pictures, of which the pictures were lost on the way. */

const DATA = 'iVBORw0KGgo='
const text = (words: string) => ({ type: 'text', text: words })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }
const document = (content: string | object[], more: object = {}) => ({
  type: 'document',
  source: { type: 'content', content },
  ...more,
})
const ask = (...content: object[]) => ({
  model: 'm',
  max_tokens: 90,
  messages: [{ role: 'user', content: [...content, text('What is shown?')] }],
})
const translated = (to: Dialect, body: object) =>
  translator({ from: 'messages', to, model: 'm' }).request(body)

/** Where each of these stands in what is sent; -1 for what is not. */
const order = (sent: JsonObject, ...words: string[]) =>
  words.map((word) => stringify(sent).indexOf(word))

const FOREIGN = ['generate-content', 'responses', 'chat-completions'] as const

describe.each(FOREIGN)('a document in pieces, over %s', (to) => {
  const mixed = document([text('First.'), text('Second.'), image, text('Third.')], { title: 'T' })

  it('is texts with the pictures between them', () => {
    const { body, losses } = translated(to, ask(mixed))
    const places = order(body, 'First.\\nSecond.', DATA, 'Third.', 'What is shown?')
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places).not.toContain(-1)
    expect(losses.filter(({ path, code }) => code === 'dropped' && !path.endsWith('name'))).toEqual(
      [],
    )
  })

  it('is a picture where it holds nothing else, and loses nothing as texts', () => {
    const { body, losses } = translated(to, ask(document([image])))
    expect(order(body, DATA)).not.toContain(-1)
    expect(stringify(body)).not.toMatch(/"text":""/)
    expect(losses.filter(({ code }) => code === 'dropped')).toEqual([])
    for (const content of ['One.', [text('One.')]]) {
      const plain = translated(to, ask(document(content)))
      expect(order(plain.body, 'One.')).not.toContain(-1)
      expect(plain.losses.filter(({ code }) => code === 'dropped')).toEqual([])
    }
  })

  it('is told of where it is the result of a tool', () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [mixed] }
    const { body } = translated(to, {
      ...ask(),
      messages: [
        { role: 'user', content: 'Read.' },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [result] },
      ],
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
    })
    expect(order(body, 'First.', DATA, 'Third.')).not.toContain(-1)
  })

  it('reports what of a piece has no place', () => {
    const later = { type: 'later', words: 'x' }
    const odd = document([{ ...text('First.'), extra: 1 }, later, image], { context: 'c' })
    const { losses } = translated(to, ask(odd))
    expect(losses.map(({ path, field }) => [path, field])).toEqual(
      expect.arrayContaining([
        ['turns.0.blocks.0.extra', expect.stringContaining('/messages/0/content/0')],
        ['turns.0.blocks.1.context', '/messages/0/content/0/context'],
        ['turns.0.blocks.1.source', expect.stringContaining('/messages/0/content/0/source')],
      ]),
    )
  })
})

it('a document in pieces is the same document for its own dialect', () => {
  const cache_control = { type: 'ephemeral' }
  const marked = document([{ ...text('a'), cache_control }, text('b'), image], { cache_control })
  const body = ask(document([image, text('c')], { title: 'T', context: 'x' }), marked)
  const request = readRequest(messages, JSON.stringify(body))
  expect(request.turns[0]?.blocks.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 5 }, () => 'media'),
    'text',
  ])
  const { messages: sent } = writeRequest(messages, request).body
  expect(sent).toEqual(body.messages)
})
