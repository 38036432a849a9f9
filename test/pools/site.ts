import { dialects } from '../../adapters/index.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import type { Ports, UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'
import { jsonReply, sseReply } from '../exchange/proxy.ts'
import { voices, type Voice } from '../faults/voices.ts'

/** A proxy with pools between a caller and upstreams that follow a script, and with a clock that the test sets. */
export interface Site {
  /** For clients that bring their own requests. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  ask(asked: Asked): Promise<Response>
  /** What was sent, with the member that it went to. */
  sent: Sent[]
  log: LogEntry[]
  /** Milliseconds that have passed. */
  pass(ms: number): void
}

export interface Sent {
  key: string
  body: string
  request: UpstreamRequest
}

export interface Asked {
  voice?: Voice
  model?: string
  stream?: boolean
  headers?: Record<string, string>
  body?: object
  path?: string
  method?: string
  signal?: AbortSignal
}

/** What the member with this key says to its `nth` request. */
export type MemberScript = (sent: Sent, nth: number) => Promise<UpstreamResponse> | UpstreamResponse

/** A conversation of `messages` with a proof in it. */
export const SIGNED = [
  { role: 'user', content: 'Hello' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJl' },
      { type: 'text', text: 'Hi' },
    ],
  },
  { role: 'user', content: 'More' },
]

/** The name of the key, by which scripts know their members. */
const keyIn = ({ headers, url }: UpstreamRequest): string =>
  /k-\w+/.exec(
    `${headers['authorization']} ${headers['x-api-key']} ${headers['x-goog-api-key']} ${url}`,
  )?.[0] ?? ''

export const key = (name: string): string => `k-${name}-0123456789abcdef`.replaceAll('-0', '0')

export function siteOf(
  config: Config,
  scripts: Readonly<Record<string, MemberScript>>,
  extra: Pick<Ports, 'store' | 'recall'> = {},
): Site {
  const sent: Sent[] = []
  const log: LogEntry[] = []
  let time = 1_700_000_000_000
  let ids = 0
  const answer = createHandler(readSettings(config, {}), {
    send: async (request) => {
      const body = request.body instanceof Uint8Array ? new TextDecoder().decode(request.body) : ''
      const entry = { key: keyIn(request), body, request }
      const nth = sent.filter((each) => each.key === entry.key).length
      sent.push(entry)
      const script = Object.entries(scripts).find(([name]) => entry.key.startsWith(`k-${name}0`))
      if (!script) throw new Error(`no script for ${entry.key}`)
      return script[1](entry, nth)
    },
    now: () => time,
    randomId: () => (ids += 1).toString(16).padStart(32, '8'),
    log: (entry) => log.push(entry),
    ...extra,
  })
  const [usual] = voices
  return {
    sent,
    log,
    pass: (ms) => void (time += ms),
    fetch: async (input, init) => toResponse(await answer(new Request(input, init))),
    async ask({ voice = usual, model = 'm', stream = false, headers, body, path, method, signal }) {
      if (!voice) throw new Error('there are voices')
      const request = new Request(`http://127.0.0.1${path ?? voice.path(model, stream)}`, {
        method: method ?? 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          ...headers,
        },
        ...((method ?? 'POST') === 'POST' && {
          body: JSON.stringify({ ...voice.request(model, stream), ...body }),
        }),
        ...(signal && { signal }),
      })
      return toResponse(await answer(request))
    },
  }
}

export const voiceOf = (dialect: string): Voice => {
  const found = voices.find((voice) => voice.dialect === dialect)
  if (!found) throw new Error(`no voice for ${dialect}`)
  return found
}

/** An upstream that answers well, as it is asked. */
export const good =
  (dialect: string): MemberScript =>
  ({ request }) => {
    const { opening, closing, whole } = voiceOf(dialect)
    return request.headers['accept'] === 'text/event-stream'
      ? sseReply([opening + closing])
      : jsonReply(whole)
  }

/** One that says a status. */
export const refusing =
  (status: number, headers: Record<string, string> = {}, words = 'no'): MemberScript =>
  () =>
    jsonReply({ type: 'error', error: { type: 'x', message: words } }, status, headers)

export const DIALECTS = dialects.list.map(({ dialect }) => dialect)

/** Two keys of one upstream behind every model. */
export const twoKeys = (dialect: string, more: Partial<Config> = {}): Config => ({
  upstreams: {
    up: {
      dialect: dialect as 'messages',
      url: 'https://up.example',
      key: [key('one'), key('two')],
      account: 'team',
    },
  },
  routes: [{ model: '*', upstream: 'up' }],
  ...more,
})

/** Two upstreams behind every model. */
export const twoUpstreams = (
  dialect: string,
  keys: readonly [string, string],
  more: Partial<Config> = {},
) => {
  const [a, b] = keys.map((own, index) => ({
    dialect: dialect as 'messages',
    url: `https://${index}.example`,
    key: own,
  }))
  return { upstreams: { a, b }, routes: [{ model: '*', upstream: ['a', 'b'] }], ...more } as Config
}
