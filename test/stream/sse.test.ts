import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import type { Frame } from '../../src/stream/codec.ts'
import { sseCutter, sseParser, type CutFrame, type Cuts } from '../../src/stream/sse.ts'
import { cutsOf } from './cuts.ts'
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

it('cuts any text in any parts into frames, each with its text as it came', () => {
  // A mark is none but at the beginning.
  const whole = EVENTS.filter((event) => !event.startsWith('\u{feff}'))
  const stream = fc.array(fc.constantFrom(...whole), { maxLength: 12 })
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(stream, lineEnd, fc.array(fc.nat(60)), (events, end, cuts) => {
      const text = events.map((event) => ended(event.replaceAll('\r', ''), end)).join('')
      const cutter = sseCutter(1_000_000)
      const found = [
        ...inParts(text, cuts).flatMap((part) => cutsOf(cutter, part)),
        ...cutter.rest(),
      ]
      expect(found.map((cut) => cut.text).join('')).toBe(text)
      for (const cut of found) {
        const [only, ...others] = readFrames(cut.text)
        expect(others).toEqual([])
        expect(cut.frame).toEqual(only)
      }
    }),
    cases(1000),
  )
})

/** What is a piece depends also on what was taken before. */
class FewPieces implements Cuts {
  readonly list: CutFrame[] = []

  take(cut: CutFrame): void {
    this.list.push(cut)
  }

  isPiece(name: string | undefined, text: string, start: number, end: number): boolean {
    return name !== 'delta' && text.slice(start, end).includes('o') && this.list.length % 3 < 2
  }
}

it('cuts pieces that follow each other as one, and counts them', () => {
  const alike = [' a', ' one', ' long one'].map((text) => `data: {"text":"${text}"}\n\n`)
  const row = fc.array(fc.constantFrom(...alike), { maxLength: 8 })
  const other = fc.constantFrom(...EVENTS.slice(0, 4))
  const stream = fc.array(
    fc.oneof(
      row,
      other.map((event) => [event]),
    ),
    { maxLength: 8 },
  )
  const lineEnd = fc.constantFrom('\n', '\r\n')
  let joined = 0
  fc.assert(
    fc.property(stream, lineEnd, fc.array(fc.nat(200)), (rows, end, cuts) => {
      const text = rows
        .flat()
        .map((event) => ended(event, end))
        .join('')
      const cutter = sseCutter(1_000_000)
      const found = new FewPieces()
      for (const part of inParts(text, cuts)) cutter.cut(part, found)
      const list = [...found.list, ...cutter.rest()]
      expect(list.map((cut) => cut.text).join('')).toBe(text)
      for (const { text: part, frame, pieces } of list) {
        const frames = readFrames(part)
        const lengths = frames.map(({ data }) => data.length)
        expect(frame).toEqual(frames.at(-1))
        expect(frames).toHaveLength(pieces?.count ?? 1)
        if (!pieces) continue
        joined += pieces.count > 1 ? 1 : 0
        expect(pieces.size).toBe(lengths.reduce((sum, length) => sum + length, 0))
        expect(pieces.least).toBe(Math.min(...lengths))
        for (const { data } of frames) expect(data).toContain('o')
      }
    }),
    cases(1000),
  )
  expect(joined).toBeGreaterThan(10)
})

it('ends what has come of an event, and holds it until then', () => {
  for (const rest of ['data: {"a":1}', 'data: {"a":1}\n', 'event: b\ndata: {"a":1}\n']) {
    const cutter = sseCutter(1000)
    expect(cutsOf(cutter, `data: first\n\n${rest}`)).toHaveLength(1)
    expect(cutter.isWithin).toBe(true)
    const [cut] = cutter.rest()
    expect(cut?.text).toBe(`${rest.trimEnd()}\n\n`)
    expect(cut?.frame?.data).toBe('{"a":1}')
  }
})

it('is quick to keep the text of an event that comes in many pieces', () => {
  const cutter = sseCutter(100_000_000)
  const start = cpuMs()
  for (let round = 0; round < 300_000; round += 1) cutsOf(cutter, 'x')
  expect(cutsOf(cutter, '\n\n').map(({ text }) => text.length)).toEqual([300_002])
  expect(cpuMs() - start).toBeLessThan(1500)
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
