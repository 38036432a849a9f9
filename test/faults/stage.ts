import { request as httpRequest } from 'node:http'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { Settings, TimeoutSettings, UpstreamSettings } from '../../src/config/settings.ts'
import { createHandler } from '../../src/http/app.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import { startServer } from '../../src/node/server/server.ts'
import { SharedWrites } from '../../src/node/store/shared-writes.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { lineServer, type LineServer, type Script } from './line.ts'
import { voices } from './voices.ts'

/** The proxy as it runs, with small limits, between real sockets and upstreams that follow a script. */

export const CALLER_KEY = 'caller-key-4f1d0a6be2c94f7d'
export const UPSTREAM_KEY = 'upstream-key-93ad2a71c0b54e8f'

export const LIMITS = {
  ...PROCESS_LIMITS,
  bodyBytes: 65_536,
  replyBytes: 65_536,
  eventBytes: 32_768,
  streamBytes: 262_144,
  depth: 50,
  nodes: 5000,
}
/** Long enough for a busy machine, where time is not what is at fault. */
const PATIENT: TimeoutSettings = {
  connectMs: 300,
  firstByteMs: 9000,
  jsonMs: 9000,
  idleMs: 9000,
  totalMs: 20_000,
}
const HASTY: TimeoutSettings = {
  connectMs: 300,
  firstByteMs: 500,
  jsonMs: 500,
  idleMs: 300,
  totalMs: 1500,
}

export interface Heard {
  /** 0 when no answer came. */
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
  /** The answer ended as it should, and was not cut off. */
  complete: boolean
}

export interface Stage {
  url: URL
  upstream: LineServer
  log: LogEntry[]
  /** Makes the requests for a model be answered by a script. */
  script(model: string, script: Script): void
  close(): Promise<void>
}

export async function openStage(change: Partial<Settings> = {}): Promise<Stage> {
  const scripts = new Map<string, Script>()
  const upstream = await lineServer(modelIn, (model) => scripts.get(model))
  const writes = new SharedWrites()
  const upstreams = createSend(undefined, writes.write)
  const log: LogEntry[] = []
  const settings = { ...settingsFor(upstream.port), ...change }
  const deadline = new AbortController()
  const answer = createHandler(settings, {
    send: upstreams.send,
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: (entry) => log.push(entry),
    deadline: deadline.signal,
  })
  const server = await startServer({
    answer,
    host: '127.0.0.1',
    port: 0,
    limits: settings.limits,
    breakOff: () => deadline.abort(),
    writes,
  })
  return {
    url: new URL(`http://127.0.0.1:${server.port}`),
    upstream,
    log,
    script: (model, script) => void scripts.set(model, script),
    async close() {
      await server.stop(0)
      upstreams.destroy()
      upstream.close()
    },
  }
}

export const modelIn = (request: string): string =>
  /\/models\/([^:/ ]+):/.exec(request)?.[1] ?? /"model":"([^"]+)"/.exec(request)?.[1] ?? ''

/** A model's name begins with the name of its upstream. */
function settingsFor(port: number): Settings {
  const entries = voices.flatMap(({ dialect }) => [
    configureUpstream(dialect, dialect, `http://127.0.0.1:${port}/${dialect}`),
    configureUpstream(`hasty-${dialect}`, dialect, `http://127.0.0.1:${port}/${dialect}`),
    configureUpstream(`refusing-${dialect}`, dialect, 'http://127.0.0.1:1'),
    configureUpstream(`nowhere-${dialect}`, dialect, 'http://nowhere.invalid'),
    configureUpstream(`hanging-${dialect}`, dialect, 'http://192.0.2.1'),
  ])
  return {
    upstreams: new Map(entries),
    routes: entries.map(([upstream]) => ({ model: `${upstream}--*`, upstream })),
    callers: { kind: 'keys', keys: [CALLER_KEY] },
    tasks: {},
    state: 'off',
    losses: 'report',
    limits: LIMITS,
    origin: 'test',
  }
}

const configureUpstream = (
  name: string,
  dialect: string,
  base: string,
): [string, UpstreamSettings] => [
  name,
  {
    name,
    dialect,
    base,
    key: { kind: 'literal', value: UPSTREAM_KEY },
    auth: 'bearer',
    headers: {},
    maxOutputTokens: 100,
    models: new Map(),
    timeouts: name.startsWith('hasty-') ? HASTY : PATIENT,
  },
]

export interface Asking {
  path: string
  body: string | Uint8Array
  headers?: Record<string, string>
  /** Leaves when this resolves, or after the first bytes of the reply. */
  leave?: Promise<void> | 'heard'
}

/** One request over a connection of its own. Never rejects. */
export function ask(stage: Stage, { path, body, headers, leave }: Asking): Promise<Heard> {
  return new Promise((resolve) => {
    const request = httpRequest(new URL(path, stage.url), {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': CALLER_KEY,
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
    })
    const heard: Heard = { status: 0, headers: {}, text: '', complete: false }
    const done = () => resolve(heard)
    request.on('error', done)
    if (leave instanceof Promise) void leave.then(() => request.destroy())
    request.on('response', (response) => {
      heard.status = response.statusCode ?? 0
      heard.headers = response.headers
      response.setEncoding('utf8')
      response.on('error', () => undefined)
      response.on('data', (text) => {
        heard.text += text
        if (leave === 'heard') request.destroy()
      })
      response.on('close', () => {
        heard.complete = response.complete
        done()
      })
    })
    request.end(body)
  })
}
