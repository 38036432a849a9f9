import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import type { Frame } from '../../src/stream/codec.ts'
import { pieceFinder } from '../../src/stream/pieces/pieces.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { cases } from '../cases.ts'

type Say = (piece: string, count: number, id: string) => string

interface Words {
  /** Chunks with nothing but a piece, in the shapes of several services. */
  pieces: readonly Say[]
  /** Chunks that say more, in all else like those. */
  telling: readonly Say[]
}

const gemini =
  (part: string, candidate = '', more = ''): Say =>
  (piece, count, id) =>
    `{"candidates":[{"content":{"parts":[{"text":${piece}${part}}],"role":"model"},"index":0${candidate}}],` +
    `"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":${count}},"responseId":"${id}"${more}}`

const chat =
  (delta: string, reason: string, more = ''): Say =>
  (piece, _count, id) =>
    `{"id":"${id}","created":${1_764_000_000 + id.length},"choices":[{"index":0,"delta":{"content":${piece}${delta}},` +
    `"finish_reason":${reason}}]${more}}`

const WORDS: Readonly<Record<string, Words>> = {
  'generate-content': {
    pieces: [gemini(''), gemini(',"thought":true'), gemini('', '', ',"modelVersion":"model-2.5"')],
    telling: [
      gemini('', ',"finishReason":"STOP"'),
      gemini('},{"functionCall":{"name":"look"}'),
      gemini('', '', ',"promptFeedback":{"blockReason":"OTHER"}'),
      gemini('', '', ',"error":{"code":429}'),
    ],
  },
  'chat-completions': {
    pieces: [chat('', 'null'), chat(',"role":"assistant"', 'null'), chat('', 'null', ',"p":"aB3"')],
    telling: [
      chat('', '"stop"'),
      chat('', 'null', ',"usage":{"prompt_tokens":7}'),
      chat('', 'null', ',"error":{"code":429}'),
      chat(',"refusal":"no"', 'null'),
    ],
  },
}

const PIECES = [
  ' a',
  ' "quoted"',
  'a\\nb',
  'é ',
  '\\',
  ' {"finishReason":"STOP"}',
  '12',
  'x'.repeat(300),
]

const say = (found: readonly Say[], at: number, piece: string, count: number, id: string) =>
  (found[at % found.length] as Say)(JSON.stringify(piece), count, id)

/** Rows of chunks that are alike, and what comes between them. */
const rows = fc.array(
  fc.record({
    shape: fc.nat(8),
    length: fc.integer({ min: 1, max: 40 }),
    piece: fc.nat(PIECES.length - 1),
    telling: fc.option(fc.nat(8), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 5 },
)

interface Event {
  data: string
  isTelling: boolean
}

const eventsOf = (
  words: Words,
  made: readonly { shape: number; length: number; piece: number; telling?: number | undefined }[],
  id: string,
): Event[] =>
  made.flatMap(({ shape, length, piece, telling }) => [
    ...Array.from({ length }, (_, at) => ({
      data: say(words.pieces, shape, PIECES[(piece + at) % PIECES.length] ?? '', at * 9, id),
      isTelling: false,
    })),
    ...(telling === undefined
      ? []
      : [{ data: say(words.telling, telling, PIECES[piece] ?? '', length, id), isTelling: true }]),
  ])

function framesOf(dialect: string, text: string, cut: number): Frame[] {
  const pieces = pieceFinder(dialects.of(dialect)?.same.pieces)
  const parser = sseParser(1_000_000, {
    skips: (event, whole, from, end) => pieces.has(event, whole, from, end),
    behindSkipped: (whole, from, head, end) => pieces.behind(whole, from, head, end),
    kept: () => undefined,
  })
  const parts = [text.slice(0, cut), text.slice(cut)]
  return [...parts.flatMap((part) => parser.push(part)), ...parser.end()]
}

for (const [dialect, words] of Object.entries(WORDS)) {
  it(`leaves unread nothing that says more than a piece: ${dialect}`, () => {
    fc.assert(
      fc.property(
        rows,
        fc.stringMatching(/^[\w-]{1,30}$/),
        fc.constantFrom('\n\n', '\r\n\r\n'),
        fc.nat(4000),
        (made, id, end, cut) => {
          const events = eventsOf(words, made, id)
          const text = events.map(({ data }) => `data: ${data}${end}`).join('')
          const heard = framesOf(dialect, text, cut).map(({ data }) => data)
          const telling = new Set(events.flatMap(({ data, isTelling }) => (isTelling ? data : [])))
          expect(heard.filter((data) => telling.has(data))).toEqual(
            events.flatMap(({ data, isTelling }) => (isTelling ? data : [])),
          )
          expect(heard.at(-1)).toBe(events.at(-1)?.data)
        },
      ),
      cases(400),
    )
  })

  it(`leaves rows of pieces unread, whatever their ids and counts are: ${dialect}`, () => {
    for (const [stream, id] of ['id-1-of-a-stream', 'another-2-id', 'and-a-third-3'].entries())
      for (let shape = 0; shape < words.pieces.length; shape += 1) {
        const length = 30 + stream
        const row = eventsOf(words, [{ shape, length, piece: stream }], id)
        const text = row.map(({ data }) => `data: ${data}\n\n`).join('')
        // The first of the stream, and the last of all.
        expect(framesOf(dialect, text, 0).map(({ data }) => data)).toEqual([
          row[0]?.data,
          row.at(-1)?.data,
        ])
      }
  })
}

it.each(Object.entries(WORDS))(
  'reads the first piece behind what says more, which may take an end back: %s',
  (dialect, words) => {
    const id = 'one-id-1'
    const piece = (count: number) => say(words.pieces, 0, ` ${count}`, count, id)
    const told = say(words.telling, 0, ' end', 40, id)
    const before = Array.from({ length: 40 }, (_, count) => piece(count))
    const events = [...before, told, piece(41), piece(42), piece(43)]
    const text = events.map((data) => `data: ${data}\n\n`).join('')
    expect(framesOf(dialect, text, 0).map(({ data }) => data)).toEqual([
      piece(0),
      told,
      piece(41),
      piece(43),
    ])
  },
)
