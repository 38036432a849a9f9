import { wholeBytes } from '../../src/json/bytes.ts'
import { createApp } from '../../src/http/hono-app.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { Ports, UpstreamRequest } from '../../src/ports.ts'
import type { Settings, UpstreamSettings } from '../../src/config/settings.ts'
import type { Store } from '../../src/memory/store.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { MODEL, type Dialect } from './script.ts'
import { answer, CALLER_KEY, staged, type Received, type Script, type Stage } from './stage.ts'

export const UPSTREAM_KEY = 'upstream-key-91bc'

/** The proxy in front of one scripted upstream, without sockets. */
export function stage(
  dialect: Dialect,
  script: Script,
  more: Partial<Settings> = {},
  store?: Store,
): Stage {
  const received: Received[] = []
  const ports = { ...portsFor(received, script), ...(store && { store }) }
  const app = createApp(settingsFor(dialect, more), ports)
  return staged(dialect, received, async (input, init) => app.fetch(new Request(input, init)))
}

export function settingsFor(dialect: Dialect, more: Partial<Settings>): Settings {
  const upstream: UpstreamSettings = {
    name: 'scripted',
    dialect,
    base: `https://${dialect}.test`,
    key: { kind: 'literal', value: UPSTREAM_KEY },
    auth: adapterOf(dialect).upstream.defaultAuth,
    headers: {},
    maxOutputTokens: 8192,
    models: new Map(),
    timeouts: {
      connectMs: 1000,
      firstByteMs: 5000,
      jsonMs: 5000,
      idleMs: 5000,
      totalMs: 10_000,
    },
  }
  return {
    upstreams: new Map([['scripted', upstream]]),
    routes: [{ model: '*', upstream: 'scripted', as: MODEL }],
    callers: { kind: 'keys', keys: [CALLER_KEY] },
    tasks: {},
    state: 'memory',
    losses: 'report',
    limits: LIMITS,
    origin: 'test',
    ...more,
  }
}

const LIMITS: Settings['limits'] = {
  ...PROCESS_LIMITS,
  depth: 256,
  nodes: 1_000_000,
  eventBytes: 8_388_608,
  streamBytes: 268_435_456,
  streams: 1000,
  connections: 1000,
  headersMs: 5000,
  bodyMs: 5000,
  heartbeatMs: 10_000,
  drainMs: 1000,
}

function portsFor(received: Received[], script: Script): Ports {
  let ids = 0
  return {
    send: async (request) => {
      const entry = await readUpstream(request)
      received.push(entry)
      return answer(await script(entry, received.length - 1))
    },
    now: () => Date.UTC(2026, 10, 21) + ids,
    randomId: () => {
      ids += 1
      return Array.from({ length: 4 }, (_, part) => scattered(ids * 4 + part)).join('')
    },
    log: () => undefined,
  }
}

/** Eight hexadecimal digits that look random and are the same every time. */
const scattered = (seed: number): string =>
  (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0).toString(16).padStart(8, '0')

async function readUpstream(request: UpstreamRequest): Promise<Received> {
  const url = new URL(request.url)
  const text = request.body === undefined ? '' : await new Response(bodyOf(request)).text()
  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers: new Headers(request.headers),
    text,
    body: text === '' ? {} : JSON.parse(text),
    signal: request.signal,
  }
}

const bodyOf = ({ body }: UpstreamRequest): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> =>
  body instanceof ReadableStream ? body : new Uint8Array(wholeBytes(body ?? []))
