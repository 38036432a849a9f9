import { adapters } from '../../adapters/index.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { createReplaceable, type ReplaceableHandler } from '../../src/http/app.ts'
import { tasks } from '../../src/extras/tasks/tasks.ts'
import { toResponse } from '../../src/http/respond.ts'
import { isObject, parseObject, type JsonObject } from '../../src/json/json.ts'
import { utf8Text, wholeBytes } from '../../src/json/bytes.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { DEFAULT_RETENTION } from '../../src/config/defaults.ts'
import { randomId, type Ports, type Send, type UpstreamRequest } from '../../src/ports.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import type { Door } from '../../src/http/admission/guard.ts'
import { pairOf, SocketCaller } from './caller.ts'

/** The proxy in this process, its upstreams the demo's, and callers that are connected to it. */

export const UPSTREAMS = adapters.map(({ dialect }) => dialect)
export const CALLER_KEY = 'caller-key-0123456789abcdef'
export const OTHER_KEY = 'other-key-0123456789abcdef'

const demoUpstreams = Object.fromEntries(
  UPSTREAMS.map((dialect) => [
    dialect,
    { dialect, url: `http://demo.invalid/${dialect}`, key: 'upstream-key-0123456789' },
  ]),
)

export interface Stage {
  handler: ReplaceableHandler
  /** What upstreams were sent. */
  sent: UpstreamRequest[]
  log: LogEntry[]
  connect(headers?: Record<string, string>): Promise<SocketCaller>
  post(body: object, path?: string, key?: string): Promise<Response>
  /** The body of the last request to an upstream. */
  lastSent(): string
}

export interface StageOptions {
  config?: Partial<Config>
  ports?: Partial<Ports>
  door?: Door
  /** Stands before the demo. */
  before?(request: UpstreamRequest, answer: Send): ReturnType<Send>
}

export function stageOf({ config = {}, ports = {}, door, before }: StageOptions = {}): Stage {
  const document = { upstreams: demoUpstreams, routes: ROUTES, callers: CALLERS, ...config }
  const settings = readSettings(document as Config, {})
  const sent: UpstreamRequest[] = []
  const log: LogEntry[] = []
  const demo = demoSend(adapters, () => Promise.reject(new Error('there is no network')))
  const handler = createReplaceable(
    settings,
    {
      async send(request) {
        sent.push(request)
        return before ? before(request, demo) : demo(request)
      },
      now: Date.now,
      randomId,
      tasks,
      log: (entry) => log.push(entry),
      store: memoryStore(DEFAULT_RETENTION),
      ...ports,
    },
    door,
  )
  return {
    handler,
    sent,
    log,
    async connect(headers = {}) {
      const answer = await handler.upgrade(
        new Request('http://proxy.example/v1/responses', { headers: openingHeaders(headers) }),
      )
      if (!answer.accept) throw new Error(`refused with ${answer.status}: ${String(answer.body)}`)
      return new SocketCaller(pairOf(answer.accept))
    },
    async post(body, path = '/v1/responses', key = CALLER_KEY) {
      const request = new Request(`http://proxy.example${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
      return toResponse(await handler.answer(request))
    },
    lastSent: () => bodyOf(sent.at(-1)),
  }
}

/** Each model has the upstream of the dialect that it is named after. */
const ROUTES = UPSTREAMS.map((dialect) => ({ model: dialect, upstream: dialect }))
const CALLERS = {
  keys: [
    { name: 'one', key: CALLER_KEY },
    { name: 'other', key: OTHER_KEY },
  ],
}

export const openingHeaders = (more: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${CALLER_KEY}`,
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  ...more,
})

export function bodyOf(request: UpstreamRequest | undefined): string {
  const { body } = request ?? {}
  return body === undefined || body instanceof ReadableStream ? '' : utf8Text(wholeBytes(body))
}

/** The response in the last event of a turn. */
export function replyOf(events: readonly JsonObject[]): JsonObject {
  const { response } = events.at(-1) ?? {}
  if (!isObject(response)) throw new Error(`no response in ${JSON.stringify(events.at(-1))}`)
  return response
}

export const idOf = (events: readonly JsonObject[]): string => String(replyOf(events)['id'])

export const codeOf = (events: readonly JsonObject[]): unknown => {
  const { error } = events.at(-1) ?? {}
  return isObject(error) ? error['code'] : undefined
}

export const textOf = (events: readonly JsonObject[]): string =>
  events.map(({ delta }) => (typeof delta === 'string' ? delta : '')).join('')

export const parsed = (text: string): JsonObject => parseObject(text) ?? {}
