import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { addressOf, type Adapter } from '../../adapters/contract.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { stringify } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { writeSample } from '../../src/exchange/reply/sample.ts'
import { grammarOf } from '../grammar/index.ts'
import { writeRequest } from '../laws/exchange.ts'
import { pretty } from '../laws/spelling.ts'
import { framesIn } from '../line-reader.ts'

/** The whole product, as its callers reach it on one runtime, with nothing configured. */
export type Call = (path: string, init?: RequestInit) => Promise<Response>

/** What holds on every runtime: the demo through all pairs, JSON and stream, and the proxy's own routes. */
export function runtimeSuite(name: string, call: Call): void {
  const pairs = adapters.flatMap((caller) => adapters.map((upstream) => ({ caller, upstream })))

  describe(`on ${name}`, () => {
    it.each(pairs)('$caller.dialect over $upstream.dialect: JSON', async ({ caller, upstream }) => {
      const response = await ask(call, caller, upstream)
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expectNamed(response, upstream)
      expect(text).toContain('Hello!')
      expect(grammarOf(caller.dialect).checkBody(JSON.parse(text))).toBeUndefined()
    })

    it.each(pairs)(
      '$caller.dialect over $upstream.dialect: stream',
      async ({ caller, upstream }) => {
        const response = await ask(call, caller, upstream, true)
        const text = await response.text()
        expect(response.status, text).toBe(200)
        expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
        expectNamed(response, upstream)
        const frames = framesIn(text)
        expect(frames.length).toBeGreaterThan(1)
        expect(grammarOf(caller.dialect).check(frames)).toBeUndefined()
      },
    )

    it('explains without sending', async () => {
      for (const { caller, upstream } of pairs) {
        const response = await ask(call, caller, upstream, false, '/explain')
        expect(response.status).toBe(200)
        expect(await response.json()).toMatchObject({
          caller: caller.dialect,
          upstream: { name: `demo-${upstream.dialect}`, dialect: upstream.dialect },
          losses: expect.any(Array),
        })
      }
    })

    it('answers on its own routes', async () => {
      expect((await call('/healthz')).status).toBe(200)
      expect((await call('/', { method: 'HEAD' })).status).toBe(200)
      expect((await call('/api/hello', { method: 'HEAD' })).status).toBe(200)
      const unread = await call('/healthz', { method: 'HEAD' })
      expect([unread.status, await unread.text()]).toEqual([200, ''])
      expect(unread.headers.get('content-type')).toBe('application/json')
      expect((await call('/nowhere')).status).toBe(404)
      const wrong = await call('/v1/messages')
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    })

    it('survives callers who leave', async () => {
      const [caller] = adapters
      if (!caller) return
      for (let index = 0; index < 10; index += 1) {
        const response = await ask(call, caller, caller, true)
        await response.body?.cancel()
      }
      expect((await call('/healthz')).status).toBe(200)
    })
  })
}

function ask(
  call: Call,
  caller: Adapter,
  upstream: Adapter,
  stream = false,
  before = '',
): Promise<Response> {
  const sample = writeSample(caller, `demo-${upstream.dialect}`, stream)
  const { headers, body } = sample
  const { tools = [] } = writeRequest(caller, WITH_A_TOOL).body
  return call(before + addressOf(sample), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: pretty(stringify({ ...body, tools })),
  })
}

/** What a program declares may come back in every event. */
const WITH_A_TOOL: Request = {
  ...emptyRequest('model-1', false),
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello!' }] }],
  tools: [
    {
      kind: 'function',
      name: 'get_weather',
      schema: '{"type":"object","properties":{"city":{"type":"string","description":"a\u2028b"}}}',
    },
  ],
}

function expectNamed({ headers }: Response, upstream: Adapter): void {
  const model = `demo-${upstream.dialect}`
  expect(headers.get('x-dragoman-upstream')).toBe(
    `${model}; dialect=${upstream.dialect}; model=${model}`,
  )
  expect(headers.get('x-request-id')).toMatch(/^[\w.=-]{1,64}$/)
}
