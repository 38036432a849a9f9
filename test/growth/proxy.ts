import { createApp } from '../../src/http/hono-app.ts'
import type { ByteSource } from '../../src/stream/source.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { BASE, KEYS, settings } from '../memory/proxy.ts'
import { clientOf } from '../laws/clients.ts'

const encoder = new TextEncoder()

export interface Heard {
  status: number
  text: string
}

/** What one upstream answers to everything. */
export interface Answered {
  contentType: string
  body: Uint8Array
}

let answered: Answered = { contentType: 'application/json', body: encoder.encode('{}') }

/** As a socket would hand it over. */
const PIECE_BYTES = 16_384

function toSource(bytes: Uint8Array): ByteSource {
  let at = 0
  return {
    async read() {
      const piece = bytes.subarray(at, (at += PIECE_BYTES))
      return piece.length > 0 ? piece : undefined
    },
    cancel: () => void (at = bytes.length),
  }
}

let ids = 0
const { limits, upstreams, ...known } = settings()
/** Nothing but the growth is judged here. */
const ENDLESS_MS = 3_600_000
const timeouts = {
  connectMs: ENDLESS_MS,
  firstByteMs: ENDLESS_MS,
  jsonMs: ENDLESS_MS,
  idleMs: ENDLESS_MS,
  totalMs: ENDLESS_MS,
}
const app = createApp(
  {
    ...known,
    upstreams: new Map([...upstreams].map(([name, one]) => [name, { ...one, timeouts }])),
    limits: { ...limits, nodes: 10_000_000, heartbeatMs: ENDLESS_MS, bodyMs: ENDLESS_MS },
  },
  {
    send: async () => ({
      status: 200,
      headers: new Headers({ 'content-type': answered.contentType }),
      body: toSource(answered.body),
    }),
    now: () => Date.UTC(2026, 10, 21),
    randomId: () => (ids += 1).toString(16).padStart(32, '0'),
    log() {},
    store: memoryStore(STORE_BOUNDS),
  },
)

export const answerWith = (text: string, contentType = 'application/json'): void => {
  answered = { contentType, body: encoder.encode(text) }
}

/** One whole exchange, ready to go: the bytes of the body are there already. */
export function exchange(caller: string, model: string, body: string, stream = false) {
  const { path, query } = clientOf(caller).incoming(model, stream)
  const bytes = encoder.encode(body)
  const request = new Request(`${BASE}${path}${query.get('alt') ? '?alt=sse' : ''}`, {
    method: 'POST',
    body: bytes,
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      authorization: `Bearer ${KEYS[0]}`,
    },
  })
  return async (): Promise<Heard> => {
    const response = await app.fetch(request)
    return { status: response.status, text: await response.text() }
  }
}
