import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Frame } from '../../src/stream/codec.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { cases } from '../cases.ts'

/** What the parser of the format makes of a text. */
function readFrames(text: string): Frame[] {
  const frames: Frame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event ? { event, data } : { data }),
  })
  parser.feed(`${text}\n\n`)
  return frames
}

/** Events as most streams have them, and everything that comes between them now and then. */
const EVENTS = [
  'event: delta\ndata: {"text":" a"}\n\n',
  'event: delta\ndata: {"text":" longer"}\n\n',
  'data: {"text":" b"}\n\n',
  'data: [DONE]\n\n',
  'data:{"text":" close"}\n\n',
  'data:  two spaces\n\n',
  'data: \n\n',
  'data\n\n',
  'event: delta\ndata: {"text":\ndata: " in two lines"}\n\n',
  'event: delta\n\n',
  'event: \ndata: {"text":" unnamed"}\n\n',
  'data: {"text":" name behind"}\nevent: late\n\n',
  'event: delta\ndata: {"text":" with an id"}\nid: 7\n\n',
  ': a comment\n\n',
  'retry: 10\n\n',
  'event: delta\r\ndata: {"text":" CR LF"}\r\n\r\n',
  'event: delta\rdata: {"text":" CR"}\r\r',
  '\n',
  'unknown: field\n\n',
  '\u{feff}data: {"text":" behind a mark"}\n\n',
]

const ended = (event: string, end: string): string => event.replaceAll('\n', end)

it('finds in any text and any cuts the events that the parser of the format finds', () => {
  const stream = fc.array(fc.constantFrom(...EVENTS), { maxLength: 12 })
  const lineEnd = fc.constantFrom('\n', '\r\n')
  fc.assert(
    fc.property(stream, lineEnd, fc.array(fc.nat(60)), (events, end, cuts) => {
      const text = events
        .map((event) => (event.includes('\r') ? event : ended(event, end)))
        .join('')
      const parser = sseParser(1_000_000)
      const frames: Frame[] = []
      let rest = text
      for (const cut of cuts) {
        frames.push(...parser.push(rest.slice(0, cut)))
        rest = rest.slice(cut)
      }
      frames.push(...parser.push(rest), ...parser.end())
      expect(frames).toEqual(readFrames(text))
    }),
    cases(1000),
  )
})

it('does not take an LF alone for data in a stream whose lines end in CR LF', () => {
  const parser = sseParser(1_000_000)
  const event = 'data: {"text":" a"}\r\n\r\n'
  const parted = 'data: {"text":\ndata: " b"}\r\n\r\n'
  expect(parser.push(event + event + parted)).toEqual(readFrames(event + event + parted))
})

it('finds JSON without a framing behind events that are alike', () => {
  const parser = sseParser(1_000_000)
  expect(parser.push(`${EVENTS[0]}${EVENTS[1]}`)).toHaveLength(2)
  expect(parser.push(`${EVENTS[1]}{"error":`)).toHaveLength(1)
  expect(parser.strayed).toBe(true)
  expect(parser.push('{"message":"no"}}')).toEqual([])
  expect(parser.end()).toEqual([{ data: '{"error":{"message":"no"}}', bare: true }])
})
