import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
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

/** A text in parts of these lengths, and what is left of it. */
function inParts(text: string, lengths: readonly number[]): string[] {
  let rest = text
  const parts = lengths.map((length) => {
    const part = rest.slice(0, length)
    rest = rest.slice(length)
    return part
  })
  return [...parts, rest]
}

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
      const frames = inParts(text, cuts).flatMap((part) => parser.push(part))
      expect([...frames, ...parser.end()]).toEqual(readFrames(text))
    }),
    cases(1000),
  )
})

const maySkip = ({ event, data }: Frame): boolean => event === 'delta' || data.includes('" b"')

it('skips only events that may be skipped, hands over the last of all, and tells of all other text', () => {
  const stream = fc.array(fc.constantFrom(...EVENTS), { maxLength: 12 })
  fc.assert(
    fc.property(
      stream,
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat(60)),
      (events, end, cuts) => {
        const text = events.map((event) => ended(event, event.includes('\r') ? '\n' : end)).join('')
        let kept = ''
        const parser = sseParser(1_000_000, {
          skips: (event, whole, from, to) => maySkip({ event, data: whole.slice(from, to) }),
          behindSkipped: (_, from) => from,
          kept: (more) => void (kept += more),
        })
        const found = inParts(text, cuts).flatMap((part) => parser.push(part))
        found.push(...parser.end())
        const all = readFrames(text)
        expect(found.at(-1)).toEqual(all.at(-1))
        const needed = all.filter((frame) => !maySkip(frame))
        expect(found.filter((frame) => !maySkip(frame))).toEqual(needed)
        for (const event of events.filter((one) => !one.includes('delta') && !one.includes('" b"')))
          expect(kept).toContain(ended(event, event.includes('\r') ? '\n' : end).trim())
      },
    ),
    cases(1000),
  )
})

it('skips in a row of events that are alike', () => {
  const parser = sseParser(1_000_000, {
    skips: () => true,
    behindSkipped: (_, from) => from,
    kept: () => undefined,
  })
  const row = `${EVENTS[0]}${EVENTS[1]}${EVENTS[0]}`
  expect(parser.push(row)).toHaveLength(1)
  expect(parser.push(row)).toEqual([])
  expect(parser.end()).toEqual([{ event: 'delta', data: '{"text":" a"}' }])
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

/** How many characters are taken of a stream that repeats a text for ever, until it is given up. */
function takenOf(repeated: string, most: number): number {
  const parser = sseParser(most)
  const text = repeated.repeat(Math.ceil(4096 / repeated.length))
  let taken = 0
  while (!parser.overflowed && taken < 4 * most) {
    parser.push(text)
    taken += text.length
  }
  return taken
}

// A text of a million empty lines took 30 times what was counted of it, and kept whole texts for a few characters.
it.each([
  ['empty lines of data', 'data:\n'],
  ['short lines of data', 'data: x\n'],
  ['lines that end in CR LF', 'data:\r\n'],
  ['lines that end in CR', 'data:\r'],
  ['comments between its lines', `data: abcdefghijklmnop\n${`:${'c'.repeat(100)}\n`.repeat(100)}`],
  ['comments alone', ': c\n'],
  ['ids', 'id: abcdefghijklmnop\n'],
  ['names', 'event: a\n'],
  ['lines that are no fields', 'xyz\n'],
])('gives up an event that has no end, of %s', (_, repeated) => {
  expect(takenOf(repeated, 200_000)).toBeLessThan(220_000)
})

it.each(['\n', '\r\n', '\r'])('counts no event among the next one, with %j', (end) => {
  const parser = sseParser(5000)
  const events = [': ping', ':', 'id: 1', 'event: a', 'data: [', 'xyz', 'data: x\ndata: y']
  for (let turn = 0; turn < 3000; turn += 1) {
    const event = events[turn % events.length] ?? ''
    const text = event.replaceAll('\n', end) + end + end
    const cut = turn % text.length
    parser.push(text.slice(0, cut))
    parser.push(text.slice(cut))
  }
  expect(parser.overflowed).toBe(false)
})

it('reads an event of the largest size in any pieces', () => {
  const parser = sseParser(20_000)
  const text = `event: delta\ndata: ${'x'.repeat(20_000)}\n\n`
  const frames = [...text].flatMap((piece) => parser.push(piece))
  expect(frames).toEqual([{ event: 'delta', data: 'x'.repeat(20_000) }])
})

it('takes lines that are no fields as fast as others', () => {
  const parser = sseParser(1_000_000)
  const text = `${'xyz\n'.repeat(2000)}\n`
  const start = cpuMs()
  for (let turn = 0; turn < 50; turn += 1) parser.push(text)
  expect(cpuMs() - start).toBeLessThan(1000)
})
