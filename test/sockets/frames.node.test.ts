import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { frame, handshake, serve, type Served } from './server.ts'
import { CALLER_KEY } from './proxy.ts'

/** What somebody hostile does to an opening and to frames. */

let served: Served
beforeAll(async () => {
  served = await serve({ config: { limits: { bodyBytes: 200_000 } } })
})
afterAll(() => served.server.stop(0))

const CREATE = JSON.stringify({
  type: 'response.create',
  model: 'messages',
  store: false,
  input: 'x'.repeat(200),
})
const NOTHING = Buffer.alloc(0)
const long = (bytes: bigint): Buffer => {
  const length = Buffer.alloc(9)
  length[0] = 127
  length.writeBigUInt64BE(bytes, 1)
  return length
}

describe('frames', () => {
  it.each<[string, Buffer[], number]>([
    ['without a mask', [frame(CREATE, { masked: false })], 1002],
    ['that claim to be compressed', [frame(CREATE, { head: 0xc1 })], 1002],
    ['with a reserved bit', [frame(CREATE, { head: 0x91 })], 1002],
    ['of an unknown kind', [frame('x', { head: 0x83 })], 1002],
    ['of an unknown kind of control', [frame('x', { head: 0x8b })], 1002],
    ['that go on from nothing', [frame('x', { head: 0x80 })], 1002],
    ['that begin within others', [frame('a', { head: 0x01 }), frame('b', { head: 0x01 })], 1002],
    ['of a long ping', [frame('p'.repeat(126), { head: 0x89 })], 1002],
    ['of a ping in parts', [frame('p', { head: 0x09 })], 1002],
    ['of a closing with one byte', [frame('p', { head: 0x88 })], 1002],
    ['with more bytes than there are', [frame('', { length: long(2n ** 63n) })], 1009],
    ['with a terabyte', [frame('', { length: long(2n ** 40n) })], 1009],
    ['above the limit', [frame('', { length: long(200_001n) })], 1009],
    ['that are no UTF-8', [frame(Buffer.from([0x22, 0xc3, 0x28, 0x22]))], 1007],
    ['with half a character', [frame(Buffer.from([0xe2, 0x82]))], 1007],
    ['with a surrogate', [frame(Buffer.from([0xed, 0xa0, 0x80]))], 1007],
    [
      'in parts without an end',
      [
        frame('a', { head: 0x01 }),
        ...Array.from({ length: 30 }, () => frame('b'.repeat(10_000), { head: 0x00 })),
      ],
      1009,
    ],
  ])('%s close the socket with a code that says why', async (_, frames, code) => {
    const asked = served.sent.length
    const caller = await served.raw()
    await caller.upgrade()
    caller.write(Buffer.concat(frames))
    expect(await caller.closingCode()).toBe(code)
    caller.socket.destroy()
    expect(served.sent.length).toBe(asked)
  })

  it('in parts, with pings between them, are one message', async () => {
    const caller = await served.raw()
    await caller.upgrade()
    caller.write(frame(CREATE.slice(0, 20), { head: 0x01 }))
    caller.write(frame('are you there', { head: 0x89 }))
    caller.write(frame('', { head: 0x00 }))
    for (const byte of frame(CREATE.slice(20), { head: 0x80 })) caller.write(Buffer.from([byte]))
    await caller.until(() => caller.text.includes('response.completed'))
    expect(caller.text).toContain('are you there')
    caller.socket.destroy()
  })

  it('without an end have their place among the bytes in flight', async () => {
    const small = await serve({ config: { limits: { inFlightBytes: 1_000_000 } } })
    const caller = await small.raw()
    await caller.upgrade()
    caller.write(frame(Buffer.alloc(1_500_000, 0x61), { head: 0x01 }))
    expect(await caller.closingCode()).toBe(1013)
    caller.socket.destroy()
    const next = await small.connect()
    expect((await next.turn({ model: 'messages', input: 'x' })).at(-1)).toMatchObject({
      type: 'response.completed',
    })
    next.close()
    await small.server.stop(0)
  })

  it('without bytes are bounded in number', async () => {
    const caller = await served.raw()
    await caller.upgrade()
    caller.write(frame('a', { head: 0x01 }))
    const empty = Buffer.concat(
      Array.from({ length: 10_000 }, () => frame(NOTHING, { head: 0x00 })),
    )
    for (let count = 0; count < 60 && !caller.isClosed; count += 1) {
      caller.write(empty)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await caller.closingCode()).toBe(1008)
    caller.socket.destroy()
  })
})

