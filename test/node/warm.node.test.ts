import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { type Proxy, serve } from '../../src/node/command/commands.ts'
import { readCommandLine } from '../../src/node/command/options.ts'
import { warmUp } from '../../src/node/warm/warm.ts'
import { QUIET } from './quiet.ts'

const KEY = 'a-key-of-the-operator'
/** What runs on until the process ends would be seen here. */
const A_WHILE_MS = 300

/** Requests to any server of this process. */
let begun = 0
const count = () => void (begun += 1)

let asked = 0
let upstream: Server
let proxy: Proxy | undefined
const lines: string[] = []

beforeEach(async () => {
  begun = 0
  asked = 0
  lines.length = 0
  subscribe('http.server.request.start', count)
  // It never answers.
  upstream = createServer(() => void (asked += 1))
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  upstream.closeAllConnections()
  upstream.close()
  await proxy?.stop()
  proxy = undefined
  unsubscribe('http.server.request.start', count)
})

async function start(warm: boolean): Promise<string> {
  const { port } = upstream.address() as AddressInfo
  const settings = readSettings(
    {
      upstreams: { one: { dialect: 'responses', url: `http://127.0.0.1:${port}`, key: 'k' } },
      routes: [{ model: '*', upstream: 'one' }],
      metrics: { key: KEY },
      before: { url: `http://127.0.0.1:${port}/before` },
    },
    {},
  )
  const world = { ...QUIET, write: (text: string) => void lines.push(text) }
  const options = { command: 'serve', host: '127.0.0.1', port: 0, warm } as const
  proxy = await serve(options, world, { settings, files: [] })
  return proxy.url
}

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 20_000, interval: 5 })

async function read(url: string): Promise<string> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } })
  expect(answer.status).toBe(200)
  return answer.text()
}

/** All but what the process takes. */
const counted = (text: string) => text.split('\n').filter((line) => !line.includes('process_'))
const isBusy = () => false

describe('exchanges that nobody has asked for', () => {
  it('are run, and nobody hears of them', async () => {
    const url = await start(true)
    const before = await read(`${url}/metrics`)
    const usage = await read(`${url}/usage`)
    await until(() => begun > 100)
    expect(counted(await read(`${url}/metrics`))).toEqual(counted(before))
    expect(JSON.parse(await read(`${url}/usage`))).toEqual(JSON.parse(usage))
    expect(asked).toBe(0)
    await sleep(50)
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['start'])
  })

  it('rest while somebody asks, and end before the process does', async () => {
    const url = await start(true)
    await until(() => begun > 100)
    const leaving = new AbortController()
    const body = JSON.stringify({ model: 'm', input: 'Hello!' })
    const headers = { 'content-type': 'application/json' }
    const { signal } = leaving
    const waiting = fetch(`${url}/v1/responses`, { method: 'POST', body, headers, signal })
    waiting.catch(() => undefined)
    await until(() => asked === 1)
    await sleep(50)
    const meanwhile = begun
    await sleep(A_WHILE_MS)
    expect(begun).toBe(meanwhile)
    leaving.abort()
    await until(() => begun > meanwhile)
    await proxy?.stop()
    const after = begun
    await sleep(A_WHILE_MS)
    expect(begun).toBe(after)
  })

  it('are not run where they are off, or where there is one core', async () => {
    await start(false)
    const portsWith = vi.fn()
    const settings = readSettings(demoConfig(), {})
    const warming = warmUp({ settings, portsWith, isBusy, cores: 1 })
    await sleep(A_WHILE_MS)
    expect(portsWith).not.toHaveBeenCalled()
    expect(begun).toBe(0)
    await warming.stop()
  })
})

describe('the options', () => {
  it.each([
    [['serve'], {}, true],
    [['serve', '--no-warm'], {}, false],
    [['serve'], { DRAGOMAN_WARM: 'off' }, false],
    [['serve'], { DRAGOMAN_WARM: ' on ' }, true],
    [['launch', 'claude'], {}, true],
    [['launch', 'claude', '--no-warm'], {}, false],
    [['check'], {}, undefined],
  ])('%j with %j', (args, environment, expected) => {
    expect(readCommandLine(args, environment).warm).toBe(expected)
  })

  it('say what is wrong', () => {
    expect(() => readCommandLine(['serve'], { DRAGOMAN_WARM: 'no' })).toThrow('expected on or off')
    expect(() => readCommandLine(['check', '--no-warm'], {})).toThrow('belongs to serve and launch')
  })
})
