import { expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { randomId, type HttpRequest } from '../../src/ports.ts'
import { usedBytes } from '../used-bytes.ts'

/** An upstream may send each byte in a packet of its own. What is gathered of that is counted by its bytes. */

const BYTES = 100_000
/** An array for each took 250. */
const MOST_FOR_A_BYTE = 60

/** A body that yields a text byte by byte, and then waits; `over` resolves when it does. */
function inBytes(text: string) {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let at = 0
  const read = async (): Promise<Uint8Array | undefined> => {
    if (at < text.length) return Uint8Array.of(text.charCodeAt((at += 1) - 1))
    resolve()
    return new Promise(() => undefined)
  }
  return { body: { read, cancel() {} }, over }
}

it.each([
  ['messages', 'application/json', '{"id":"'],
  ['messages', 'text/event-stream', 'data: {"id":"'],
  ['chat-completions', 'application/json', '{"id":"'],
  ['chat-completions', 'text/event-stream', 'data: {"id":"'],
])('keeps little of a reply for %s that comes byte by byte: %s', async (caller, type, head) => {
  const { body, over } = inBytes(head.padEnd(BYTES, 'x'))
  const config = {
    upstreams: { m: { dialect: 'messages' as const, url: 'http://m.test' } },
    routes: [{ model: '*', upstream: 'm' }],
    state: { store: 'off' as const },
  }
  const answer = createHandler(readSettings(config, {}), {
    send: async () => ({ status: 200, headers: new Headers({ 'content-type': type }), body }),
    now: Date.now,
    randomId,
    log: () => undefined,
  })
  const path = caller === 'messages' ? '/v1/messages' : '/v1/chat/completions'
  const asked = {
    model: 'm',
    max_tokens: 9,
    stream: type !== 'application/json',
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const request: HttpRequest = new Request(`http://127.0.0.1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(asked),
  })
  const before = usedBytes()
  const read = answer(request).then((told) => toResponse(told).body?.getReader().read())
  await over
  expect(usedBytes() - before).toBeLessThan(BYTES * MOST_FOR_A_BYTE)
  void read.catch(() => undefined)
})