describe('an opening', () => {
  const HEALTH = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'

  it('offers no compression, whoever asks for it', async () => {
    const caller = await served.raw()
    const head = await caller.upgrade({
      'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits',
      'sec-websocket-protocol': `realtime, openai-insecure-api-key.${CALLER_KEY}`,
    })
    expect(head).toMatch(/^HTTP\/1\.1 101 /)
    expect(head).not.toMatch(/sec-websocket-(?:extensions|protocol)/i)
    expect(head).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
    caller.socket.destroy()
  })

  it.each<[string, string, number]>([
    ['without a key', handshake({ authorization: 'Bearer nobody-0123456789' }), 401],
    ['of a page', handshake({ origin: 'https://page.example' }), 403],
    ['elsewhere', handshake({}, 'GET /v1/elsewhere HTTP/1.1'), 404],
    ['at another dialect', handshake({}, 'GET /v1/messages HTTP/1.1'), 426],
    ['by a path with dots', handshake({}, 'GET /v1/x/../responses HTTP/1.1'), 400],
    ['by an escaped path', handshake({}, 'GET /v1/%72esponses HTTP/1.1'), 400],
    ['of an old version', handshake({ 'sec-websocket-version': '8' }), 426],
    ['with a key that is none', handshake({ 'sec-websocket-key': 'short' }), 426],
    ['with a body', handshake({ 'content-length': '5' }) + 'hello', 426],
    ['with chunks', handshake({ 'transfer-encoding': 'chunked' }) + '0\r\n\r\n', 426],
    ['with two hosts', handshake({ 'Host ': 'other' }).replace('Host :', 'host:'), 400],
  ])('%s is refused, and nothing behind it is a request', async (_, opening, status) => {
    const caller = await served.raw()
    caller.write(opening + HEALTH + HEALTH)
    const text = await caller.closed()
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(text).not.toContain('"status":"ok"')
  })

  it('is refused with the error of the dialect', async () => {
    const caller = await served.raw()
    caller.write(handshake({ authorization: 'Bearer nobody-0123456789' }))
    const [head = '', body = ''] = (await caller.closed()).split('\r\n\r\n')
    expect(head).toMatch(/content-type: application\/json/)
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'invalid_api_key' } })
    const old = await served.raw()
    old.write(handshake({ 'sec-websocket-version': '8' }))
    expect(await old.closed()).toContain('sec-websocket-version: 13')
  })

  it('behind a request that is not answered yet ends the connection', async () => {
    let isAsked = false
    const slow = await serve({
      before: () => {
        isAsked = true
        return new Promise(() => {})
      },
    })
    const caller = await slow.raw()
    const body = JSON.stringify({ model: 'messages', input: 'x' })
    const head = [
      'POST /v1/responses HTTP/1.1',
      'host: 127.0.0.1',
      'content-type: application/json',
      `authorization: Bearer ${CALLER_KEY}`,
      `content-length: ${body.length}`,
    ].join('\r\n')
    caller.write(`${head}\r\n\r\n${body}`)
    await caller.until(() => isAsked)
    caller.write(handshake())
    expect(await caller.closed()).toBe('')
    await slow.server.stop(0)
  })

  it('may bring frames along', async () => {
    const caller = await served.raw()
    caller.write(Buffer.concat([Buffer.from(handshake()), frame(CREATE)]))
    await caller.until(() => caller.text.includes('response.completed'))
    caller.socket.destroy()
  })

  it.each(['h2c', 'websocket'])('for %s in passing is a request as any other', async (protocol) => {
    const body = JSON.stringify({ model: 'messages', store: false, input: 'in passing' })
    const head = [
      'POST /v1/responses HTTP/1.1',
      'host: 127.0.0.1',
      'connection: Upgrade, HTTP2-Settings',
      `upgrade: ${protocol}`,
      'http2-settings: AAMAAABkAAQAAP__',
      'content-type: application/json',
      `authorization: Bearer ${CALLER_KEY}`,
      `content-length: ${body.length}`,
    ].join('\r\n')
    const caller = await served.raw()
    caller.write(`${head}\r\n\r\n`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    caller.write(body.slice(0, 20))
    await new Promise((resolve) => setTimeout(resolve, 20))
    caller.write(body.slice(20) + HEALTH)
    await caller.until(() => caller.text.includes('"status":"ok"'))
    expect(caller.text).toMatch(/^HTTP\/1\.1 200 /)
    expect(caller.text).toContain('You said: in passing')
    caller.write(handshake())
    await caller.until(() => caller.text.includes('101 Switching'))
    caller.socket.destroy()
  })
})
