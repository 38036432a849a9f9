import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEMO_ORIGIN } from '../../src/config/defaults.ts'
import { foundSettings } from '../../src/node/command/found.ts'
import { readCommandLine } from '../../src/node/command/options.ts'
import { leftBy, summed } from '../../src/node/cluster/sums.ts'
import { type Command, emptyFolder, type Folder } from './command.ts'

let folder: Folder
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const STORE = 'sqlite:kept.db'
/** The demo answers without a network. */
const CONFIG = {
  upstreams: { demo: { dialect: 'messages', url: `${DEMO_ORIGIN}/messages` } },
  state: { store: STORE },
}
const started = (config: object, ...args: string[]): Command => {
  folder.write('dragoman.json', JSON.stringify(config))
  return folder.run(['--port', '0', ...args])
}

const WORLD = {
  write: () => {},
  say: () => {},
  complain: () => {},
  logStyle: 'json' as const,
}

/** Each on a connection of its own, so that the processes take turns. */
const ask = (url: string, body?: object): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const options = {
      method: body ? 'POST' : 'GET',
      agent: false,
      headers: { 'content-type': 'application/json' },
    }
    const asking = request(url, options, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (piece) => (text += piece))
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
    })
    asking.on('error', reject).end(body && JSON.stringify(body))
  })

const childrenOf = ({ child: { pid } }: Command): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Kills one of the processes, when both are there, and waits until it is gone. */
async function kill(command: Command, which: 0 | 1): Promise<void> {
  await until(() => childrenOf(command).length === 2)
  const pid = childrenOf(command)[which]
  // 0 would be the group of this process itself.
  if (!pid) throw new Error('there is no such process')
  process.kill(pid, 'SIGKILL')
  await until(() => !childrenOf(command).includes(pid))
}

const pause = (ms: number) => new Promise((wake) => setTimeout(() => wake('paused'), ms))

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    if (await isTrue()) return
    await pause(25)
  }
  throw new Error('it has not come true')
}

const requestsIn = async (url: string): Promise<number> => {
  const { callers } = JSON.parse((await ask(`${url}/usage`)).text) as {
    callers: { open?: { requests: number } }
  }
  return callers.open?.requests ?? 0
}

const workersIn = (args: string[], variable = '') =>
  readCommandLine(args, { DRAGOMAN_WORKERS: variable }).workers

