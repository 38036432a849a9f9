import { afterEach, describe, expect, it, vi } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { membersOf } from '../../src/upstream/members.ts'
import { createPools } from '../../src/upstream/pools.ts'
import { Sessions } from '../../src/upstream/sessions.ts'
import { fairShare, SharedTable } from '../../src/upstream/shared-table.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { DIALECTS, good, key, refusing, siteOf, twoUpstreams, voiceOf } from './site.ts'

/** What one caller does must not reach the others. */

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => [caller, upstream] as const))

const of = (name: string) => ({ authorization: `Bearer ${key(name)}` })

const ownKeys = (dialect: string, more: Partial<Config> = {}) =>
  twoUpstreams(dialect, ['caller', 'caller'], more)

const KEYS = [key('one'), key('two')] as const

const memberOf = ({ attempts = [], member }: Partial<LogEntry> = {}) => [
  ...attempts.map((attempt) => attempt.member),
  member,
]

describe.each(pairs)('callers with keys of their own, %s over %s', (caller, upstream) => {
  const voice = voiceOf(caller)
  it.each([false, true])('keep their rate limits to themselves (stream: %s)', async (stream) => {
    const scripts = { ann: refusing(429, { 'retry-after': '3600' }), bob: good(upstream) }
    const site = siteOf(ownKeys(upstream), scripts)
    expect((await site.ask({ voice, stream, headers: of('ann') })).status).toBe(429)
    const before = site.sent.length
    // Who has reached his limit is not asked for again.
    expect((await site.ask({ voice, stream, headers: of('ann') })).status).toBe(503)
    expect(site.sent).toHaveLength(before)
    const other = await site.ask({ voice, stream, headers: of('bob') })
    expect(other.status, await other.text()).toBe(200)
    expect(memberOf(site.log.at(-1))).toEqual(['a', 'a'])
  })
  it.each([false, true])('keep their failures to themselves (stream: %s)', async (stream) => {
    const scripts = { ann: refusing(500), bob: good(upstream) }
    const site = siteOf(ownKeys(upstream), scripts)
    for (let count = 0; count < 12; count += 1)
      await (await site.ask({ voice, stream, headers: of('ann') })).text()
    const other = await site.ask({ voice, stream, headers: of('bob') })
    expect(other.status, await other.text()).toBe(200)
    expect(memberOf(site.log.at(-1))).toEqual(['a', 'a'])
  })
})

describe('a second credential beside one key of the proxy', () => {
  const callers = { keys: ['the-key-of-a-team-0123456789'] }
  const from = (name: string) => ({ 'x-api-key': callers.keys[0] ?? '', ...of(name) })
  it('has its own limits', async () => {
    const scripts = { ann: refusing(429, { 'retry-after': '3600' }), bob: good('messages') }
    const site = siteOf(ownKeys('messages', { callers }), scripts)
    expect((await site.ask({ headers: from('ann') })).status).toBe(429)
    expect((await site.ask({ headers: from('bob') })).status).toBe(200)
    expect(memberOf(site.log.at(-1))).toEqual(['a', 'a'])
  })
})

const made = () => createPools({ now: () => 1e12, randomId: () => '0'.repeat(32) })

describe('what is known of callers with keys of their own', () => {
  const settings = readSettings(ownKeys('messages'), {})
  const [route] = settings.routes
  const [member] = route ? membersOf(settings, route) : []
  if (!member) throw new Error('there is a member')
  it('is bounded, and of each caller by himself', () => {
    const pools = made()
    const bob = { identity: 'bob' }
    pools.cool(member, bob, 'm', 60_000)
    for (let count = 0; count < 5000; count += 1) {
      pools.cool(member, { identity: `ann\n${count}` }, 'm', 60_000)
      pools.cool(member, { identity: 'ann' }, `m${count}`, 60_000)
    }
    const isOut = (identity: string, model = 'm') => !pools.mayAsk(member, { identity }, model)
    expect(isOut('bob')).toBe(true)
    expect([isOut('ann\n4999'), isOut('ann\n0')]).toEqual([true, false])
    expect([isOut('ann', 'm4999'), isOut('ann', 'm0')]).toEqual([true, false])
  })
  it('is nothing before it is asked, and says nothing of the upstream itself', () => {
    const pools = made()
    pools.until(member, {}, 'm')
    pools.breakerOf(member, {}).fail({ isProbe: false }, 1e12, { hard: true })
    expect(pools.mayAsk(member, {}, 'm')).toBe(false)
    expect(pools.mayAsk(member, { identity: 'bob' }, 'm')).toBe(true)
    expect(pools.breakers()).toEqual([])
  })
  it('goes with the upstream', () => {
    const pools = made()
    pools.cool(member, {}, 'm', 60_000)
    pools.renew({ upstreams: new Map() })
    expect(pools.mayAsk(member, {}, 'm')).toBe(true)
  })
})

