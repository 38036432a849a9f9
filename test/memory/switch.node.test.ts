import { describe, expect, test } from 'vitest'
import { DIALECTS, said, text, thinking, type Dialect } from '../sdk/script.ts'
import { HEARD } from './heard.ts'
import { proxyOf, settings, type Upstream } from './proxy.ts'

const PAIRS = DIALECTS.flatMap((from) =>
  DIALECTS.filter((to) => to !== from).map((to): [Dialect, Dialect] => [from, to]),
)

const PROOFS: Record<Dialect, string> = {
  messages: 'bWVzc2FnZXMA',
  'generate-content': 'Y29udGVudAAA',
  responses: 'gAAAAABresponses',
}

const talk: Upstream = ({ dialect, method, url, body }) => {
  if (dialect === 'responses' && method === 'GET')
    return { body: { id: url.pathname.split('/').at(-1), object: 'response', asked: true } }
  if (dialect === 'responses' && body['previous_response_id'] === 'resp_lost')
    return {
      status: 400,
      body: { error: { message: 'Gone.', code: 'previous_response_not_found' } },
    }
  return said([thinking('Hm.', PROOFS[dialect]), text(`From ${dialect}.`)])
}

describe.each(PAIRS)('a conversation that began on %s', (from, to) => {
  test.each([false, true])(`goes on with ${to} (stream: %s)`, async (stream) => {
    const proxy = proxyOf(talk)
    const client = proxy.client()
    const say = (dialect: Dialect, input: string, previous?: string) => {
      const body = {
        model: `${dialect}-x`,
        input,
        ...(previous !== undefined && { previous_response_id: previous }),
      }
      return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body)
    }
    const first = await say(from, 'One.')
    const second = await say(to, 'Two.', first.id)
    const third = await say(from, 'Three.', second.id)
    expect(third.previous_response_id ?? second.id).toBe(second.id)
    const turns = (index: number) =>
      HEARD[proxy.got[index]?.dialect ?? to](proxy.got[index]?.body).turns.map((turn) => [
        turn.role,
        turn.pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : [])).join(),
      ])
    expect(turns(1)).toEqual([
      ['user', 'One.'],
      ['assistant', `From ${from}.`],
      ['user', 'Two.'],
    ])
    expect(turns(2)).toHaveLength(5)
    expect(proxy.got[2]?.body['previous_response_id']).toBeUndefined()
    expect(proxy.got[1]?.text).not.toContain('xseal1')
  })
})

describe('an upstream that keeps its own state', () => {
  test('is asked itself, and gets the bytes as they came', async () => {
    const proxy = proxyOf(talk)
    const body = '{"model":"responses-x" ,"input":"x","previous_response_id":"resp_68af_upstream"}'
    const routes = [{ model: 'responses-*', upstream: 'responses' }]
    const plain = proxyOf(talk, { routes })
    for (const each of [proxy, plain]) {
      await each.ask('/v1/responses', { method: 'POST', body })
      expect(each.got[0]?.body).toMatchObject({ previous_response_id: 'resp_68af_upstream' })
    }
    expect(plain.got[0]?.text).toBe(body)
  })

  test('says itself what it does not know', async () => {
    const proxy = proxyOf(talk)
    const json = { model: 'responses-x', input: 'x', previous_response_id: 'resp_lost' }
    const answer = await proxy.ask('/v1/responses', { json })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: 'Gone.' } },
    ])
  })

  test('answers for what it gave out', async () => {
    const proxy = proxyOf(talk)
    const answer = await proxy.ask('/v1/responses/resp_68af?stream=false&include=x&evil=1')
    expect(await answer.json()).toMatchObject({ id: 'resp_68af', asked: true })
    const { url, method } = proxy.got[0] ?? {}
    expect([method, url?.pathname, url?.search]).toEqual([
      'GET',
      '/v1/responses/resp_68af',
      '?include=x&stream=false',
    ])
    await proxy.ask('/v1/responses/resp_68af', { method: 'DELETE' })
    await proxy.ask('/v1/responses/resp_68af/cancel', { method: 'POST' })
    expect(proxy.got.slice(1).map((got) => [got.method, got.url.pathname])).toEqual([
      ['DELETE', '/v1/responses/resp_68af'],
      ['POST', '/v1/responses/resp_68af/cancel'],
    ])
  })

  test('streams again what it gave out', async () => {
    const events = ['event: response.created\ndata: {"type":"response.created"}\n\n', 'data: x\n\n']
    const proxy = proxyOf(() => ({ events }))
    const answer = await proxy.ask('/v1/responses/resp_68af?stream=true&starting_after=4')
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(events.join(''))
    expect(proxy.got[0]?.url.searchParams.get('starting_after')).toBe('4')
  })

  test('is not asked where there are several: nobody knows which one', async () => {
    const upstreams = new Map(settings().upstreams)
    const own = upstreams.get('responses')
    if (own) upstreams.set('second', { ...own, name: 'second' })
    const several = proxyOf(talk, {
      routes: [
        { model: 'a', upstream: 'responses' },
        { model: 'b', upstream: 'second' },
      ],
      change: { upstreams },
    })
    expect((await several.ask('/v1/responses/resp_68af')).status).toBe(404)
    expect(several.got).toHaveLength(0)
  })
})
