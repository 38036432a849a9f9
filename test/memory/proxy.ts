import OpenAI from 'openai'
import type { Door } from '../../src/http/admission/guard.ts'
import { createApp } from '../../src/http/hono-app.ts'
import type { Ports, UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'
import type { Settings, UpstreamSettings } from '../../src/config/settings.ts'
import type { Store } from '../../src/memory/store.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { kits } from '../dialects/index.ts'
import { settingsFor } from '../sdk/proxy.ts'
import { DIALECTS, MODEL, type Dialect, type Said, type Wire } from '../sdk/script.ts'
import { answer, speak, type Answer } from '../sdk/stage.ts'

export const KEYS = Array.from({ length: 20 }, (_, index) => `caller-key-${index}-0123456789abcdef`)
export const BASE = 'http://proxy.test'
/** One caller, who is the only one that an upstream can know. */
export const ALONE: Partial<Settings> = { callers: { kind: 'keys', keys: KEYS.slice(0, 1) } }

/** One request as an upstream got it. */
export interface Got {
  dialect: Dialect
  method: string
  url: URL
  text: string
  body: Wire
  stream: boolean
}

export type Upstream = (got: Got) => Said | Answer | Promise<Said | Answer>

export interface Proxy {
  fetch: typeof fetch
  got: Got[]
  log: LogEntry[]
  client(key?: string): OpenAI
  /** Plain HTTP, for what a client would not do. */
  ask(
    path: string,
    init?: RequestInit & { json?: unknown; key?: string; beside?: string },
  ): Promise<Response>
}

export interface ProxyOptions {
  /** A new memory when absent, none when it is `off`. */
  store?: Store | 'off'
  /** By the beginning of the model's name, each dialect has an upstream: `messages-…`. */
  routes?: Settings['routes']
  change?: Partial<Settings>
  ports?: Partial<Ports>
  door?: Door
}

let seeds = 0

/** The proxy in front of one scripted upstream per dialect, with a memory. */
export function proxyOf(upstream: Upstream, options: ProxyOptions = {}): Proxy {
  const got: Got[] = []
  const log: LogEntry[] = []
  const ports: Ports = {
    send: async (request) => {
      const entry = await readGot(request)
      got.push(entry)
      const said = await upstream(entry)
      return 'pieces' in said ? spoken(entry, said) : answer(said)
    },
    now: () => Date.UTC(2026, 10, 21),
    randomId: () => randomId((seeds += 1)),
    log: (entry) => void log.push(entry),
    ...(options.store !== 'off' && { store: options.store ?? memoryStore(STORE_BOUNDS) }),
    ...options.ports,
  }
  const app = createApp({ ...settings(options.routes), ...options.change }, ports, options.door)
  const send = async (input: Parameters<typeof fetch>[0], init?: RequestInit) =>
    app.fetch(new Request(input, init))
  return {
    fetch: send,
    got,
    log,
    client: (key = KEYS[0]) =>
      new OpenAI({ apiKey: key ?? '', baseURL: `${BASE}/v1`, fetch: send, maxRetries: 0 }),
    ask: (path, { json, key = KEYS[0], beside, ...init } = {}) =>
      send(BASE + path, {
        ...init,
        ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(beside && { 'x-api-key': beside }),
        },
      }),
  }
}

const spoken = (got: Got, said: Said): UpstreamResponse =>
  answer(speak(got.dialect, said, MODEL, got.stream))

/** Digits that look random and are the same every time. */
const randomId = (seed: number): string =>
  Array.from({ length: 4 }, (_, part) =>
    (Math.imul((seed * 4 + part) ^ 0x9e3779b9, 0x85ebca6b) >>> 0).toString(16).padStart(8, '0'),
  ).join('')

export function settings(routes?: Settings['routes']): Settings {
  const upstreams = DIALECTS.map((dialect): [string, UpstreamSettings] => {
    const [scripted] = settingsFor(dialect, {}).upstreams.values()
    if (!scripted) throw new Error('no upstream')
    return [dialect, { ...scripted, name: dialect, base: `https://${dialect}.test` }]
  })
  return settingsFor('messages', {
    upstreams: new Map(upstreams),
    routes: routes ?? DIALECTS.map((upstream) => ({ model: `${upstream}-*`, upstream, as: MODEL })),
    callers: { kind: 'keys', keys: KEYS },
  })
}

async function readGot(request: UpstreamRequest): Promise<Got> {
  const url = new URL(request.url)
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  const text = new TextDecoder().decode(bytes)
  const body: Wire = text === '' ? {} : JSON.parse(text)
  const dialect = DIALECTS.find((name) => url.hostname === `${name}.test`)
  if (!dialect) throw new Error(`nobody is at ${url.hostname}`)
  const stream = kits[dialect].http.streams(url.pathname, body)
  return { dialect, method: request.method, url, text, body, stream }
}
