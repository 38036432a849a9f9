import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { operator } from '../../src/http/operator.ts'
import { toResponse } from '../../src/http/respond.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { randomId, type UpstreamRequest } from '../../src/ports.ts'
import { jsonReply } from '../exchange/proxy.ts'
import { SIGNED, voiceOf } from './site.ts'

const voice = voiceOf('messages')

/** Two members; `first`: the key of the one that is down, as long as it is this one. */
const pool = (first: string, more: Partial<Config> = {}, one = 'one'): Config => ({
  upstreams: {
    [one]: { dialect: 'messages', url: 'https://one.example', key: first },
    two: { dialect: 'messages', url: 'https://two.example', key: 'key-of-two-0123456789' },
  },
  routes: [{ model: '*', upstream: [one, 'two'] }],
  ...more,
})

const DOWN = 'key-that-is-down-0123456789'
const readFor = (config: Config) => readSettings(config, {}, { listens: LOOPBACK })
const LOOPBACK = { host: '127.0.0.1', port: 8787 }
const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }

function proxyOf(config: Config, refused: number) {
  const asked: string[] = []
  const observer = createObserver({ version: '1', runtime: 'node' }, () => 0)
  let sessions = 0
  const { answer, replace } = createReplaceable(readFor(config), {
    send: async ({ url, headers }: UpstreamRequest) => {
      asked.push(url.includes('one.example') ? 'one' : 'two')
      if (headers['x-api-key'] !== DOWN) return jsonReply(JSON.parse(voice.whole))
      return jsonReply(JSON.parse(voice.refusal), refused, { 'retry-after': '600' })
    },
    now: () => 1_700_000_000_000,
    randomId,
    log: () => undefined,
    observer,
    operator,
  })
  return {
    replace: (next: Config) => replace(readFor(next)),
    /** Which members a request of a new session asks. */
    async ask(): Promise<string[]> {
      asked.length = 0
      sessions += 1
      const request = new Request(`http://127.0.0.1:8787${voice.path('m', false)}`, {
        method: 'POST',
        headers: { ...HEADERS, 'session-id': `s${sessions}` },
        body: JSON.stringify(voice.request('m', false)),
      })
      const response = toResponse(await answer(request))
      expect(response.status, await response.text()).toBe(200)
      return [...asked]
    },
    /** Which members a turn of one session asks. */
    async turn(messages: readonly object[], system: string): Promise<string[]> {
      asked.length = 0
      const body = JSON.stringify({ ...voice.request('m', false), messages, system })
      const headers = { ...HEADERS, 'session-id': 'one-session' }
      const url = `http://127.0.0.1:8787${voice.path('m', false)}`
      const response = toResponse(await answer(new Request(url, { method: 'POST', headers, body })))
      expect(response.status, await response.text()).toBe(200)
      return [...asked]
    },
    async breakers(): Promise<string[]> {
      const response = toResponse(await answer(new Request('http://127.0.0.1:8787/metrics')))
      return (await response.text()).match(/^dragoman_breaker_state.*$/gm) ?? []
    },
  }
}

describe('what is known of a member', () => {
  it.each([
    ['a breaker', 529],
    ['a refused key', 401],
    ['a limit', 429],
  ])('outlives a reload: %s', async (_, refused) => {
    const proxy = proxyOf(pool(DOWN), refused)
    for (let call = 0; call < 5; call += 1) await proxy.ask()
    expect(await proxy.ask()).toEqual(['two'])
    await proxy.replace(pool(DOWN, { losses: 'reject' }))
    expect(await proxy.ask()).toEqual(['two'])
    const before = await proxy.breakers()
    expect(before).toHaveLength(2)
    await proxy.replace(pool(DOWN, { failover: { hops: 1 } }))
    expect(await proxy.breakers()).toEqual(before)
    // And it goes with the key: another one has done nothing yet.
    await proxy.replace(pool('another-key-0123456789'))
    expect(await proxy.ask()).toEqual(['one'])
    expect(await proxy.breakers()).toHaveLength(2)
  })

  it('is forgotten with the upstream', async () => {
    const proxy = proxyOf(pool(DOWN), 401)
    await proxy.ask()
    expect(await proxy.ask()).toEqual(['two'])
    await proxy.replace(pool('another-key-0123456789', {}, 'other'))
    await proxy.ask()
    expect((await proxy.breakers()).join(' ')).not.toContain('upstream="one"')
  })
})

describe('a conversation with proofs in it', () => {
  it('stays on its route through a reload, as long as there is one', async () => {
    const long = 'x'.repeat(9000)
    const routes: Config['routes'] = [
      { model: '*', upstream: 'two', minInputTokens: 1000 },
      { model: '*', upstream: 'one' },
    ]
    const proxy = proxyOf(pool('key-of-one-0123456789', { routes }), 401)
    expect(await proxy.turn(SIGNED.slice(0, 1), 'Be brief.')).toEqual(['one'])
    await proxy.replace(pool('new-key-of-one-0123456789', { routes }))
    expect(await proxy.turn(SIGNED, long)).toEqual(['one'])
    await proxy.replace(pool('new-key-of-one-0123456789', { routes: routes.slice(0, 1) }))
    expect(await proxy.turn(SIGNED, long)).toEqual(['two'])
  })
})
