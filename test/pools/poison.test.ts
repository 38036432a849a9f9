import { describe, expect, it } from 'vitest'
import { sseReply } from '../exchange/proxy.ts'
import {
  DIALECTS,
  good,
  key,
  refusing,
  siteOf,
  twoUpstreams,
  voiceOf,
  type MemberScript,
  type Site,
} from './site.ts'

/** A request that each upstream fails at must not close the pool to other requests. */

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => [caller, upstream] as const))
const KEYS = [key('one'), key('two')] as const

/** Fails for a request that says so, as a server does that a request can upset. */
const upsetBy =
  (words: string, failing: MemberScript, otherwise: MemberScript): MemberScript =>
  (sent, nth) =>
    sent.body.includes(words) ? failing(sent, nth) : otherwise(sent, nth)

const POISON = { headers: { 'session-id': 'poison' } }

/** Words that a request of any dialect may have in its place for them. */
const poisoned = (dialect: string) => {
  const body = JSON.stringify(voiceOf(dialect).request('m', false))
  return JSON.parse(body.replaceAll('Hello', 'poison').replaceAll('hi', 'poison')) as object
}

const failures: [string, MemberScript, object][] = [
  ['500', refusing(500), {}],
  ['529', refusing(529), {}],
  ['a refusal by a firewall', refusing(403, {}, 'access key denied'), {}],
  ['reset', () => Promise.reject(new Error('read ECONNRESET')), { unknown: true }],
]

describe.each(pairs)('a request that upsets each upstream, %s over %s', (caller, upstream) => {
  const voice = voiceOf(caller)
  const scripts = (failing: MemberScript) => {
    const script = upsetBy('poison', failing, good(upstream))
    return { one: script, two: script }
  }
  it.each(failures)('closes the pool to nobody else: %s', async (_, failing, failover) => {
    for (const stream of [false, true]) {
      const site = siteOf(twoUpstreams(upstream, KEYS, { failover }), scripts(failing))
      for (let count = 1; count <= 13; count += 1) {
        const upset = await site.ask({ voice, stream, ...POISON, body: poisoned(caller) })
        await upset.text()
        if (![5, 10, 13].includes(count)) continue
        const headers = { 'session-id': `other ${count}` }
        const other = await site.ask({ voice, stream, headers })
        expect(other.status, `${count}: ${await other.text()}`).toBe(200)
      }
      expect(site.sent.some(({ body }) => body.includes('poison'))).toBe(true)
    }
  })
})

const ask = async (site: Site, times: number, asked: object) => {
  const statuses: number[] = []
  for (let count = 0; count < times; count += 1) {
    const answer = await site.ask(asked)
    await answer.text()
    statuses.push(answer.status)
  }
  return statuses
}

describe('failures that are alike', () => {
  const poison = { body: { messages: [{ role: 'user', content: 'poison' }] } }
  const upset = upsetBy('poison', refusing(500), good('messages'))
  it('of one request count at the first member alone', async () => {
    const site = siteOf(twoUpstreams('messages', KEYS, { failover: { sticky: 'off' } }), {
      one: upset,
      two: upset,
    })
    await ask(site, 5, poison)
    expect(site.sent).toHaveLength(10)
    // The first is out, and the second as good as it was: four more failures do not take it out.
    await ask(site, 4, poison)
    await ask(site, 1, {})
    expect(site.sent.slice(10).map((sent) => sent.key)).toEqual(Array(5).fill(KEYS[1]))
    expect(site.log.at(-1)?.status).toBe(200)
  })
  it('at one member alone are that member’s', async () => {
    const site = siteOf(twoUpstreams('messages', KEYS, { failover: { sticky: 'off' } }), {
      one: refusing(500),
      two: good('messages'),
    })
    expect(await ask(site, 8, {})).toEqual(Array(8).fill(200))
    expect(site.sent.filter((sent) => sent.key === KEYS[0])).toHaveLength(5)
  })
  it('of every request still take all members out, which are then asked once for each', async () => {
    let isDown = true
    const script: MemberScript = (sent, nth) =>
      (isDown ? refusing(500) : good('messages'))(sent, nth)
    const config = twoUpstreams('messages', KEYS, { failover: { sticky: 'off' } })
    const site = siteOf(config, { one: script, two: script })
    await ask(site, 10, {})
    const before = site.sent.length
    expect(await ask(site, 4, {})).toEqual(Array(4).fill(500))
    expect(site.sent).toHaveLength(before + 4)
    expect(site.log.slice(-4).map(({ attempts }) => attempts?.length)).toEqual([1, 1, 1, 1])
    isDown = false
    expect(await ask(site, 4, {})).toEqual(Array(4).fill(200))
    expect(site.sent).toHaveLength(before + 8)
  })
  it('do not open what an upstream has asked to leave alone, or where nothing listens', async () => {
    const wait = refusing(503, { 'retry-after': '30' })
    const busy = siteOf(twoUpstreams('messages', KEYS), { one: wait, two: wait })
    expect(await ask(busy, 2, {})).toEqual([503, 503])
    expect(busy.sent).toHaveLength(2)
    const keyed = siteOf(twoUpstreams('messages', KEYS), { one: refusing(401), two: refusing(401) })
    expect(await ask(keyed, 2, {})).toEqual([502, 503])
    expect(keyed.sent).toHaveLength(2)
  })
  it('leave the last member that is left, although the key of another is refused', async () => {
    const site = siteOf(twoUpstreams('messages', KEYS), { one: refusing(401), two: upset })
    await ask(site, 8, poison)
    expect(await ask(site, 1, { headers: { 'session-id': 'other' } })).toEqual([200])
  })
  it('close a route to nobody while a hanging request tries the member', async () => {
    const hanging = upsetBy('hang', () => new Promise(() => undefined), upset)
    const site = siteOf(twoUpstreams('messages', KEYS), { one: hanging, two: hanging })
    await ask(site, 12, poison)
    site.pass(300_000)
    const leaving = new AbortController()
    const hang = { body: { messages: [{ role: 'user', content: 'hang' }] }, signal: leaving.signal }
    const hung = [site.ask(hang), site.ask(hang)]
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await ask(site, 1, { headers: { 'session-id': 'other' } })).toEqual([200])
    leaving.abort()
    await Promise.all(hung)
  })
  it('keep strict sessions in their account, which is asked all the same', async () => {
    const failover = { sticky: 'strict' as const }
    const site = siteOf(twoUpstreams('messages', KEYS, { failover }), { one: upset, two: upset })
    const mine = { headers: { 'session-id': 'mine' } }
    await ask(site, 1, mine)
    await ask(site, 30, poison)
    expect(await ask(site, 1, mine)).toEqual([200])
    expect(site.sent.at(-1)?.key).toBe(KEYS[0])
  })
})

describe('a stream that fails before it shows anything', () => {
  it('counts once, too', async () => {
    const busy = voiceOf('messages').failure.replace('server_error', 'server_is_overloaded')
    const upset = upsetBy('poison', () => sseReply([busy]), good('messages'))
    const site = siteOf(twoUpstreams('messages', KEYS), { one: upset, two: upset })
    const poison = { body: { messages: [{ role: 'user', content: 'poison' }] } }
    for (let count = 0; count < 20; count += 1)
      await (await site.ask({ stream: true, ...poison })).text()
    const headers = { 'session-id': 'other' }
    expect((await site.ask({ stream: true, headers })).status).toBe(200)
  })
})
