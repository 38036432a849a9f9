import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import type { Door } from '../../src/http/admission/guard.ts'
import { levelOf, type LogEntry } from '../../src/observe/entry.ts'
import type { Outcome } from '../../src/observe/entry.ts'
import { key, refusing, siteOf } from '../pools/site.ts'

const LISTENER: Door = { kind: 'listener', host: '127.0.0.1' }
const KEY = 'caller-key-0123456789'

async function logged(path: string, door: Door, address: string | undefined, client = true) {
  const log: LogEntry[] = []
  const config = {
    upstreams: { a: { dialect: 'messages', url: 'https://a.example' } },
    callers: { keys: [KEY] },
    ...(client && { log: { client } }),
  }
  const answer = createHandler(
    readSettings(config, {}),
    {
      send: () => Promise.reject(new Error('nothing is sent')),
      now: () => 0,
      randomId: () => 'x',
      log: (entry) => log.push(entry),
    },
    door,
  )
  const headers = {
    'user-agent': 'agent/1.0',
    'x-forwarded-for': '192.0.2.1',
    'cf-connecting-ip': '198.51.100.7',
  }
  const request = new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: '{}' })
  await answer(Object.assign(request, { address }))
  return log.map(({ address: from, userAgent }) => ({ from, userAgent }))
}

const from = (door: Door, address?: string) => logged('/v1/messages', door, address)

describe('who has sent a request', () => {
  const userAgent = 'agent/1.0'

  it.each(['/v1/messages', '/nowhere', '/img/x', '/explain/v1/responses'])(
    'is said of each exchange, also of one that is refused: %s',
    async (path) => {
      expect(await logged(path, LISTENER, '203.0.113.9')).toEqual([
        { from: '203.0.113.9', userAgent },
      ])
    },
  )

  it('is the other end of the connection, and no header that anybody can write', async () => {
    expect(await from(LISTENER, '::ffff:10.0.0.5')).toEqual([{ from: '10.0.0.5', userAgent }])
    expect(await from(LISTENER, '2001:db8::1')).toEqual([{ from: '2001:db8::1', userAgent }])
    expect(await from({ kind: 'program' })).toEqual([{ from: undefined, userAgent }])
    expect(await from({ kind: 'isolate' })).toEqual([{ from: '198.51.100.7', userAgent }])
  })

  it('is not said where nobody asks', async () => {
    expect(await logged('/v1/messages', LISTENER, '203.0.113.9', false)).toEqual([
      { from: undefined, userAgent: undefined },
    ])
  })
})

describe('how urgent a line is', () => {
  it.each<[number, Outcome, string]>([
    [200, 'ok', 'info'],
    [200, 'upstream_error', 'error'],
    [400, 'client_error', 'warn'],
    [429, 'upstream_error', 'warn'],
    [429, 'shed', 'warn'],
    [404, 'upstream_error', 'warn'],
    [500, 'upstream_error', 'error'],
    [503, 'shed', 'error'],
    [500, 'proxy_error', 'error'],
    [499, 'left', 'info'],
  ])('%i, %s: %s', (status, outcome, level) => {
    expect(levelOf({ id: 'x', method: 'POST', path: '/', totalMs: 1, status, outcome })).toBe(level)
  })

  it.each([400, 404, 422, 429, 500, 503, 529])('an upstream’s %i', async (status) => {
    const config = {
      upstreams: { a: { dialect: 'messages' as const, url: 'https://a.example', key: key('one') } },
    }
    const site = siteOf(config, { one: refusing(status) })
    await site.ask({})
    expect(site.log.map(levelOf)).toEqual([status < 500 ? 'warn' : 'error'])
  })
})

describe('an upstream’s error that is no JSON', () => {
  it.each([401, 403, 404, 500])('is in the log with its first characters: %i', async (status) => {
    const own = key('one')
    const config = {
      upstreams: { a: { dialect: 'messages' as const, url: 'https://a.example', key: own } },
    }
    const page = `<html><title>No</title><p>Bad token ${own}</p>${'x'.repeat(500)}</html>`
    const site = siteOf(config, {
      one: () => ({ status, headers: new Headers(), body: new Response(page).body }),
    })
    await site.ask({})
    const [{ reason = '' } = {}] = site.log
    expect(reason).toContain('<html><title>No</title><p>Bad token ***</p>xxx')
    expect(reason.replace(/^status \d+: /, '')).toHaveLength(200)
  })
})
