import type { Dialects } from '../../adapters/index.ts'
import { authenticator } from '../../src/upstream/credentials.ts'
import { createPools } from '../../src/upstream/pools.ts'
import { PROCESS_LIMITS, TIMEOUTS } from '../../src/config/defaults.ts'
import type { Ports, UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'
import type { Settings, UpstreamSettings } from '../../src/config/settings.ts'
import { answerRequest } from '../../src/http/router.ts'
import { toResponse } from '../../src/http/respond.ts'
import { createLoad, type Load } from '../../src/http/admission/load.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { placing } from '../../src/extras/places/placing.ts'
import { fakes } from './fakes.ts'

/** A scripted upstream: what it is asked is remembered, what it answers is given. */
export type Script = (
  request: UpstreamRequest,
  index: number,
) => Promise<UpstreamResponse> | UpstreamResponse

export interface Proxy {
  fetch(path: string, init?: ProxyInit): Promise<Response>
  sent: UpstreamRequest[]
  log: LogEntry[]
}

export interface ProxyInit extends Omit<RequestInit, 'body'> {
  body?: unknown
}

export type SettingsChange = Partial<Omit<Settings, 'limits' | 'upstreams'>> & {
  limits?: Partial<Settings['limits']>
  upstream?: Partial<UpstreamSettings>
  /** Dialects that have an upstream of their name. */
  upstreams?: readonly string[]
}

export const KEY = 'upstream-key-0123456789abcdef'

/** The models `plain-…` and `pathy-…` lead to an upstream of that dialect, `alias` to a renamed one. */
export function settingsWith(change: SettingsChange = {}): Settings {
  const { limits, upstream, upstreams = [], ...rest } = change
  const upstreamOf = (
    dialect: string,
    auth: UpstreamSettings['auth'],
  ): [string, UpstreamSettings] => [
    dialect,
    {
      name: dialect,
      dialect,
      base: `https://${dialect}.example`,
      key: { kind: 'literal', value: KEY },
      auth,
      headers: {},
      maxOutputTokens: 100,
      models: new Map(),
      timeouts: TIMEOUTS,
      ...upstream,
    },
  ]
  return {
    upstreams: new Map([
      upstreamOf('plain', 'bearer'),
      upstreamOf('pathy', 'query'),
      ...upstreams.map((dialect) => upstreamOf(dialect, 'bearer')),
    ]),
    routes: [
      { model: 'plain-*', upstream: 'plain' },
      { model: 'pathy-*', upstream: 'pathy' },
      { model: 'alias', upstream: 'plain', as: 'real-model' },
      { model: 'alias-pathy', upstream: 'pathy', as: 'real-model' },
    ],
    callers: { kind: 'open' },
    tasks: {},
    state: 'memory',
    losses: 'report',
    origin: 'test',
    ...rest,
    limits: { ...PROCESS_LIMITS, ...limits },
  }
}

export function proxyOf(
  script: Script,
  change: SettingsChange = {},
  extra: Partial<Ports> & { dialects?: Dialects; load?: Load } = {},
): Proxy {
  const sent: UpstreamRequest[] = []
  const log: LogEntry[] = []
  const { dialects = fakes, load, ...portsChange } = extra
  const settings = settingsWith(change)
  let ids = 0
  const ports: Ports = {
    send: async (request) => {
      sent.push(request)
      return script(request, sent.length - 1)
    },
    now: () => 1_700_000_000_000,
    randomId: () => (ids += 1).toString(16).padStart(32, '0'),
    log: (entry) => log.push(entry),
    placing,
    ...portsChange,
  }
  const site = {
    settings,
    ports,
    dialects,
    admit: authenticator(settings.callers),
    load: load ?? createLoad(settings.limits),
    pools: createPools(ports),
  }
  return {
    sent,
    log,
    async fetch(path, { body, ...init } = {}) {
      const isRaw =
        body === undefined ||
        typeof body === 'string' ||
        body instanceof Uint8Array ||
        body instanceof ReadableStream
      const request = new Request(`http://proxy.example${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        ...init,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...Object.fromEntries(new Headers(init.headers)),
        },
        body: (isRaw ? body : JSON.stringify(body)) as RequestInit['body'],
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      } as RequestInit)
      return toResponse(await answerRequest(site, request))
    },
  }
}

export const jsonReply = (
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): UpstreamResponse => ({
  status,
  headers: new Headers({ 'content-type': 'application/json', ...headers }),
  body: streamOf([typeof body === 'string' ? body : JSON.stringify(body)]),
})

export type Chunk = string | Uint8Array | Error | Promise<unknown>

/** A body in exactly these chunks; a promise is waited for, an error breaks the connection. */
export function streamOf(
  chunks: Iterable<Chunk>,
  onCancel?: () => void,
): ReadableStream<Uint8Array> {
  const source = chunks[Symbol.iterator]()
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        for (;;) {
          const { value, done } = source.next()
          if (done) return controller.close()
          if (value instanceof Error) return controller.error(value)
          if (value instanceof Promise) {
            await value
            continue
          }
          return controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
        }
      },
      ...(onCancel && { cancel: onCancel }),
    },
    { highWaterMark: 0 },
  )
}

export const sseReply = (
  chunks: Iterable<Chunk>,
  headers: Record<string, string> = {},
  onCancel?: () => void,
): UpstreamResponse => ({
  status: 200,
  headers: new Headers({ 'content-type': 'text/event-stream', ...headers }),
  body: streamOf(chunks, onCancel),
})

export const sse = (body: unknown): string => `data: ${JSON.stringify(body)}\n\n`

/** A whole stream of `plain`. */
export const plainStream = (texts: string[] = ['Hel', 'lo'], model = 'plain-1'): string[] => [
  sse({ t: 'start', reply: { model } }),
  ...texts.map((text) => sse({ t: 'text', text })),
  sse({ t: 'end' }),
]

/** A whole stream of `pathy`. */
export const pathyStream = (texts: string[] = ['Hel', 'lo'], model = 'pathy-1'): string[] => [
  sse({ modelName: model }),
  ...texts.map((text) => sse({ t: 'text', text })),
  sse({ t: 'end' }),
]

/**
 * A silence of an upstream that lasts until the caller has heard something, however busy the machine is: a time would
 * be over before a heartbeat was.
 */
export function silenceUntil(heard: RegExp) {
  const { promise: silence, resolve: speak } = Promise.withResolvers<void>()
  const read = async (response: Response): Promise<string> => {
    const decoder = new TextDecoder()
    let text = ''
    const reader = response.body?.getReader()
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true })
      if (heard.test(text)) speak()
    }
    return text
  }
  return { silence, read }
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const never = (): Promise<never> => new Promise(() => {})

/** All bytes of a string, one by one. */
export const bytewise = (text: string): Uint8Array[] =>
  [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte))
