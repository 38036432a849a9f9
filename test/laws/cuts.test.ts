import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Event } from '../../src/model/events.ts'
import { ENDED_EARLY } from '../../src/model/cursor.ts'
import { sseFrame, sseParser } from '../../src/stream/sse.ts'
import { grammarOf } from '../grammar/index.ts'
import { cuts, inPieces, plainReply, requestFor, richReply } from './arbitrary-replies.ts'
import { clientOf } from './clients.ts'
import { readFrames, writeReply } from './exchange.ts'
import { always, forEachAdapter } from './law.ts'

const place = fc.double({ min: 0, max: 0.999, noNaN: true })
const cutSomewhere = fc.tuple(richReply, cuts, place)
const framing = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom('\n', '\r\n', '\r'))
const framed = fc.tuple(plainReply, cuts, framing)

/** The bytes in pieces of one to `most` bytes. */
function cutChunks(bytes: Uint8Array, most: number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += most) chunks.push(bytes.subarray(at, at + most))
  return chunks
}

function parsed(chunks: Uint8Array[]) {
  const decoder = new TextDecoder()
  const parser = sseParser(1 << 20)
  const frames = chunks.flatMap((chunk) => parser.push(decoder.decode(chunk, { stream: true })))
  return [...frames, ...parser.push(decoder.decode()), ...parser.end()]
}

forEachAdapter((adapter) => {
  const grammar = grammarOf(adapter.dialect)
  const client = clientOf(adapter.dialect)

  it('is an error, never an end, when it is cut before its last event', () => {
    always(cutSomewhere, ([reply, places, where]) => {
      const request = requestFor(reply)
      const { frames } = writeReply(adapter, request, inPieces(reply, places))
      const last = frames.findIndex((frame) => client.isTerminal(frame))
      const { events } = readFrames(adapter, request, frames.slice(0, Math.floor(where * last)))
      expect(events.at(-1)?.type).toBe('error')
      expect(events.some((event) => event.type === 'finish')).toBe(false)
    })
  })

  it('writes an error in its own words after any part of a reply', () => {
    always(cutSomewhere, ([reply, places, where]) => {
      const request = requestFor(reply)
      const whole = inPieces(reply, places)
      const error: Event = { type: 'error', problem: ENDED_EARLY }
      const events = [...whole.slice(0, Math.floor(where * whole.length)), error]
      const { frames } = writeReply(adapter, request, events)
      expect(grammar.check(frames)).toBeUndefined()
      expect(readFrames(adapter, request, frames).problem?.message).toBe(ENDED_EARLY.message)
    })
  })

  it('reads the same events from any chunks of bytes', () => {
    always(framed, ([reply, places, [most, lineEnd]]) => {
      const request = requestFor(reply)
      const { frames } = writeReply(adapter, request, inPieces(reply, places))
      const text = frames.map(sseFrame).join('').trimEnd().replaceAll('\n', lineEnd)
      const bytes = new TextEncoder().encode(text)
      const expected = readFrames(adapter, request, frames).events
      const read = parsed(cutChunks(bytes, most))
      expect(readFrames(adapter, request, read).events).toEqual(expected)
    })
  })
})
