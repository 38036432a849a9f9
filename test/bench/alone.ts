import { readSettings } from '../../src/config/config.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { createRecorder } from '../../src/inspect/recorder.ts'
import { Head } from '../../src/node/request.ts'
import type { HttpRequest, Ports } from '../../src/ports.ts'
import { QUESTION, REPLY, streamed } from '../inspect/place.ts'
import { NAMED_CALLERS } from './callers.ts'
import { CALLER_KEY } from './shared.ts'
import { median } from './statistics.ts'

/** The same exchanges with an option and without, in this process and without a socket: only the option differs. */

type Handler = ReturnType<typeof createReplaceable>['answer']

const ENCODER = new TextEncoder()
const DELTAS = 200
const SHORT_DELTAS = 10
/** Many short slices: what else the machine does falls on both of a pair, or on few pairs. */
const ROUNDS = 101
const SLICE_MS = 25

/** What is switched on: the page, a second upstream behind the model, or callers with names and limits. */
export type Option = 'page' | 'pool' | 'callers'

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
  ...[SHORT_DELTAS, DELTAS].map((count) => ({
    name: `stream of ${count} deltas, each a piece`,
    body: { ...QUESTION, stream: true },
    type: 'text/event-stream',
    pieces: streamed(Array.from({ length: count }, (_, index) => `word ${index} `)),
  })),
]

function settingsFor(upstream: string | readonly string[], callers: object | 'open' = 'open') {
  const service = { dialect: 'responses', url: 'http://upstream.invalid', key: 'a-key' }
  const config = {
    upstreams: { one: service, other: service },
    routes: [{ model: '*', upstream }],
    callers,
    state: { store: 'off' },
  }
  return readSettings(config, {})
}

function handlersFor({ pieces, type }: Traffic, option: Option): [Handler, Handler] {
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
        headers: new Head({ rawHeaders: ['content-type', type] }),
        body: { read, cancel() {} },
      }
    },
  }
  const { answer } = createReplaceable(settingsFor('one'), ports)
  if (option === 'pool')
    return [answer, createReplaceable(settingsFor(['one', 'other']), ports).answer]
  if (option === 'callers')
    return [answer, createReplaceable(settingsFor('one', NAMED_CALLERS), ports).answer]
  const { inspector } = createRecorder({ now: Date.now, secrets: () => [] })
  return [answer, createReplaceable(settingsFor('one'), { ...ports, inspector }).answer]
}

const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'x-api-key': CALLER_KEY,
}
const RAW_HEADERS = Object.entries(HEADERS).flat()

function makeRequest({ body }: Traffic): HttpRequest {
  const bytes = ENCODER.encode(JSON.stringify(body))
  return {
    method: 'POST',
    url: 'http://127.0.0.1/v1/messages',
    signal: new AbortController().signal,
    headers: new Head({ rawHeaders: RAW_HEADERS }),
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

export interface Alone {
  name: string
  /** Microseconds for an exchange without the option, and how many more with it. */
  without: number
  more: number
  /** With it in proportion to without it, pair by pair. */
  ratio: number
}

/** What an option costs for each kind of traffic: the middle of pairs of slices, one with it and one without. */
export async function measureAlone(option: Option, rounds = ROUNDS): Promise<Alone[]> {
  const results = []
  for (const traffic of TRAFFIC) {
    const [plain, changed] = handlersFor(traffic, option)
    for (const handler of [plain, changed]) await measureExchange(handler, traffic, 200)
    const once = await measureExchange(plain, traffic, 50)
    const count = Math.max(5, Math.round((SLICE_MS * 1000) / once))
    const without: number[] = []
    const more: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [first, second] = round % 2 === 0 ? [plain, changed] : [changed, plain]
      const times = [
        await measureExchange(first, traffic, count),
        await measureExchange(second, traffic, count),
      ]
      const [off = 0, on = 0] = round % 2 === 0 ? times : times.toReversed()
      without.push(off)
      more.push(on - off)
    }
    const ratio = more.map((each, round) => 1 + each / (without[round] ?? Number.NaN))
    results.push({
      name: traffic.name,
      without: median(without),
      more: median(more),
      ratio: median(ratio),
    })
  }
  return results
}
