import { describe, expect, it, vi } from 'vitest'
import { utf8Text } from '../../src/json/bytes.ts'
import { gatheredSource } from '../../src/stream/gathered-source.ts'
import { pause } from '../../src/stream/time.ts'

/** Longer than pieces are waited for, on any machine: the order of two timers is kept. */
const LATER_MS = 20

/** A stream that its test writes. */
function written(highWaterMark = 100) {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined
  const cancelled = vi.fn<(reason: unknown) => void>()
  const stream = new ReadableStream<Uint8Array>(
    { start: (given) => void (control = given), cancel: cancelled },
    { highWaterMark },
  )
  const source = gatheredSource(stream)
  return {
    source,
    cancelled,
    say: (text: string) => control?.enqueue(new TextEncoder().encode(text)),
    close: () => control?.close(),
    fail: (error: Error) => control?.error(error),
    read: async () => {
      const bytes = await source.read()
      return bytes && utf8Text(bytes)
    },
  }
}

describe('a stream whose pieces are gathered', () => {
  it('hands on in one what comes at once, and loses nothing of what comes later', async () => {
    const { say, close, read } = written()
    for (const piece of ['a', 'b', 'c']) say(piece)
    expect(await read()).toBe('abc')
    await pause(LATER_MS)
    say('d')
    expect(await read()).toBe('d')
    const waiting = read()
    await pause(LATER_MS)
    say('e')
    close()
    expect(await waiting).toBe('e')
    expect([await read(), await read()]).toEqual([undefined, undefined])
  })
  it('hands on every byte in its order, however it comes', async () => {
    const { say, close, read } = written()
    const all = Array.from({ length: 300 }, (_, index) => `${index},`)
    const writing = (async () => {
      for (const [index, piece] of all.entries()) {
        say(piece)
        if (index % 7 === 0) await pause(index % 3)
      }
      close()
    })()
    let text = ''
    for (let piece = await read(); piece !== undefined; piece = await read()) text += piece
    await writing
    expect(text).toBe(all.join(''))
  })
  it('hands on a long run in several', async () => {
    const { say, close, read } = written()
    for (let index = 0; index < 20; index += 1) say('x'.repeat(16_384))
    close()
    const lengths = []
    for (let piece = await read(); piece !== undefined; piece = await read())
      lengths.push(piece.length)
    expect(lengths).toEqual([65_536, 65_536, 65_536, 65_536, 65_536])
  })
  it('tells a failure behind what came before it, and to no other', async () => {
    const { say, fail, read } = written()
    const waiting = read()
    say('a')
    await pause(LATER_MS)
    expect(await waiting).toBe('a')
    // The next read waits already, and nobody has asked for it.
    fail(new Error('broken'))
    await pause(LATER_MS)
    await expect(read()).rejects.toThrow('broken')
    await expect(read()).rejects.toThrow('broken')
  })
  it('is left while it waits, with what it had', async () => {
    const { source, say, read, cancelled } = written()
    say('a')
    const waiting = read()
    await Promise.resolve()
    source.cancel()
    expect(await waiting).toBe('a')
    expect(await read()).toBeUndefined()
    expect(cancelled).toHaveBeenCalledTimes(1)
  })
  it('is left while a read waits for its first piece', async () => {
    const { source, read } = written()
    const waiting = read()
    source.cancel()
    expect(await waiting).toBeUndefined()
  })
})