describe('several processes behind one port', () => {
  it('keep, count and are configured together', { timeout: 180_000 }, async () => {
    const command = started(CONFIG, '--workers', '2')
    const url = await command.listening()
    const said = () => command.printed().error
    const [first = 0, second = 0] = childrenOf(command)
    expect(Math.min(first, second)).toBeGreaterThan(0)
    expect(second).toBeGreaterThan(0)
    expect(said().match(/listens on/g)).toHaveLength(1)
    expect(said()).toContain('2 behind the port; limits hold for each of them (2000 streams')

    const answer = await ask(`${url}/v1/responses`, { model: 'm', input: 'Hello' })
    const { id } = JSON.parse(answer.text) as { id: string }
    const kept = () => Promise.all([1, 2, 3, 4].map(() => ask(`${url}/v1/responses/${id}`)))
    expect((await kept()).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await until(async () => (await requestsIn(url)) === 5)
    const metrics = (await ask(`${url}/metrics`)).text
    expect(metrics).toMatch(/^dragoman_requests_total\{.*operation="create".*\} 1$/m)
    expect(metrics.match(/^# TYPE dragoman_requests_total/gm)).toHaveLength(1)

    // All or none: what is wrong is refused once, for all of them.
    folder.write('dragoman.json', '{ "upstreams": 1 }')
    command.child.kill('SIGHUP')
    await until(() => said().includes('not reloaded'))
    // One that begins now has to go by what the others go by, and not by what the file says.
    process.kill(first, 'SIGKILL')
    await until(() => said().includes(`process ${first} has ended (SIGKILL)`))
    await until(() => said().includes('another one listens'))
    expect((await kept()).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await requestsIn(url)).toBeGreaterThanOrEqual(9)
    const routes = [{ model: 'new', upstream: 'demo' }]
    folder.write('dragoman.json', JSON.stringify({ ...CONFIG, routes }))
    command.child.kill('SIGHUP')
    const isListed = async () => (await ask(`${url}/v1/models`)).text.includes('"new"')
    await until(async () => (await isListed()) && (await isListed()))
    expect(said().match(/not reloaded/g)).toHaveLength(1)

    // A supervisor tells the whole group: only the first process goes by it.
    process.kill(second, 'SIGTERM')
    command.child.kill('SIGTERM')
    const { code, out } = await command.finished
    expect(code).toBe(0)
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const count = (wanted: object) =>
      events.filter((each) => isDeepStrictEqual({ ...each, ...wanted }, each)).length
    expect(count({ event: 'start' })).toBe(1)
    expect(count({ event: 'reload', result: 'ok' })).toBe(1)
    expect(count({ event: 'reload', result: 'error' })).toBe(1)
    expect(count({ event: 'stop' })).toBe(2)
  })

  it(
    'count while one begins, and outlive one that ends before it has',
    { timeout: 180_000 },
    async () => {
      const command = started(CONFIG, '--workers', '2')
      const url = await command.listening()
      const said = () => command.printed().error
      // One that finds the file locked waits two seconds for it before it gives up.
      const other = new DatabaseSync(join(folder.path, 'kept.db'))
      other.exec('BEGIN IMMEDIATE')
      const statuses = new Set<number>()
      await kill(command, 0)
      await until(() => said().includes('(SIGKILL)'))
      await until(async () => {
        statuses.add((await ask(`${url}/usage`)).status)
        statuses.add((await ask(`${url}/metrics`)).status)
        return said().split('has ended (1)').length > 2
      })
      other.exec('COMMIT')
      await until(() => said().includes('another one listens'))
      other.close()
      expect([...statuses]).toEqual([200])
      command.child.kill('SIGTERM')
      expect((await command.finished).code).toBe(0)
    },
  )

  it(
    'leave no caller waiting whose connection went to one that ended',
    { timeout: 180_000 },
    async () => {
      const command = started(CONFIG, '--workers', '2')
      const url = await command.listening()
      const over = new AbortController()
      let count = 0
      const patient = async () => {
        const asked = ask(`${url}/livez`).then(
          () => 'told',
          () => 'told that the connection is gone',
        )
        return Promise.race([asked, pause(10_000)])
      }
      const loops = Array.from({ length: 8 }, async () => {
        for (; !over.signal.aborted; count += 1) expect(await patient()).toMatch(/^told/)
      })
      const killing = async () => {
        for (const which of [0, 1, 0, 1] as const) {
          const before = count
          await until(() => count > before + 200)
          await kill(command, which)
        }
        over.abort()
      }
      await Promise.all([...loops, killing()])
    },
  )

  it('say once why they cannot start', { timeout: 180_000 }, async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const taken = started(CONFIG, '--workers', '2', '--port', String(port))
    const { code, error } = await taken.finished
    other.close()
    expect(code).toBe(1)
    expect(error.trim().split('\n')).toEqual([
      `dragoman: 127.0.0.1:${port} is taken by another program; --port N or PORT chooses another`,
    ])
  })

  it.each([
    ['memory', {}, /cannot share state.store "memory"/],
    [STORE, { inspect: true }, /the page \(--inspect\) sees one process/],
  ])('are refused where that would not be right: %s %j', (store, more, words) => {
    const environment = {
      DRAGOMAN_CONFIG: JSON.stringify({ ...CONFIG, ...more, state: { store } }),
    }
    const world = { ...WORLD, directory: folder.path, environment }
    const options = readCommandLine(['check', '--workers', '2'], environment)
    expect(() => foundSettings(options, world)).toThrow(words)
    expect(() => foundSettings({ ...options, workers: 1 }, world)).not.toThrow()
  })

  it('say of a file that is gone just that, and not what could not be shared without it', () => {
    const world = { ...WORLD, directory: folder.path, environment: {} }
    const options = readCommandLine(['--workers', '2'], {})
    const read = () => foundSettings(options, world, 'dragoman.json')
    expect(read).toThrow('dragoman.json: no such file')
    folder.write('dragoman.json', JSON.stringify(CONFIG))
    expect(read).not.toThrow()
  })

  it('are as many as is said', () => {
    expect([workersIn([]), workersIn([], '3'), workersIn(['--workers', '2'], '3')]).toEqual([
      undefined,
      3,
      2,
    ])
    expect(() => workersIn(['--workers', '0'])).toThrow('expected a number from 1 to 64')
    expect(() => workersIn([], 'all')).toThrow('DRAGOMAN_WORKERS')
  })
})

const counted = (requests: number, inFlight: number, read: number) => ({
  metrics:
    `# HELP dragoman_requests_total R.\n# TYPE dragoman_requests_total counter\n` +
    `dragoman_requests_total{a="b c"} ${requests}\n` +
    `# HELP dragoman_in_flight F.\n# TYPE dragoman_in_flight gauge\ndragoman_in_flight ${inFlight}\n` +
    `# HELP dragoman_build_info B.\n# TYPE dragoman_build_info gauge\ndragoman_build_info{v="1"} 1\n`,
  usage: JSON.stringify({
    since: `2026-01-0${read}`,
    callers: {
      ann: {
        requests,
        input: 10,
        cacheRead: read,
        cachedShare: read / 10,
        costUsd: 0.1,
        byModel: { [`m${read}`]: { requests, input: 10 } },
      },
    },
  }),
})

describe('sums of several processes', () => {
  it('add counters and gauges, and leave alone what is the same everywhere', () => {
    const { metrics, usage } = summed([counted(3, 1, 2), counted(4, 2, 6)])
    expect(metrics).toContain('dragoman_requests_total{a="b c"} 7\n')
    expect(metrics).toContain('dragoman_in_flight 3\n')
    expect(metrics).toContain('dragoman_build_info{v="1"} 1\n')
    const { since, callers } = JSON.parse(usage)
    expect(since).toBe('2026-01-02')
    expect(callers.ann).toMatchObject({
      requests: 7,
      input: 20,
      cacheRead: 8,
      cachedShare: 0.4,
      costUsd: 0.2,
    })
    expect(Object.keys(callers.ann.byModel)).toEqual(['m2', 'm6'])
  })

  it('keep the counters of a process that has ended, and forget how it stood', () => {
    const { metrics } = summed([counted(3, 1, 2), leftBy(counted(4, 2, 6))])
    expect(metrics).toContain('dragoman_requests_total{a="b c"} 7\n')
    expect(metrics).toContain('dragoman_in_flight 1\n')
  })
})
