import { expect, it, vi } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { type HttpRequest, randomId } from '../../src/ports.ts'
import { allKits } from '../dialects/index.ts'
import type { Kit } from '../dialects/kit.ts'
import { usedBytes } from '../used-bytes.ts'

/**
 * A model may think for minutes. What was said before that is not kept meanwhile: neither the request, nor how a
 * service of `responses` begins, which is everything that it was told.
 */

const STREAMS = 10
/** What is made once is made by the first ones. */
const FIRST = 3
const ATTEMPTS = 5
const INSTRUCTIONS_CHARACTERS = 200_000
/** All that an exchange has, twice. */
const MOST_BYTES = 80_000
const ENCODER = new TextEncoder()

const frame = (type: string, event: object): Uint8Array =>
  ENCODER.encode(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`)

function opening(number: number): Uint8Array[] {
  const instructions = `${number}`.padEnd(INSTRUCTIONS_CHARACTERS, 'Be good. ')
  const response = {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1,
    model: 'm',
    output: [],
  }
  return ['response.created', 'response.in_progress'].map((type, at) =>
    frame(type, {
      sequence_number: at,
      response: { ...response, status: 'in_progress', instructions },
    }),
  )
}

const words = (delta: string, at: number): Uint8Array =>
  frame('response.output_text.delta', {
    sequence_number: at + 2,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta,
  })

/** Bodies of which each yields these pieces, and then waits. */
function silentAfter(piecesOf: () => Uint8Array[]) {
  const waiting = new Set<unknown>()
  const wait = (): Promise<undefined> => new Promise((resolve) => waiting.add(resolve))
  const body = () => {
    const pieces = piecesOf()
    return { read: async () => pieces.shift() ?? wait(), cancel() {} }
  }
  return { body, waiting }
}

/** As a server makes it: a `Request` of the web would keep its body. */
const requestOf = (path: string, body: object): HttpRequest => ({
  method: 'POST',
  url: `http://127.0.0.1${path}`,
  signal: new AbortController().signal,
  headers: new Headers({ 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }),
  body: null,
  arrayBuffer: () => Promise.reject(new Error('nobody asks')),
  whole: async () => ENCODER.encode(JSON.stringify(body)),
})

interface Waiting {
  upstream: string
  pieces: () => Uint8Array[]
  request: object
  isKept?: true
  isPooled?: true
}

/** Opens so many streams, and returns when all have begun and wait. */
async function open(
  streams: number,
  { http }: Kit,
  { upstream, pieces, request, isKept, isPooled }: Waiting,
): Promise<unknown[]> {
  const service = { dialect: upstream, url: 'http://upstream.invalid', key: 'k-0123456789abcdef' }
  const config = {
    upstreams: { one: service, other: service },
    routes: [{ model: '*', upstream: isPooled ? ['one', 'other'] : 'one' }],
    state: { store: isKept ? 'memory' : 'off', recallBytes: 0 },
  }
  const { body, waiting } = silentAfter(pieces)
  const headers = new Headers({ 'content-type': 'text/event-stream' })
  const send = async () => ({ status: 200, headers, body: body() })
  const keeping = isKept && { store: memoryStore(STORE_BOUNDS) }
  const ports = { now: Date.now, randomId, log: () => undefined, send, ...keeping }
  const answer = createHandler(readSettings(config, {}), ports)
  const exchange = async () => {
    const asked = requestOf(http.path('m', true), http.body('m', true, request))
    // What comes is let go of.
    await toResponse(await answer(asked)).body?.pipeTo(new WritableStream())
  }
  const opened = Array.from({ length: streams }, exchange)
  await vi.waitUntil(() => waiting.size === streams, { timeout: 120_000, interval: 5 })
  // What was read before the last one is let go of when the others have had their turn.
  await new Promise((resolve) => setTimeout(resolve, 20))
  return opened
}

/** Bytes for each stream that has begun and waits, the least of some attempts: the engine may learn meanwhile. */
async function heldBytes(kit: Kit, waiting: Waiting, most = MOST_BYTES): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && least >= most; attempt += 1) {
    await open(FIRST, kit, waiting)
    const before = usedBytes()
    const opened = await open(STREAMS, kit, waiting)
    const held = usedBytes() - before
    expect(opened).toHaveLength(STREAMS)
    least = Math.min(least, held / STREAMS)
  }
  return least
}

it.each(
  allKits.flatMap((kit) => [
    [kit.voice.dialect, 'nothing', kit, []] as const,
    [kit.voice.dialect, 'some words', kit, ['one ', 'two ']] as const,
  ]),
)('lets go of a long opening: %s, behind it %s', async (_, _said, kit, deltas) => {
  let asked = 0
  const pieces = () => [...opening((asked += 1)), ...deltas.map(words)]
  const request = { ...kit.ask.needed, ...kit.ask.text('hi') }
  const held = await heldBytes(kit, { upstream: 'responses', pieces, request })
  expect(held).toBeLessThan(MOST_BYTES)
})

const TOOL = { name: 'f', schema: { type: 'object', description: 'A schema. '.repeat(10) } }

it.each(
  allKits.flatMap((caller) =>
    allKits.map(
      (upstream) => [caller.voice.dialect, upstream.voice.dialect, caller, upstream] as const,
    ),
  ),
)('lets go of a long request with tools: %s over %s', async (_, dialect, caller, { voice }) => {
  const { ask } = caller
  const request = { ...ask.needed, ...ask.session(50, [TOOL], 'A result. '.repeat(500)) }
  const pieces = () => [ENCODER.encode(voice.opening)]
  const waiting = { upstream: dialect, pieces, request }
  const held = await heldBytes(caller, waiting)
  const heldInPool = await heldBytes(caller, { ...waiting, isPooled: true })
  expect(heldInPool).toBeLessThan(MOST_BYTES)
  expect(JSON.stringify(request).length).toBeGreaterThan(2 * MOST_BYTES)
  expect(held).toBeLessThan(MOST_BYTES)
})

it.each(allKits.filter(({ voice }) => voice.dialect === 'responses'))(
  'keeps a request once, of which a copy will be stored',
  async (kit) => {
    const said = 'Well. '.repeat(50_000)
    const request = { ...kit.ask.needed, ...kit.ask.text(said), store: true }
    const pieces = () => [ENCODER.encode(kit.voice.opening)]
    const waiting = { upstream: 'responses', pieces, request, isKept: true } as const
    const held = await heldBytes(kit, waiting, said.length + MOST_BYTES)
    // What others have left behind may be collected meanwhile.
    expect(held).toBeGreaterThan(0.8 * said.length)
    expect(held).toBeLessThan(said.length + MOST_BYTES)
  },
)
