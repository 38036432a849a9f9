import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, KEY, proxyOf, sse, sseReply } from './proxy.ts'

/** An upstream of the caller's own dialect repeats the key that it was sent. */

const ERROR = { type: 'error', code: 503, status: 'UNAVAILABLE', message: `No, ${KEY}` }

describe.each(DIALECTS)('a key that comes back between two of %s', (dialect) => {
  const { http, client, say } = kits[dialect]
  const asked = async (reply: ReturnType<typeof jsonReply>, stream: boolean) => {
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
    const proxy = proxyOf(() => reply, change, { dialects })
    const response = await proxy.fetch(http.path('m', stream), {
      body: http.body('m', stream, client.request('m', 'hi')),
      headers: { 'anthropic-version': '2023-06-01' },
    })
    return { text: await response.text(), log: JSON.stringify(proxy.log) }
  }

  it('is not logged with the failure of a stream', async () => {
    const { event, body } = say.failure(`No, ${KEY}`)
    const begun = say.begun.map((one) => sse(one))
    const { log } = await asked(sseReply([...begun, event]), true)
    const { log: first } = await asked(sseReply([sse({ ...body, error: ERROR })]), true)
    for (const entry of [log, first]) expect(entry).not.toContain(KEY)
  })

  it('is not logged as the id of the exchange', async () => {
    const answers = [jsonReply(say.hello.body, 200, { 'request-id': KEY }), jsonReply({}, 500)]
    for (const reply of answers) expect((await asked(reply, false)).log).not.toContain(KEY)
  })

  it('is hidden in an error beside a reply', async () => {
    const { text } = await asked(jsonReply({ ...say.hello.body, error: ERROR }), false)
    expect(text).not.toContain(KEY)
  })
})

describe.each(DIALECTS)('JSON as a stream of events, between two of %s', (dialect) => {
  it.each([1, 9000])('is no stream, in any size: %i', async (times) => {
    const { http, client, say } = kits[dialect]
    const change = { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect } }
    const text = JSON.stringify(say.hello.body).replace('hello', 'hello '.repeat(times))
    const proxy = proxyOf(() => sseReply([text]), change, { dialects })
    const response = await proxy.fetch(http.path('m', true), {
      body: http.body('m', true, client.request('m', 'hi')),
      headers: { 'anthropic-version': '2023-06-01' },
    })
    expect(response.status).toBe(502)
  })
})
