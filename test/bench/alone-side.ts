import { readSettings } from '../../src/config/config.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { createRecorder } from '../../src/extras/inspect/recorder.ts'
import { tuneEngine } from '../../src/node/process/engine.ts'
import { Head } from '../../src/node/server/request.ts'
import type { HttpRequest, Ports } from '../../src/ports.ts'
import { QUESTION, REPLY, streamed } from '../inspect/place.ts'
import { NAMED_CALLERS } from './callers.ts'
import { CALLER_KEY } from './shared.ts'
import type { Option, SideJob } from './alone.ts'

/** One side of a comparison: exchanges without a socket, in a process of their own, with an option or without. */

type Handler = ReturnType<typeof createReplaceable>['answer']

const ENCODER = new TextEncoder()
const DELTAS = 200
const SHORT_DELTAS = 10

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

/** As many exchanges at once as in the lanes with sockets. */
const AT_ONCE = 16

/** A request to an upstream waits for the network. */
const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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

function handlerFor({ pieces, type }: Traffic, option: Option | undefined): Handler {
  const bytes = pieces.map((piece) => ENCODER.encode(piece))
  const ports: Ports = {
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: () => undefined,
    async send() {
      await aTurn()
      let next = 0
      const read = async () => bytes[(next += 1) - 1]
      return {
        status: 200,
        headers: new Head({ rawHeaders: ['content-type', type] }),
        body: { read, cancel() {} },
      }
    },
  }
  if (option === 'pool') return createReplaceable(settingsFor(['one', 'other']), ports).answer
  if (option === 'callers')
    return createReplaceable(settingsFor('one', NAMED_CALLERS), ports).answer
  const page = createRecorder({ now: Date.now, secrets: () => [] })
  // Its memory is given by the system when it is first written to.
  page.clear()
  const inspected = option === 'page' ? { inspector: page.inspector } : {}
  return createReplaceable(settingsFor('one'), { ...ports, ...inspected }).answer
}

const HEADERS = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'x-api-key': CALLER_KEY,
}
const RAW_HEADERS = Object.entries(HEADERS).flat()

const makeRequest = (bytes: Uint8Array): HttpRequest => ({
  method: 'POST',
  url: 'http://127.0.0.1/v1/messages',
  signal: new AbortController().signal,
  headers: new Head({ rawHeaders: RAW_HEADERS }),
  body: null,
  arrayBuffer: () => Promise.reject(new Error('nobody asks')),
  whole: () => Promise.resolve(bytes),
})

async function exchanged(handler: Handler, bytes: Uint8Array): Promise<void> {
  const { body } = await handler(makeRequest(bytes))
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return
  let piece
  do {
    piece = await body.read()
    body.taken?.(piece)
  } while (piece)
}

/** Microseconds on a processor for one exchange. */
async function measureExchange(
  handler: Handler,
  bytes: Uint8Array,
  count: number,
): Promise<number> {
  const before = process.cpuUsage()
  const rounds = Math.ceil(count / AT_ONCE)
  const exchange = () => exchanged(handler, bytes)
  for (let round = 0; round < rounds; round += 1)
    await Promise.all(Array.from({ length: AT_ONCE }, exchange))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (rounds * AT_ONCE)
}

// As the command does.
tuneEngine()

/** Each kind of traffic has a handler of its own, and its body is made once. */
const [, , option] = process.argv
const sides = TRAFFIC.map((traffic) => ({
  handler: handlerFor(traffic, option === 'without' ? undefined : (option as Option)),
  bytes: ENCODER.encode(JSON.stringify(traffic.body)),
}))

process.on('message', async ({ traffic, count }: SideJob) => {
  const side = sides[traffic]
  process.send?.(side ? await measureExchange(side.handler, side.bytes, count) : undefined)
})
process.send?.(TRAFFIC.map(({ name }) => name))
