import { describe, expect, it } from 'vitest'
import { adapters, dialects } from '../../adapters/index.ts'
import { stringify } from '../../src/json/json.ts'
import { unfold } from '../../src/model/events.ts'
import type { Reply } from '../../src/model/request.ts'
import { sseFrame } from '../../src/stream/sse.ts'
import { requestFor } from '../laws/arbitrary-replies.ts'
import { clientOf } from '../laws/clients.ts'
import { writeReply } from '../laws/exchange.ts'
import { framesIn } from '../line-reader.ts'
import { proxyOf, streamOf } from './proxy.ts'

const REPLY: Reply = {
  id: 'reply-1',
  model: 'm',
  blocks: [{ kind: 'text', text: 'Hello' }],
  usage: { input: 1, output: 2 },
  finish: 'stop',
}
const pairs = adapters.flatMap((caller) => adapters.map((upstream) => ({ caller, upstream })))
type Pair = (typeof pairs)[number]

async function asked(
  { caller, upstream }: Pair,
  text: string | Uint8Array[],
  stream: boolean,
  as?: string,
) {
  const type = stream ? 'text/event-stream' : 'application/json'
  const proxy = proxyOf(
    () => ({
      status: 200,
      headers: new Headers({ 'content-type': type }),
      body: streamOf(typeof text === 'string' ? [text] : text),
    }),
    {
      routes: [{ model: '*', upstream: 'plain', ...(as !== undefined && { as }) }],
      upstream: { dialect: upstream.dialect },
    },
    { dialects },
  )
  const client = clientOf(caller.dialect)
  const { path, query } = client.incoming('m', stream)
  const body = { ...client.request('m', 'Hello'), ...(stream && { stream }) }
  const headers = { 'anthropic-version': '2023-06-01' }
  return proxy.fetch(path + (query.get('alt') ? '?alt=sse' : ''), { body, headers })
}

describe('a stream whose last blank line is missing', () => {
  const own = adapters.flatMap((adapter) =>
    Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' }).flatMap(([name, lineEnd]) =>
      [1, 2].map((missing) => ({ dialect: adapter.dialect, adapter, name, lineEnd, missing })),
    ),
  )

  it.each(own)('has it for a $dialect caller: $missing $name', async (each) => {
    const { adapter, lineEnd, missing } = each
    const { frames } = writeReply(adapter, requestFor(REPLY), unfold(REPLY))
    const whole = frames.map(sseFrame).join('').replaceAll('\n', lineEnd)
    const cut = whole.slice(0, -lineEnd.length * missing)
    for (const as of [undefined, 'another']) {
      const pair = { caller: adapter, upstream: adapter }
      const told = framesIn(await (await asked(pair, cut, true, as)).text())
      expect(told).toEqual(framesIn(await (await asked(pair, whole, true, as)).text()))
      expect(told).toHaveLength(frames.length)
    }
  })

  it.each(adapters)('is cut for a $dialect caller where an event is half', async (adapter) => {
    const { frames } = writeReply(adapter, requestFor(REPLY), unfold(REPLY))
    const cut = frames.map(sseFrame).join('').slice(0, -4)
    const response = await asked({ caller: adapter, upstream: adapter }, cut, true)
    const last = framesIn(await response.text()).at(-1)
    expect(clientOf(adapter.dialect).isTerminal(last ?? { data: '' }) && last?.data).not.toContain(
      'STOP',
    )
    expect(last?.data).toMatch(/error|failed/)
  })
})

describe('a reply behind a byte order mark', () => {
  it.each(pairs)('is one: $caller.dialect over $upstream.dialect', async (pair) => {
    const { body = '' } = writeReply(pair.upstream, requestFor(REPLY), unfold(REPLY))
    for (const as of [undefined, 'another']) {
      const marked = await asked(pair, `\ufeff${body}`, false, as)
      const plain = await asked(pair, body, false, as)
      expect(marked.status).toBe(200)
      const bytes = new Uint8Array(await marked.arrayBuffer())
      expect(bytes).toEqual(new Uint8Array(await plain.arrayBuffer()))
      expect(
        stringify(JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))),
      ).toContain('Hello')
    }
  })
  it.each(pairs)('may be in pieces: $caller.dialect over $upstream.dialect', async (pair) => {
    const { frames } = writeReply(pair.upstream, requestFor(REPLY), unfold(REPLY))
    const bytes = new TextEncoder().encode(`\ufeff${frames.map(sseFrame).join('')}`)
    const pieces = [bytes.slice(0, 1), bytes.slice(1, 2), bytes.slice(2)]
    const marked = await asked(pair, pieces, true)
    expect(marked.status).toBe(200)
    expect(await marked.text()).toContain('Hello')
  })
})
