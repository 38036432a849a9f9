import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isWhole, piecesIn, wholeBytes } from '../../src/json/bytes.ts'
import { readIncoming } from '../../src/node/server/read-body.ts'

/** What came of bytes that came in pieces of such lengths, one after the other. */
async function collected(whole: Buffer, lengths: readonly number[]) {
  const headers = { 'content-length': String(whole.length) }
  const incoming = Object.assign(new PassThrough({ highWaterMark: 1e9 }), { headers })
  const bytes = readIncoming(incoming as unknown as IncomingMessage)
  let at = 0
  for (let index = 0; at < whole.length; index += 1) {
    const end = at + (lengths[index % lengths.length] ?? 1)
    incoming.write(whole.subarray(at, end))
    at = end
  }
  incoming.end()
  return bytes
}

const makeBytes = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251))

describe('a body as it comes in', () => {
  it.each([
    ['nothing', 0, [1], 1],
    ['one piece', 100, [100], 1],
    ['a few pieces', 100_000, [65_536], 1],
    ['many small pieces', 1_500_000, [1000], 24],
    ['large pieces', 1_500_000, [65_536], 23],
    ['pieces of all sizes', 2_000_000, [1, 65_536, 300, 20_000, 16_384, 16_383], 90],
  ])('is all there: %s', async (_, length, lengths, most) => {
    const whole = makeBytes(length)
    const bytes = await collected(whole, lengths)
    expect(whole.equals(wholeBytes(bytes))).toBe(true)
    expect(piecesIn(bytes).length).toBeLessThanOrEqual(most)
    expect(isWhole(bytes)).toBe(length < 1_048_576)
  })
})

/** Lets everything go that nobody holds. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
}

describe('a connection whose body has been read', () => {
  it('does not keep the body for as long as its answer takes', async () => {
    const headers = { 'content-length': '2000000' }
    const incoming = Object.assign(new PassThrough({ highWaterMark: 1e9 }), { headers })
    const read = async (): Promise<WeakRef<Uint8Array>> => {
      incoming.end(Buffer.alloc(2_000_000))
      const [piece] = piecesIn(await readIncoming(incoming as unknown as IncomingMessage))
      return new WeakRef(piece ?? new Uint8Array(0))
    }
    const piece = await read()
    await collectGarbage()
    expect(piece.deref()).toBeUndefined()
    expect(incoming.listenerCount('error')).toBeGreaterThan(0)
  })
})
