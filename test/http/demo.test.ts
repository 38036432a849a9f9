import { frameReader } from '../../src/stream/event-reader.ts'
import { toSource } from '../../src/stream/source.ts'
import { describe, expect, it } from 'vitest'
import { addressOf } from '../../adapters/contract.ts'
import { demoSend, withDemo } from '../../src/extras/demo/demo.ts'
import { adapters } from '../../adapters/index.ts'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { fold, verify, type Event } from '../../src/model/events.ts'
import { stringify } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { replyEvents } from '../../src/stream/reply-events.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'

const real = () => Promise.reject(new Error('not for the demo'))
const send = demoSend(adapters, real)

const makeRequest = (change: Partial<Request>): Request => ({
  model: 'demo',
  stream: false,
  system: [],
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello there' }] }],
  tools: [],
  limits: { maxOutputTokens: 4000 },
  sampling: {},
  ...change,
})

const kinds = (blocks: readonly { kind: string }[]) => blocks.map(({ kind }) => kind)

describe.each(adapters)('the demo upstream for $dialect', (adapter) => {
  const ask = async (change: Partial<Request>) => {
    const request = makeRequest(change)
    const outgoing = adapter.upstream.writeRequest(request, {
      target: { model: 'demo', defaultMaxOutputTokens: 100, facts: {} },
      lose: () => undefined,
    })
    const response = await send({
      method: 'POST',
      url: `http://demo.invalid/${adapter.dialect}${addressOf(outgoing)}`,
      headers: outgoing.headers,
      body: new TextEncoder().encode(stringify(outgoing.body)),
      signal: new AbortController().signal,
      connectMs: 1,
    })
    expect(response.status).toBe(200)
    const source = {
      reader: frameReader(
        adapter.upstream.reader({
          request,
          lose: () => undefined,
          newId: (prefix) => prefix,
        }),
      ),
      verbatim: adapter.upstream.verbatim,
      limits: PROCESS_LIMITS,
      contentType: response.headers.get('content-type'),
    }
    const reading = replyEvents(source)
    const events: Event[] = []
    let chunks = 0
    const body = response.body && toSource(response.body)
    for (let chunk = await body?.read(); chunk; chunk = await body?.read()) {
      chunks += 1
      events.push(...reading.push(chunk))
    }
    events.push(...reading.end())
    expect(verify(events)).toBeUndefined()
    return { reply: fold(events).reply, chunks }
  }

  it('echoes what was said, the same as a body and as a stream', async () => {
    const whole = await ask({})
    expect(whole.reply).toMatchObject({
      finish: 'stop',
      blocks: [{ text: 'You said: Hello there' }],
    })
    const streamed = await ask({ stream: true })
    expect(streamed.reply.blocks).toEqual(whole.reply.blocks)
    expect(streamed.chunks).toBeGreaterThan(3)
    expect(streamed.reply.usage?.output).toBeGreaterThan(0)
  })
  it('calls a tool that it is told to call, with what the schema requires', async () => {
    const schema =
      '{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"x":{"type":"string"}},"required":["city","days"]}'
    const tools = ['get_weather', 'get_weather_now'].map((name) => ({
      kind: 'function' as const,
      name,
      description: name,
      schema,
    }))
    const turns = [
      { role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'call get_weather_now!' }] },
    ]
    for (const stream of [false, true]) {
      const { reply } = await ask({ stream, tools, turns })
      expect(reply.finish).toBe('tool-call')
      const [call] = reply.blocks
      expect(call).toMatchObject({ kind: 'tool-call', name: 'get_weather_now' })
      expect(JSON.parse(call?.kind === 'tool-call' ? call.input : '')).toEqual({
        city: 'example',
        days: 1,
      })
    }
  })
  it('thinks when it is asked to, and proves it', async () => {
    const { reply } = await ask({ reasoning: { mode: 'on', budget: 2000, visible: true } })
    expect(kinds(reply.blocks)).toEqual(['reasoning', 'text'])
    expect(JSON.stringify(reply.blocks)).toContain(`"proof":{"dialect":"${adapter.dialect}"`)
  })
})

async function answerTo(input: string) {
  const body = new TextEncoder().encode(JSON.stringify({ model: 'demo', input }))
  const url = 'http://demo.invalid/responses/v1/responses'
  const signal = new AbortController().signal
  const reply = await send({ method: 'POST', url, headers: {}, body, signal, connectMs: 1 })
  const source = reply.body && toSource(reply.body)
  const text = new TextDecoder().decode((await source?.read()) ?? new Uint8Array())
  return JSON.parse(text) as { id: string; output: { id: string }[] }
}

it('gives replies to different requests different ids, and one to the same request the same', async () => {
  const [one, again, other] = [
    await answerTo('one'),
    await answerTo('one'),
    await answerTo('other'),
  ]
  expect(again).toEqual(one)
  expect(other.id).not.toBe(one.id)
  expect(other.output.map(({ id }) => id)).not.toEqual(one.output.map(({ id }) => id))
})

it('answers nonsense in the words of its dialect', async () => {
  const request = {
    method: 'POST',
    headers: {},
    signal: new AbortController().signal,
    connectMs: 1,
  }
  const body = new TextEncoder().encode('{"nonsense":true}')
  for (const path of ['/messages/v1/messages', '/messages/v1/nothing', '/nobody/v1']) {
    const { status } = await send({ ...request, url: `http://demo.invalid${path}`, body })
    expect([400, 404]).toContain(status)
  }
})

it('leaves all other addresses alone', async () => {
  const request = { method: 'GET', headers: {}, signal: new AbortController().signal, connectMs: 1 }
  const other = send({ ...request, url: 'http://demo.invalid.example/messages/v1' })
  await expect(other).rejects.toThrow('not for the demo')
})

it('stands in the way of no request where it is not configured', () => {
  const without = readSettings(
    { upstreams: { a: { dialect: 'messages', url: 'https://a.test' } } },
    {},
  )
  expect(withDemo(without, adapters, real)).toBe(real)
  expect(withDemo(readSettings(demoConfig(), {}), adapters, real)).not.toBe(real)
})
