import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { signaturesOf, watchFiles } from '../../src/node/process/watch.ts'
import { type Command, emptyFolder, type Folder } from './command.ts'
import { messagesReply } from '../dialects/messages/reply.ts'

let folder: Folder
let upstream: Server
let keys: string[]
/** Answers that wait to be ended. */
let held: ServerResponse[]

const OLD_KEY = 'old-upstream-key-0123456789'
const NEW_KEY = 'new-upstream-key-0123456789'

beforeEach(async () => {
  folder = emptyFolder()
  keys = []
  held = []
  upstream = createServer((incoming, response) => {
    keys.push(String(incoming.headers['x-api-key']))
    incoming.resume().on('end', () => {
      if (incoming.headers['x-hold'] === 'yes') return void held.push(response)
      response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY)
    })
  })
  await new Promise<void>((wake) => upstream.listen(0, '127.0.0.1', wake))
})
afterEach(() => {
  folder.remove()
  upstream.close().closeAllConnections()
})

const REPLY = JSON.stringify(messagesReply('Hello'))

/** A configuration that leads to the upstream. */
function configured(change: object = {}, upstreamChange: object = {}): string {
  const { port } = upstream.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const claude = { dialect: 'messages', url, key: `file:${join(folder.path, 'key')}` }
  return JSON.stringify({ upstreams: { claude: { ...claude, ...upstreamChange } }, ...change })
}

function started(args: readonly string[] = []): Command {
  folder.write('key', OLD_KEY)
  folder.write('dragoman.json', configured())
  return folder.run(['--port', '0', ...args])
}

interface Line {
  event: string
  result?: string
  level: string
  faults?: string[]
  error?: string
}

const lines = (command: Command): Line[] =>
  command
    .printed()
    .out.split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const reloads = (command: Command) => lines(command).filter(({ event }) => event === 'reload')

async function ask(url: string, model = 'm'): Promise<Response> {
  const body = JSON.stringify({
    model,
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  return fetch(`${url}/v1/messages`, { method: 'POST', headers, body })
}

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms))

