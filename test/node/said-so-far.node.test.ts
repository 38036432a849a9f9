import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { Head } from '../../src/node/server/request.ts'
import type { HttpRequest, Ports } from '../../src/ports.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { DIALECTS } from '../growth/law.ts'
import { kits } from '../dialects/index.ts'

/** Of a stream the text is held that was said, and not what it came in. */

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
setFlagsFromString('--no-expose-gc')

/** Longer than what V8 copies when it is cut out of another text. */
const PIECE = 'a piece of what a model has to say, '
const PIECES = 40_000
const AT_ONCE = 200
/** A reader, a writer and the body of a reply have it once each; some of it is in pieces. */
const MOST_TIMES = 5

const KEY = 'a-key-of-the-caller'

function asked(caller: Dialect): HttpRequest {
  const { client, http } = kits[caller]
  const body = JSON.stringify(http.body('m', true, client.request('m', 'Go')))
  return {
    method: 'POST',
    url: `http://127.0.0.1${http.path('m', true)}`,
    signal: new AbortController().signal,
    headers: new Headers({
      'content-type': 'application/json',
      ...http.credentials(KEY),
    }),
    body: null,
    arrayBuffer: () => Promise.reject(new Error('nobody asks')),
    whole: () => Promise.resolve(new TextEncoder().encode(body)),
  }
}

/** An upstream that says all pieces and then nothing. */
function ports(upstream: Dialect, said: () => void): Ports {
  const { opening, closing } = kits[upstream].voice
  const [delta = ''] = closing.split(/(?<=\n\n)/)
  const encoder = new TextEncoder()
  const pieces = delta.replace('lo', PIECE).repeat(AT_ONCE)
  let left = PIECES / AT_ONCE
  let begun = false
  const read = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (!begun) {
      begun = true
      return encoder.encode(opening)
    }
    left -= 1
    if (left >= 0) return encoder.encode(pieces)
    said()
    return new Promise<never>(() => undefined)
  }
  return {
    now: Date.now,
    randomId: () => crypto.randomUUID().replaceAll('-', ''),
    log: () => undefined,
    async send() {
      const headers = new Head({ rawHeaders: ['content-type', 'text/event-stream'] })
      return { status: 200, headers, body: { read, cancel() {} } }
    },
  }
}

describe.each(DIALECTS)('a stream of %s', (upstream) => {
  it.each(DIALECTS.filter((caller) => caller !== upstream))(
    'is held as the text it has said so far, for %s',
    async (caller) => {
      const service = { dialect: upstream, url: 'http://upstream.invalid', key: 'a-key' }
      const routes = [{ model: '*', upstream: 'it' }]
      const callers = { keys: [KEY] }
      const settings = readSettings({ upstreams: { it: service }, routes, callers }, {})
      const said = new EventTarget()
      const whole = new Promise((resolve) => said.addEventListener('whole', resolve))
      const ended = () => said.dispatchEvent(new Event('whole'))
      const answer = createHandler(settings, ports(upstream, ended))
      collect()
      const before = process.memoryUsage().heapUsed
      const { status, body: stream } = await answer(asked(caller))
      expect(status).toBe(200)
      if (stream === null || typeof stream !== 'object' || !('read' in stream))
        throw new Error('no stream')
      const reading = (async () => {
        while (await stream.read());
      })()
      await whole
      collect()
      const held = process.memoryUsage().heapUsed - before
      expect(held / (PIECES * PIECE.length)).toBeLessThan(MOST_TIMES)
      stream.cancel()
      await reading
    },
  )
})
