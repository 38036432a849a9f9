import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { TIMEOUTS } from '../../src/config/defaults.ts'
import { parseObject, type JsonObject } from '../../src/json/json.ts'
import { framesIn } from '../line-reader.ts'
import {
  bytewise,
  proxyOf,
  silenceUntil,
  sleep,
  sse,
  sseReply,
  type Chunk,
  type SettingsChange,
} from '../exchange/proxy.ts'

/** A stream between two sides of `responses` that has no end of its own gets one, which goes on with it. */

const OPENING = { id: 'resp_upstream', object: 'response', created_at: 1_690_000_000 }
const TOOL = { type: 'function', name: 'f', parameters: { examples: [{ sequence_number: 900 }] } }

function begun(first: number, model = 'real-model-2025'): JsonObject[] {
  const response = { ...OPENING, model, status: 'in_progress', output: [], tools: [TOOL] }
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress' }
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return [
    { type: 'response.created', sequence_number: first, response },
    { type: 'response.in_progress', sequence_number: first + 1, response },
    {
      type: 'response.output_item.added',
      sequence_number: first + 2,
      output_index: 0,
      item: { ...item, content: [] },
    },
    ...['Hel', 'lo, "sequence_number": 7, ', '{"sequence_number":8}'].map((delta, index) => ({
      type: 'response.output_text.delta',
      sequence_number: first + 3 + index,
      ...at,
      delta,
    })),
  ]
}

const named = (event: JsonObject): string => `event: ${String(event['type'])}\n${sse(event)}`

async function ask(
  chunks: Iterable<Chunk>,
  change: SettingsChange = {},
  model = 'plain-1',
  said: JsonObject = {},
  read = (response: Response) => response.text(),
) {
  const settings = { ...change, upstream: { dialect: 'responses', ...change.upstream } }
  const proxy = proxyOf(() => sseReply(chunks), settings, { dialects })
  const body = { model, input: 'hi', stream: true, ...said }
  const response = await proxy.fetch('/v1/responses', { body })
  const text = await read(response)
  return framesIn(text).map(({ data }) => parseObject(data) ?? {})
}

const lastOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).at(-1)

const failedAt = (sequence_number: number, model = 'real-model-2025') => ({
  type: 'response.failed',
  sequence_number,
  response: { ...OPENING, model, status: 'failed', error: { message: expect.any(String) } },
})

const texts = (first = 0) => begun(first).map(named)
const LOST = new Error('reset')

describe('the error behind a stream that passes', () => {
  it.each<[string, Chunk[]]>([
    ['ends early', texts()],
    ['is cut', [...texts(), LOST]],
    ['is cut, all in one piece', [texts().join(''), LOST]],
    ['is cut, byte by byte', [...bytewise(texts().join('')), LOST]],
    ['is cut inside an event', [...texts(), 'event: response.output_text.delta\ndata: {"ty', LOST]],
    ['is cut behind comments', [...texts(), ': wait\n\n', ': wait\n\n', LOST]],
    ['is cut behind an event without a number', [...texts(), sse({ type: 'keepalive' }), LOST]],
    ['goes on with foreign words', [...texts(), sse({ error: { code: 429, message: 'Slow.' } })]],
    ['goes on with a foreign end', [...texts(), sse({ detail: 'no more' })]],
    ['goes on with foreign words in one piece', [texts().join('') + sse({ detail: 'no more' })]],
    ['has blanks', [...begun(0).map((event) => `data: ${spaced(event)}\n\n`), LOST]],
    ['has other line ends', [...texts().map((text) => text.replaceAll('\n', '\r\n')), LOST]],
  ])('is its next event where it %s', async (_, chunks) => {
    expect(await lastOf(chunks)).toMatchObject(failedAt(6))
  })

  it('does not count what its upstream says behind foreign words', async () => {
    const [, , , ...deltas] = texts(3)
    for (const before of [texts().join(''), texts().slice(0, -1).join('')]) {
      const chunk = before + sse({ detail: 'no more' }) + deltas.join('')
      const last = before.length < texts().join('').length ? 5 : 6
      expect(await lastOf([chunk])).toMatchObject(failedAt(last))
      expect(await lastOf(bytewise(chunk))).toMatchObject(failedAt(last))
    }
  })

  it('counts on from any number', async () => {
    expect(await lastOf([...texts().slice(0, 1), LOST])).toMatchObject(failedAt(1))
    expect(await lastOf([...texts(1), LOST])).toMatchObject(failedAt(7))
    expect(await lastOf([...texts(123_456), LOST])).toMatchObject(failedAt(123_462))
  })

  it('has the number of the event whose place it takes', async () => {
    const failed = { type: 'response.failed', sequence_number: 6, error: { message: 'no' } }
    const told = await ask([...texts(), named(failed)])
    expect(told.at(-2)).toMatchObject({ sequence_number: 5 })
    expect(told.at(-1)).toMatchObject(failedAt(6))
  })

  it('comes at the end of a clock too', async () => {
    const timeouts = { ...TIMEOUTS, idleMs: 30 }
    const chunks = [...texts(), sleep(200)]
    expect(await lastOf(chunks, { upstream: { timeouts } })).toMatchObject(failedAt(6))
  })

  it('has the name of the model that the caller knows', async () => {
    expect(await lastOf([...texts(), LOST], {}, 'alias')).toMatchObject(failedAt(6, 'alias'))
  })

  it('has an id of its own where the stream has said none, and number 2 where it has no numbers', async () => {
    const [, , ...events] = begun(0)
    const mute = events.map((event) => named({ ...event, sequence_number: null }))
    expect(await lastOf([...mute, LOST])).toMatchObject({
      type: 'response.failed',
      sequence_number: 2,
      response: { id: expect.stringMatching(/^resp_/), model: 'plain-1' },
    })
  })
})

const item = (id: string) => ({ type: 'message', id, role: 'assistant', status: 'completed' })

const done = (id: string, sequence_number: number) => ({
  type: 'response.output_item.done',
  sequence_number,
  output_index: sequence_number,
  item: { ...item(id), content: [{ type: 'output_text', text: id, annotations: [] }] },
})

function opened(store: boolean): JsonObject[] {
  const [first, ...others] = begun(0)
  const response = { ...OPENING, model: 'm', metadata: { store: 'none' }, store }
  return [{ ...first, response }, ...others]
}

describe('the response of such an error', () => {
  it('has the items that were done, and says whether it is kept', async () => {
    for (const store of [true, false])
      for (const write of [named, sse]) {
        const events = [...opened(store), done('msg_1', 6), done('msg_2', 7)]
        const text = events.map(write).join('')
        for (const chunks of [
          [text, LOST],
          [...bytewise(text), LOST],
        ])
          expect(await lastOf(chunks)).toMatchObject({
            ...failedAt(8, 'm'),
            response: { store, output: [item('msg_1'), item('msg_2')] },
          })
      }
  })

  it('has no item that was not done', async () => {
    expect(await lastOf([...texts(), LOST])).toMatchObject({ response: { output: [] } })
  })

  it('says what the request asks for where the upstream has said nothing yet', async () => {
    const limits = { heartbeatMs: 10 }
    for (const store of [true, false]) {
      const { silence, read } = silenceUntil(/./)
      const last = await lastOf([silence, LOST], { limits }, 'plain-1', { store }, read)
      expect(last).toMatchObject({ type: 'response.failed', response: { store } })
    }
  })
})

const spaced = (event: JsonObject): string =>
  JSON.stringify(event, null, 1)
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
