import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { SharedClock } from '../../src/node/server/clock.ts'
import { Head } from '../../src/node/server/request.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import type { HttpRequest, Ports } from '../../src/ports.ts'
import { startCaller, startUpstream, withLanes } from '../bench/processes.ts'
import { modelOf, type Load } from '../bench/shared.ts'
import { callDeadline } from '../../src/upstream/call-deadline.ts'
import { QUESTION, streamed } from '../inspect/place.ts'

/**
 * What an exchange had is collected with the young objects. It is not when anything in the old space points to it,
 * also if that is garbage itself, and then it is copied twice and stays until the next full collection.
 */

const AT_ONCE = 8
const EACH = 100
const COLLECTED_AFTER = 30
/** What each exchange holds while it lasts, in a header, because whatever is stored stays. */
const HELD_CHARACTERS = 40_000

const PAGE_BYTES = 16_384

const COMMAND = fileURLToPath(new URL('../../src/node.ts', import.meta.url))
const ENCODER = new TextEncoder()
const WORDS = ['one ', 'two ', 'three ']
const delta = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
})
const STARTED = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
const OF_MESSAGES = [
  { type: 'message_start', message: { ...STARTED, usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...WORDS.map(delta),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const ROOM = { entryBytes: 1e6, ownerBytes: 1e7, totalBytes: 1e7 }

/** As the command has them: all exchanges share a clock, and the signal at which the process ends. */
const ports = (reply: readonly string[]): Ports => ({
  now: Date.now,
  randomId: () => crypto.randomUUID().replaceAll('-', ''),
  log: () => undefined,
  alarm: new SharedClock().alarm,
  deadline: new AbortController().signal,
  store: memoryStore(ROOM),
  async send() {
    const pieces = reply.values()
    const read = async () => {
      await aTurn()
      const { value } = pieces.next()
      return value === undefined ? undefined : ENCODER.encode(value)
    }
    const headers = new Head({ rawHeaders: ['content-type', 'text/event-stream'] })
    return { status: 200, headers, body: { read, cancel() {} } }
  },
})

const MESSAGES = { path: '/v1/messages', body: { ...QUESTION, stream: true } }
const RESPONSES = { path: '/v1/responses', body: { model: 'm', input: 'Hello.', stream: true } }
const KEY = 'a-key-of-the-caller'
const HEADERS = [
  'content-type',
  'application/json',
  'anthropic-version',
  '2023-06-01',
  'authorization',
  `Bearer ${KEY}`,
]
type Asked = typeof MESSAGES | typeof RESPONSES

function requestOf({ path, body }: Asked): HttpRequest {
  const held = Buffer.alloc(HELD_CHARACTERS, 'held ').toString('latin1')
  const rawHeaders = [...HEADERS, 'x-held', held]
  return {
    method: 'POST',
    url: `http://127.0.0.1${path}`,
    signal: new AbortController().signal,
    headers: new Head({ rawHeaders }),
    body: null,
    arrayBuffer: () => Promise.reject(new Error('nobody asks')),
    whole: () => Promise.resolve(ENCODER.encode(JSON.stringify(body))),
  }
}

async function exchange(answer: ReturnType<typeof createHandler>, asked: Asked): Promise<void> {
  const { status, body } = await answer(requestOf(asked))
  expect(status).toBe(200)
  if (body === null || typeof body === 'string' || body instanceof Uint8Array)
    throw new Error('expected a stream')
  for (let piece = await body.read(); piece; piece = await body.read()) body.taken?.(piece)
}

setFlagsFromString('--expose-gc')
const collect: (options: { type: 'minor' | 'major' }) => void = runInNewContext('gc')

/** Bytes of what has lived long. */
const oldBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => /^(?:old|large_object)_space$/.test(name))
    .reduce((sum, { space_used_size: size }) => sum + size, 0)

const settingsFor = (dialect: string, upstream: string | readonly string[]) => {
  const service = { dialect, url: 'http://upstream.invalid', key: 'a-key' }
  const upstreams = { one: service, other: service }
  return readSettings(
    { upstreams, routes: [{ model: '*', upstream }], callers: { keys: [KEY] } },
    {},
  )
}

const TO_RESPONSES = { dialect: 'responses', reply: streamed(WORDS), asked: MESSAGES }
const TO_MESSAGES = { dialect: 'messages', reply: OF_MESSAGES, asked: RESPONSES }

it.each([
  { name: 'a translated stream', ...TO_RESPONSES, upstream: 'one' },
  { name: 'a stream from one of two upstreams', ...TO_RESPONSES, upstream: ['one', 'other'] },
  { name: 'a stream that passes', ...TO_RESPONSES, asked: RESPONSES, upstream: 'one' },
  { name: 'a stream that is stored', ...TO_MESSAGES, upstream: 'one' },
])('nothing of $name is left for a full collection', async (traffic) => {
  const { dialect, upstream, reply, asked } = traffic
  const answer = createHandler(settingsFor(dialect, upstream), ports(reply))
  let over = 0
  const inARow = async () => {
    for (let count = 0; count < EACH; count += 1) {
      await exchange(answer, asked)
      over += 1
      if (over % COLLECTED_AFTER === 0) collect({ type: 'minor' })
    }
  }
  await inARow()
  collect({ type: 'major' })
  const before = oldBytes()
  await Promise.all(Array.from({ length: AT_ONCE }, inARow))
  collect({ type: 'minor' })
  const each = (oldBytes() - before) / (AT_ONCE * EACH)
  expect(each).toBeLessThan(HELD_CHARACTERS / 3)
})

/** One after the other, so many open at a time, each with as much as a page of memory. */
it('nothing of a call is left with the signal at which the process ends', () => {
  const deadline = new AbortController().signal
  const never = { set() {}, setAt() {}, stop() {}, close() {} }
  const open = () => {
    const held = Array.from({ length: PAGE_BYTES / 8 }, (_, index) => index)
    const caller = Object.assign(new AbortController().signal, { held })
    return callDeadline({ caller, deadline, totalMs: 1000, alarm: () => never })
  }
  const row = Array.from({ length: AT_ONCE }, open)
  const inARow = () => {
    for (let count = 0; count < 1000; count += 1) {
      row.shift()?.close()
      row.push(open())
      if (count % COLLECTED_AFTER === 0) collect({ type: 'minor' })
    }
  }
  inARow()
  collect({ type: 'major' })
  const before = oldBytes()
  inARow()
  expect((oldBytes() - before) / 1000).toBeLessThan(PAGE_BYTES / 5)
})

const PROMOTED = / promoted=(\d+)/g

/** It is about 1,000 bytes for each, where it was 90,000 to 200,000. */
it('nothing of a translated history is made among what has lived long', async () => {
  const upstream = await startUpstream()
  const caller = startCaller()
  await upstream.answer('json')
  const making = { upstreamPort: upstream.port, command: COMMAND, options: ['--trace-gc-nvp'] }
  try {
    const each = await withLanes([making], async ([proxy]) => {
      if (!proxy) throw new Error('expected a proxy')
      const load: Load = {
        kind: 'load',
        port: proxy.port,
        caller: 'chat-completions',
        model: modelOf('messages'),
        prompt: 'agent-wide',
        stream: false,
        connections: 16,
        seconds: 4,
        checked: false,
        timed: false,
        pid: undefined,
        upstreamPid: undefined,
      }
      // Until then the engine learns where objects live long.
      await caller.run(load)
      let promoted = 0
      proxy.child?.stdout?.on('data', (text: Buffer) => {
        for (const [, bytes] of text.toString('latin1').matchAll(PROMOTED))
          promoted += Number(bytes)
      })
      const { requests } = await caller.run({ ...load, seconds: 2 })
      return promoted / requests
    })
    expect(each).toBeLessThan(20_000)
    expect(each).toBeGreaterThan(0)
  } finally {
    upstream.stop()
    caller.stop()
  }
})
