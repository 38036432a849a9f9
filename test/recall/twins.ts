import { isAscii, isUtf8 } from 'node:buffer'
import { createReplaceable } from '../../src/http/app.ts'
import { wholeBytes, type Bytes } from '../../src/json/bytes.ts'
import { Verbatim, type Json } from '../../src/json/json.ts'
import type { ScannedBody } from '../../src/json/scanned-body.ts'
import type { HttpRequest, Ports, Recall } from '../../src/ports.ts'
import type { NativeBytes } from '../../src/extras/recall/fresh-body.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import type { Settings } from '../../src/config/settings.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { BASE, settings } from '../memory/proxy.ts'
import { plainReply } from '../growth/fixtures.ts'

/** The same proxy twice, once with a memory of the last requests and once without. */

export interface Asked {
  caller: Dialect
  upstream: Dialect
  key: string
  stream: boolean
  bytes: Uint8Array
}

/** All that can be seen of an exchange from outside. */
export interface Seen {
  status: number
  headers: object
  body: string
  sent: readonly object[]
  log: readonly object[]
}

export const NATIVE: NativeBytes = {
  isAscii,
  isUtf8,
  latin1: (bytes) => text(bytes),
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Whatever is kept of a request is shared with the next one: to change it is a fault. */
function freeze<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (!(value instanceof Verbatim)) for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

function frozen(scanned: ScannedBody): ScannedBody {
  const parsed = scanned.parsed.bind(scanned)
  return Object.assign(scanned, { parsed: () => freeze(parsed()) })
}

const arrayBuffer = () => Promise.reject(new Error('the body is there already'))

/** Counts the bodies that were recognised, because a law about none says nothing. */
export function watched(
  recall: Recall,
  count: { known: number; fresh: number; first: number },
): Recall {
  return {
    held: 0,
    bound: (bytes) => recall.bound(bytes),
    request(...question) {
      const request = recall.request(...question)
      return (
        request && {
          scanned(bytes: Bytes) {
            const scanned = request.scanned(bytes)
            if (scanned) count.known += 1
            return scanned && frozen(scanned)
          },
          fresh(bytes: Bytes) {
            const scanned = request.fresh(bytes)
            if (scanned) count.fresh += 1
            return scanned && frozen(scanned)
          },
          first(bytes: Bytes) {
            const scanned = request.first(bytes)
            if (scanned) count.first += 1
            return scanned && frozen(scanned)
          },
          learned: (bytes, text, structure) => frozen(request.learned(bytes, text, structure)),
          written: (body) => request.written(freeze(body)),
          get isKept() {
            return request.isKept
          },
        }
      )
    },
  }
}

export interface Twins {
  ask(asked: Asked): Promise<[withMemory: Seen, without: Seen]>
  known(): number
  fresh(): number
  first(): number
}

export interface TwinOptions {
  bytes?: number
  /** Another memory than the one of a process. */
  recall?: Recall
  limits?: Partial<Settings['limits']>
}

export function twins({ bytes = 10_000_000, recall: given, limits = {} }: TwinOptions = {}): Twins {
  const usual = settings()
  const chosen = { ...usual, limits: { ...usual.limits, ...limits } }
  const count = { known: 0, fresh: 0, first: 0 }
  const own = given ?? createRecall({ bytes, leastBytes: 256, native: NATIVE })
  const recall = watched(own, count)
  const [one, other] = [proxy(chosen, { recall }), proxy(chosen)]
  return {
    ask: async (asked) => [await one(asked), await other(asked)],
    known: () => count.known,
    fresh: () => count.fresh,
    first: () => count.first,
  }
}

function proxy(chosen: Settings, more: Partial<Ports> = {}) {
  let ids = 0
  let sent: object[] = []
  let log: object[] = []
  const ports: Ports = {
    now: () => Date.UTC(2026, 10, 21),
    randomId: () => (ids += 1).toString(16).padStart(32, '0'),
    // What is told of time is of no account.
    log: (entry) => void log.push({ ...entry, overheadMs: 0 }),
    store: memoryStore(STORE_BOUNDS),
    async send({ url, headers, body }) {
      if (body instanceof ReadableStream) throw new Error('a stream was sent')
      sent.push({ url, headers, body: text(wholeBytes(body ?? new Uint8Array())) })
      const [, dialect = ''] = /^https:\/\/([\w-]+)\.test/.exec(url) ?? []
      return replyOf(dialect)
    },
    ...more,
  }
  const { answer } = createReplaceable(chosen, ports)
  return async (asked: Asked): Promise<Seen> => {
    sent = []
    log = []
    const reply = await answer(requestOf(asked))
    const parts: Uint8Array[] = []
    if (reply.body !== null && typeof reply.body === 'object' && 'read' in reply.body)
      for (let part = await reply.body.read(); part; part = await reply.body.read())
        parts.push(part)
    else if (reply.body !== null) parts.push(Buffer.from(reply.body))
    reply.gone?.()
    const { status, headers } = reply
    return { status, headers, body: Buffer.concat(parts).toString(), sent, log }
  }
}

export function replyOf(dialect: string) {
  const known = Object.keys(kits).find((name) => name === dialect) as Dialect | undefined
  const bytes = Buffer.from(known ? plainReply(known) : '{}')
  let pieces = [bytes]
  const read = async () => pieces.pop()
  const cancel = () => void (pieces = [])
  const headers = new Headers({ 'content-type': 'application/json' })
  return { status: 200, headers, body: { read, cancel } }
}

export function requestOf({ bytes, caller, key, stream, upstream }: Asked): HttpRequest {
  const { http } = kits[caller]
  const url = BASE + http.path(`${upstream}-x`, stream)
  const headers = new Headers({
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
    ...http.credentials(key),
  })
  const { signal } = new AbortController()
  const whole = () => Promise.resolve(bytes)
  return { method: 'POST', url, headers, signal, body: null, arrayBuffer, whole }
}
