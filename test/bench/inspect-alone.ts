import { readSettings } from '../../src/config/config.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { createRecorder } from '../../src/inspect/recorder.ts'
import type { HttpRequest, Ports } from '../../src/ports.ts'
import { QUESTION, REPLY, streamed } from '../inspect/place.ts'
import { median } from './statistics.ts'

/** The same exchanges with the page and without, in this process and without a socket: only the page differs. */

type Handler = ReturnType<typeof createReplaceable>['answer']

const ENCODER = new TextEncoder()
const DELTAS = 200
const ROUNDS = 15
const ROUND_MS = 150

interface Traffic {
  name: string
  body: object
  pieces: readonly string[]
  type: string
}

const json = { type: 'application/json', pieces: [JSON.stringify(REPLY)] }
const turn = (_: unknown, index: number) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: 'Good morning. '.repeat(8),
})
const TRAFFIC: readonly Traffic[] = [
  { name: 'small JSON', body: QUESTION, ...json },
  {
    name: '100 KB request',
    body: { ...QUESTION, messages: Array.from({ length: 701 }, turn) },
    ...json,
  },
  {
    name: `stream of ${DELTAS} deltas, each a piece`,
    body: { ...QUESTION, stream: true },
    type: 'text/event-stream',
    pieces: streamed(Array.from({ length: DELTAS }, (_, index) => `word ${index} `)),
  },
]

function handlersFor({ pieces, type }: Traffic): [Handler, Handler] {
  const config = {
    upstreams: { service: { dialect: 'responses', url: 'http://upstream.invalid' } },
  }
  const settings = readSettings({ ...config, callers: 'open', state: { store: 'off' } }, {})
  const bytes = pieces.map((piece) => ENCODER.encode(piece))
  const ports: Ports = {
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: () => undefined,
    async send() {
      let next = 0
      const read = async () => bytes[(next += 1) - 1]
      return {
        status: 200,
        headers: new Headers({ 'content-type': type }),
        body: { read, cancel() {} },
      }
    },
  }
  const { inspector } = createRecorder({ now: Date.now, secrets: () => [] })
  return [
    createReplaceable(settings, ports).answer,
    createReplaceable(settings, { ...ports, inspector }).answer,
  ]
}

function makeRequest({ body }: Traffic): HttpRequest {
  const bytes = ENCODER.encode(JSON.stringify(body))
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const request = new Request('http://127.0.0.1/v1/messages', { method: 'POST', headers })
  const { method, url, signal } = request
  return {
    method,
    url,
    signal,
    headers: request.headers,
    body: null,
    arrayBuffer: () => Promise.reject(new Error('nobody asks')),
    whole: () => Promise.resolve(bytes),
  }
}

async function exchanged(handler: Handler, traffic: Traffic): Promise<void> {
  const { body } = await handler(makeRequest(traffic))
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return
  for (let piece = await body.read(); piece; piece = await body.read());
}

/** Microseconds on a processor for one exchange. */
async function measureExchange(handler: Handler, traffic: Traffic, count: number): Promise<number> {
  const before = process.cpuUsage()
  for (let done = 0; done < count; done += 1) await exchanged(handler, traffic)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** For each kind of traffic: how many microseconds an exchange takes without the page, and how many more with it. */
export async function measureAlone(): Promise<{ name: string; without: number; more: number }[]> {
  const results = []
  for (const traffic of TRAFFIC) {
    const [plain, watched] = handlersFor(traffic)
    for (const handler of [plain, watched]) await measureExchange(handler, traffic, 100)
    const once = await measureExchange(plain, traffic, 50)
    const count = Math.max(10, Math.round((ROUND_MS * 1000) / once))
    const without: number[] = []
    const more: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first, second] = round % 2 === 0 ? [plain, watched] : [watched, plain]
      const times = [
        await measureExchange(first, traffic, count),
        await measureExchange(second, traffic, count),
      ]
      const [off = 0, on = 0] = round % 2 === 0 ? times : times.toReversed()
      without.push(off)
      more.push(on - off)
    }
    results.push({ name: traffic.name, without: median(without), more: median(more) })
  }
  return results
}