const isKnown = (sessions: Sessions, identity: string, name: string) =>
  sessions.find(identity, name).placeOf('m', 1e12) !== undefined

describe('the sessions of a caller', () => {
  const [route] = readSettings(twoUpstreams('messages', KEYS), {}).routes
  if (!route) throw new Error('there is a route')
  const place = (sessions: Sessions, identity: string, name: string) => {
    sessions
      .kept(sessions.find(identity, name))
      .bind('m', true, { route, member: 'b', account: 'b' }, 2e12)
  }
  it.each([
    ['with one key', () => 'ann'],
    ['with other credentials beside it', (count: number) => `ann\n${count}`],
  ])('do not push out those of another: %s', (_, identity) => {
    const sessions = new Sessions()
    for (let count = 0; count < 20; count += 1) place(sessions, 'bob', `s${count}`)
    place(sessions, 'cay\nx', 's')
    for (let count = 0; count < 40_100; count += 1) place(sessions, identity(count), `s${count}`)
    for (let count = 0; count < 20; count += 1)
      expect(isKnown(sessions, 'bob', `s${count}`)).toBe(true)
    expect(isKnown(sessions, 'cay\nx', 's')).toBe(true)
    expect(isKnown(sessions, identity(40_099), 's40099')).toBe(true)
    expect(isKnown(sessions, identity(0), 's0')).toBe(false)
  })
  it('are told apart by the credential beside the key', () => {
    const sessions = new Sessions()
    place(sessions, 'ann\nx', 's')
    expect(isKnown(sessions, 'ann\ny', 's')).toBe(false)
    expect(isKnown(sessions, 'ann', 's')).toBe(false)
  })
})

describe('a table of many callers', () => {
  it('is bounded where each has but little', () => {
    const table = new SharedTable<number>(1000)
    for (let count = 0; count < 5000; count += 1) {
      table.set(`c${count}`, 's', count)
      expect(table.size).toBeLessThanOrEqual(1000)
    }
    expect(table.get('c4999', 's')).toBe(4999)
    expect(table.get('c4300', 's')).toBe(4300)
    expect(table.get('c0', 's')).toBeUndefined()
  })
  it('keeps what is used', () => {
    const table = new SharedTable<number>(4)
    for (const name of ['s', 't', 'u', 'v', 's', 'w']) table.set('ann', name, 1)
    const known = ['s', 't', 'u', 'v', 'w'].filter((name) => table.get('ann', name))
    expect(known).toEqual(['s', 'v', 'w'])
    table.keep(() => false)
    expect(table.size).toBe(0)
  })
  it.each([
    [[10, 1, 2], 9, 6],
    [[3, 3, 3], 9, Infinity],
    [[5, 5, 5], 9, 3],
    [[1, 1, 1], 2, 0],
  ])('shares: of %j in %i each may have %d', (sizes, room, share) => {
    expect(fairShare(sizes, room)).toBe(share)
  })
})

describe('an explanation', () => {
  afterEach(() => vi.restoreAllMocks())
  it.each(DIALECTS)('creates nothing, anywhere: %s', async (dialect) => {
    const voice = voiceOf(dialect)
    const put = vi.spyOn(SharedTable.prototype, 'set')
    const store = memoryStore(STORE_BOUNDS)
    const kept = vi.spyOn(store, 'put')
    const pick = 'weighted' as const
    const routes = [{ model: '*', upstream: ['a', 'b'], pick }]
    for (const config of [
      twoUpstreams('messages', KEYS, { routes }),
      ownKeys('messages', { routes }),
    ]) {
      const scripts = { one: good('messages'), two: good('messages'), ann: good('messages') }
      const site = siteOf(config, scripts, { store })
      for (const name of ['s', 't']) {
        const path = `/explain${voice.path('m', false)}`
        const headers = { ...of('ann'), 'session-id': name }
        const explained = await site.ask({ voice, path, headers })
        expect(explained.status, await explained.text()).toBe(200)
      }
      expect(site.sent).toEqual([])
    }
    expect([put, kept].map(({ mock }) => mock.calls)).toEqual([[], []])
  })
  it('takes no turn of a member, and looks at nothing that is recalled', async () => {
    const routes = [{ model: '*', upstream: ['a', 'b'], pick: 'weighted' as const }]
    const scripts = { one: good('messages'), two: good('messages') }
    const recall = { request: vi.fn(), bound: vi.fn(), held: 0 }
    const site = siteOf(twoUpstreams('messages', KEYS, { routes }), scripts, { recall })
    // It has no session: neither a name, nor an opening.
    const asked = { body: { messages: undefined } }
    for (let count = 0; count < 4; count += 1) {
      for (let again = 0; again < 3; again += 1)
        await site.ask({ ...asked, path: '/explain/v1/messages' })
      expect(recall.request).toHaveBeenCalledTimes(count)
      await site.ask(asked)
    }
    expect(site.sent.map((sent) => sent.key)).toEqual([KEYS[0], KEYS[1], KEYS[0], KEYS[1]])
  })
})