describe('a reload', () => {
  it('takes the whole file, and reads secrets again', async () => {
    const command = started()
    const url = await command.listening()
    expect((await ask(url)).status).toBe(200)
    folder.write('key', NEW_KEY)
    folder.write('dragoman.json', configured({ routes: [{ model: 'm', upstream: 'claude' }] }))
    command.child.kill('SIGHUP')
    await expect.poll(() => reloads(command)).toMatchObject([{ result: 'ok', level: 'info' }])
    expect((await ask(url)).status).toBe(200)
    expect((await ask(url, 'other')).status).toBe(404)
    expect(keys).toEqual([OLD_KEY, NEW_KEY])
  })

  it('trap 31: of a faulty file leaves everything as it is, and says what check says', async () => {
    const command = started()
    const url = await command.listening()
    folder.write('dragoman.json', '{\n  "upstreams": { "claude": { "dialect": "mesages" } }\n}')
    command.child.kill('SIGHUP')
    await expect.poll(() => reloads(command)).toHaveLength(1)
    const [{ result, level, faults = [] } = { result: '', level: '' }] = reloads(command)
    expect([result, level]).toEqual(['error', 'error'])
    const checked = await folder.run(['check']).finished
    expect(checked.code).toBe(78)
    const said = checked.error.trim().split('\n')
    expect(faults.map((fault) => `dragoman: ${fault}`)).toEqual(said)
    for (const line of faults) expect(command.printed().error).toContain(`not reloaded: ${line}`)
    expect((await ask(url)).status).toBe(200)
    rmSync(join(folder.path, 'key'))
    folder.write('dragoman.json', configured())
    command.child.kill('SIGHUP')
    await expect.poll(() => reloads(command)).toHaveLength(2)
    expect(reloads(command)[1]?.error).toContain('cannot be read')
    expect((await ask(url)).status).toBe(200)
  })

  it.each([
    ['state.store', { state: { store: 'off' } }],
    ['limits.connections', { limits: { connections: 7 } }],
    ['limits.headersMs', { limits: { headersMs: 7000 } }],
  ])(
    'refuses by name what needs a restart, and all of the file with it: %s',
    async (name, change) => {
      const command = started()
      const url = await command.listening()
      folder.write(
        'dragoman.json',
        configured({ ...change, routes: [{ model: 'x', upstream: 'claude' }] }),
      )
      command.child.kill('SIGHUP')
      await expect.poll(() => reloads(command)).toHaveLength(1)
      expect(reloads(command)[0]).toMatchObject({
        result: 'error',
        faults: [`dragoman.json: ${name}: a change of this needs a restart`],
      })
      expect((await ask(url)).status).toBe(200)
    },
  )

  it.each([
    ['the demo', {}],
    ['the variables', { DRAGOMAN_DIALECT: 'messages', DRAGOMAN_URL: 'https://upstream.example' }],
  ])('of a file that is gone leaves all as it is, and does not turn to %s', async (_, names) => {
    folder.write('key', OLD_KEY)
    folder.write('dragoman.json', configured())
    const hasNames = Object.keys(names).length > 0
    // Beside variables that name the upstream a file says the rest, such as who may call.
    if (hasNames)
      folder.write('dragoman.json', '{ "callers": { "keys": ["a-key-of-a-caller-0123"] } }')
    const command = folder.run(['--port', '0'], names)
    const url = await command.listening()
    rmSync(join(folder.path, 'dragoman.json'))
    command.child.kill('SIGHUP')
    await expect
      .poll(() => reloads(command))
      .toMatchObject([{ result: 'error', level: 'error', faults: ['dragoman.json: no such file'] }])
    expect(command.printed().error).toContain('not reloaded: dragoman.json: no such file')
    expect((await ask(url)).status).toBe(hasNames ? 401 : 200)
    expect(keys).toEqual(hasNames ? [] : [OLD_KEY])
  })

  it('trap 31: lets what runs end under the old settings, with the old secrets still masked', async () => {
    const command = started()
    folder.write('dragoman.json', configured({}, { headers: { 'x-hold': 'yes' } }))
    const url = await command.listening()
    const answer = ask(url)
    await expect.poll(() => held.length).toBe(1)
    folder.write('key', NEW_KEY)
    folder.write('dragoman.json', configured())
    command.child.kill('SIGHUP')
    await expect.poll(() => reloads(command)).toHaveLength(1)
    expect((await ask(url, OLD_KEY)).status).toBe(200)
    held[0]?.writeHead(200, { 'content-type': 'application/json' }).end(REPLY)
    expect((await answer).status).toBe(200)
    await expect
      .poll(() => lines(command).filter(({ event }) => event === 'exchange'))
      .toHaveLength(2)
    expect(command.printed().out).not.toContain(OLD_KEY)
    expect((await ask(url, NEW_KEY)).status).toBe(200)
    await expect
      .poll(() => lines(command).filter(({ event }) => event === 'exchange'))
      .toHaveLength(3)
    expect(command.printed().out).not.toContain(NEW_KEY)
    expect(keys).toEqual([OLD_KEY, NEW_KEY, NEW_KEY])
  })

  it('trap 31: again and again under load fails nobody', async () => {
    const command = started()
    const url = await command.listening()
    const load = { over: false }
    let reloaded = 0
    const reloading = (async () => {
      while (!load.over) {
        const isFaulty = reloaded % 5 === 4
        folder.write(
          'dragoman.json',
          isFaulty ? '{' : configured({ losses: reloaded % 2 ? 'report' : 'reject' }),
        )
        command.child.kill('SIGHUP')
        reloaded += 1
        await pause(50)
      }
    })()
    const statuses = new Map<number, number>()
    const caller = async () => {
      for (let at = 0; at < 100; at += 1) {
        const { status } = await ask(url).then(async (response) => {
          await response.text()
          return response
        })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
    load.over = true
    await reloading
    expect([...statuses]).toEqual([[200, 800]])
    expect(reloaded).toBeGreaterThan(3)
  })
})

const written = () => configured({ routes: [{ model: 'n', upstream: 'claude' }] })

describe('a configuration that is watched', () => {
  it('trap 32: is read again when another file takes its name', async () => {
    const command = started(['--watch'])
    const url = await command.listening()
    folder.write('other.json', written())
    renameSync(join(folder.path, 'other.json'), join(folder.path, 'dragoman.json'))
    await expect.poll(() => reloads(command)).toMatchObject([{ result: 'ok' }])
    expect((await ask(url, 'n')).status).toBe(200)
    expect((await ask(url)).status).toBe(404)
    // And so it is a second time, and when a secret changes.
    folder.write('key', NEW_KEY)
    await expect.poll(() => reloads(command)).toHaveLength(2)
    await ask(url, 'n')
    expect(keys.at(-1)).toBe(NEW_KEY)
  })

  it('trap 32: is read again when a link in its path leads elsewhere, as Kubernetes does it', async () => {
    const at = (name: string) => join(folder.path, name)
    folder.write('key', OLD_KEY)
    for (const version of ['v1', 'v2']) mkdirSync(at(version))
    folder.write('v1/dragoman.json', configured())
    folder.write('v2/dragoman.json', written())
    symlinkSync('v1', at('..data'))
    symlinkSync('..data/dragoman.json', at('config.json'))
    const command = folder.run(['--port', '0', '--config', 'config.json', '--watch'])
    const url = await command.listening()
    symlinkSync('v2', at('..next'))
    renameSync(at('..next'), at('..data'))
    await expect.poll(() => reloads(command)).toMatchObject([{ result: 'ok' }])
    expect((await ask(url, 'n')).status).toBe(200)
  })
})

const results = (command: Command) => reloads(command).map(({ result }) => result)

describe('a secret in a file that is watched', () => {
  it('may not be there yet when the configuration names it', async () => {
    const command = started(['--watch'])
    const url = await command.listening()
    folder.write('dragoman.json', configured({}, { key: `file:${join(folder.path, 'later')}` }))
    await expect.poll(() => results(command)).toEqual(['error'])
    expect((await ask(url)).status).toBe(200)
    expect(keys.at(-1)).toBe(OLD_KEY)
    folder.write('later', NEW_KEY)
    await expect.poll(() => results(command)).toEqual(['error', 'ok'])
    await ask(url)
    expect(keys.at(-1)).toBe(NEW_KEY)
  })

  it('may be a link that leads nowhere for a while', async () => {
    const command = started(['--watch'])
    const url = await command.listening()
    rmSync(join(folder.path, 'key'))
    symlinkSync('key', join(folder.path, 'key'))
    await expect.poll(() => results(command)).toEqual(['error'])
    expect((await ask(url)).status).toBe(200)
    rmSync(join(folder.path, 'key'))
    folder.write('key', NEW_KEY)
    await expect.poll(() => results(command).at(-1)).toBe('ok')
    await ask(url)
    expect(keys.at(-1)).toBe(NEW_KEY)
  })

  it.each(['start', 'change'] as const)('may change while it is read at a %s', async (when) => {
    folder.write('key', 'v1')
    const path = join(folder.path, 'key')
    const read: string[] = []
    const take = () => read.push(readFileSync(path, 'utf8'))
    const seen = signaturesOf([path])
    take()
    if (when === 'start') folder.write('key', 'v2 is longer')
    const changed = () => {
      take()
      if (read.length === 2) folder.write('key', 'v3 is longer still')
    }
    const stop = watchFiles(() => [path], changed, seen)
    if (when === 'change') folder.write('key', 'v2 is longer')
    await expect.poll(() => read.at(-1)).toBe('v3 is longer still')
    stop()
  })
})

const hasScript = spawnSync('script', ['--version']).status === 0

describe.skipIf(!hasScript)('a terminal', () => {
  it('trap 32: that is closed ends the proxy that was started in it', async () => {
    folder.write('key', OLD_KEY)
    folder.write('dragoman.json', configured())
    const line = `${process.execPath} ${resolve('src/node.ts')} --port 0`
    const terminal = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder.path })
    let text = ''
    terminal.stdout.on('data', (chunk) => (text += chunk))
    await expect.poll(() => text).toContain('Try it:')
    const [, url = ''] = /listens on (http:\/\/\S+)/.exec(text) ?? []
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    terminal.kill('SIGKILL')
    const isGone = () =>
      fetch(`${url}/livez`).then(
        () => false,
        () => true,
      )
    await expect.poll(isGone).toBe(true)
  })
})
