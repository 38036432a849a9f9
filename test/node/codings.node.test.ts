import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { type Proxy, serve } from '../../src/node/command/commands.ts'
import { QUIET } from './quiet.ts'

const BODY_BYTES = 40_000_000
const TEXT = JSON.stringify({
  model: 'demo',
  max_tokens: 5,
  messages: [{ role: 'user', content: 'Good morning. '.repeat(50) }],
})
const { zstdCompressSync, constants } = zlib

const packed = (text: string | Buffer, windowLog = 20) =>
  zstdCompressSync(text, { params: { [constants.ZSTD_c_windowLog]: windowLog } })

let proxy: Proxy

beforeAll(async () => {
  const limits = { bodyBytes: BODY_BYTES, inFlightBytes: 2 * BODY_BYTES }
  proxy = await serve({ command: 'serve', host: '127.0.0.1', port: 0 }, QUIET, {
    settings: readSettings({ ...demoConfig(), limits }, {}),
    files: [],
  })
})
afterAll(() => proxy.stop())

async function told(body: Uint8Array<ArrayBuffer>, coding: string) {
  const answer = await fetch(`${proxy.url}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-encoding': coding,
      'anthropic-version': '2023-06-01',
    },
    body,
  })
  const text = await answer.text()
  return { status: answer.status, text }
}

it.each([
  ['gzip', zlib.gzipSync(TEXT)],
  ['deflate', zlib.deflateSync(TEXT)],
  ['deflate', zlib.deflateRawSync(TEXT)],
])('reads a body in %s', async (coding, body) => {
  expect(await told(body, coding)).toMatchObject({ status: 200 })
})

describe.skipIf(zstdCompressSync === undefined)('a body in zstd (Node 22.15 and newer)', () => {
  it('is read', async () => {
    expect(await told(packed(TEXT), 'zstd')).toMatchObject({ status: 200 })
    expect(await told(packed(TEXT), ' ZSTD ')).toMatchObject({ status: 200 })
  })

  it('is refused as unknown where it is something else', async () => {
    const { status, text } = await told(new TextEncoder().encode(TEXT), 'zstd')
    expect(status).toBe(415)
    expect(text).toContain('not what its Content-Encoding (zstd) says')
  })

  it('is refused where it ends early, or is broken', async () => {
    const whole = packed(TEXT)
    const broken = Uint8Array.from(whole, (byte, index) => (index > 8 ? byte ^ 0x55 : byte))
    for (const body of [new Uint8Array(whole.subarray(0, -3)), broken])
      expect(await told(body, 'zstd')).toMatchObject({ status: 400 })
  })

  it('may not unfold beyond the limit', async () => {
    const bomb = packed(Buffer.alloc(BODY_BYTES + 1, 32))
    expect(bomb.length).toBeLessThan(10_000)
    expect(await told(bomb, 'zstd')).toMatchObject({ status: 413 })
  })

  it('may not need a window of more than 8 MiB', async () => {
    // The size of a frame in one piece is its window.
    const wide = packed(Buffer.alloc(16_777_216, TEXT), 24)
    expect(await told(wide, 'zstd')).toMatchObject({ status: 400 })
  })
})

it('names what it reads', async () => {
  const { status, text } = await told(new TextEncoder().encode(TEXT), 'br')
  expect(status).toBe(415)
  const others = zstdCompressSync === undefined ? '' : ', zstd'
  expect(text).toContain(`Content-Encoding must be gzip, deflate${others} or identity.`)
})
