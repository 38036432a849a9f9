import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Fault } from './cell.ts'
import type { Line } from './line.ts'
import { ABSENT, BAD, BROKEN, LATE, LEFT, status, TOLD, WHOLE } from './outcome.ts'
import type { Voice } from './voices.ts'

/** Faults of connections, time, lengths and codings: what happens below the dialects. */

const asksStream = ({ request }: Line): boolean =>
  /streamGenerateContent|"stream":true/.test(request)

/** The beginning of a reply in the mode that was asked for, and then a fault. */
const begin =
  (then: (line: Line) => void, headers: Record<string, string> = {}): Fault['act'] =>
  (line, voice) => {
    if (asksStream(line)) line.open(headers).chunk(voice.opening + voice.half)
    else
      line
        .open({ 'content-type': 'application/json', ...headers })
        .chunk(voice.whole.slice(0, voice.whole.length / 2))
    setTimeout(() => then(line), 20)
  }
const silence = () => undefined

async function trickle(line: Line, text: string): Promise<void> {
  for (const sign of text) {
    if (line.socket.destroyed) return
    line.chunk(sign)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const wholeOf = (line: Line, voice: Voice): string =>
  asksStream(line) ? voice.opening + voice.closing : voice.whole
const typeOf = (line: Line): string => (asksStream(line) ? 'text/event-stream' : 'application/json')

const coded =
  (coding: string, encode: (text: string) => string | Uint8Array): Fault['act'] =>
  (line, voice) =>
    void line.answer(encode(wholeOf(line, voice)), {
      'content-type': typeOf(line),
      'content-encoding': coding,
    })

/** A length that is not true, and the connection closed after it. */
const falseLength =
  (factor: number): Fault['act'] =>
  (line, voice) => {
    const text = wholeOf(line, voice)
    line.head(200, {
      'content-type': typeOf(line),
      'content-length': Math.floor(text.length * factor),
    })
    line.raw(text)
    setTimeout(() => line.fin(), 20)
  }

const bomb = gzipSync(Buffer.alloc(8_000_000, 32))
const both = { stream: BAD, body: BAD }
const cut = { stream: BROKEN, body: BAD }

/** What an upstream says, and what the callers may hear of it. */
const STATUSES = [
  [418, 418, 400],
  [429, 429],
  [500, 500],
  [529, 529, 503],
  [600, 500, 502, 503],
  [999, 500, 502, 503],
  [199, 502, 503],
] as const

export const transportFaults: readonly Fault[] = [
  {
    name: 'F1 the caller leaves before the head',
    act: silence,
    stream: LEFT,
    body: LEFT,
    leave: 'asked',
  },
  {
    name: 'F2 the caller leaves after the head',
    act: (line) => void line.open(),
    stream: LEFT,
    body: LEFT,
    leave: 'asked',
  },
  {
    name: 'F3 the caller leaves in the middle',
    act: (line, voice) => {
      line.open().chunk(voice.opening)
      const more = setInterval(() => {
        if (line.socket.destroyed) clearInterval(more)
        else line.chunk(': more\n\n')
      }, 20)
    },
    stream: LEFT,
    leave: 'heard',
  },
  { name: 'F4 the caller leaves in silence', act: begin(silence), stream: LEFT, leave: 'heard' },
  { name: 'F4 the caller leaves half a body', act: begin(silence), body: LEFT, leave: 'asked' },
  ...['refusing-', 'nowhere-', 'hanging-'].map((upstream): Fault => ({
    name: `F5 no connection: ${upstream}`,
    act: silence,
    stream: ABSENT,
    body: ABSENT,
    requests: 0,
    upstream,
  })),
  { name: 'F6 hangs before the head', upstream: 'hasty-', act: silence, stream: LATE, body: LATE },
  {
    name: 'F7 a head, then silence',
    upstream: 'hasty-',
    act: (line) => void line.open(),
    stream: LATE,
    body: LATE,
  },
  {
    name: 'F8 hangs in the middle',
    upstream: 'hasty-',
    act: begin(silence),
    stream: BROKEN,
    body: LATE,
  },
  {
    name: 'F9 trickles',
    upstream: 'hasty-',
    act: begin((line) => void trickle(line, ' '.repeat(100))),
    stream: BROKEN,
    body: LATE,
  },
  {
    name: 'F9 trickles from the start',
    upstream: 'hasty-',
    act: (line) => void trickle(line.open(), ':'.repeat(99)),
    stream: LATE,
  },
  { name: 'F10 reset before the head', act: (line) => line.reset(), ...both },
  {
    name: 'F10 reset within the head',
    act: (line) => void setTimeout(() => line.raw('HTTP/1.1 20').reset(), 10),
    ...both,
  },
  {
    name: 'F10 reset after the head',
    act(line) {
      line.open()
      setTimeout(() => line.reset(), 20)
    },
    ...both,
  },
  { name: 'F10 reset in the middle', act: begin((line) => line.reset()), ...cut },
  { name: 'F11 FIN in the middle', act: begin((line) => line.fin()), ...cut },
  { name: 'F11 FIN after the head', act: (line) => line.open().fin(), ...both },
  { name: 'F12 shorter than its length', act: falseLength(2), stream: TOLD, body: BAD },
  { name: 'F12 longer than its length', act: falseLength(0.6), stream: BROKEN, body: BAD },
  {
    name: 'F13 FIN in the middle, not kept alive',
    act: begin((line) => line.fin(), { connection: 'close' }),
    ...cut,
  },
  {
    name: 'F13 reset in the middle, not kept alive',
    act: begin((line) => line.reset(), { connection: 'close' }),
    ...cut,
  },
  {
    name: 'F13 closed where the end would be',
    act(line, voice) {
      const half = asksStream(line) ? voice.opening + voice.half : voice.whole.slice(0, 40)
      line.head(200, { 'content-type': typeOf(line), connection: 'close' }).raw(half)
      setTimeout(() => line.fin(), 20)
    },
    ...cut,
  },
  { name: 'F14 gzip', act: coded('gzip', gzipSync), stream: WHOLE, body: WHOLE },
  { name: 'F14 br', act: coded('br', brotliCompressSync), stream: WHOLE, body: WHOLE },
  { name: 'F14 deflate', act: coded('deflate', deflateSync), stream: WHOLE, body: WHOLE },
  { name: 'F14 zstd', act: coded('zstd', String), ...both },
  { name: 'F14 unknown coding', act: coded('x-unknown', String), ...both },
  { name: 'F14 lying coding', act: coded('gzip', String), ...both },
  { name: 'F15 bomb', act: coded('gzip', () => bomb), ...both },
  { name: 'F15 chain of codings', act: coded('gzip, gzip, gzip', String), ...both },
  {
    name: 'F18 a header of 20 KiB',
    act: (line) => void line.answer('{}', { 'x-large': 'x'.repeat(20_480) }),
    ...both,
  },
  {
    name: 'F18 3,000 headers',
    act: (line) =>
      void line.answer(
        '{}',
        Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`x-${index}`, 'value'])),
      ),
    ...both,
  },
  ...[101, 204, 205, 304, 300, 301, 302, 303, 307, 308].map((code): Fault => ({
    name: `F28 status ${code}`,
    act(line) {
      line.head(code, { location: '/other', 'content-length': 0 })
      line.whole = code !== 101
    },
    ...both,
  })),
  {
    name: 'F28 status 205 with content',
    act: (line, voice) =>
      void line.answer(wholeOf(line, voice), { status: 205, 'content-type': typeOf(line) }),
    ...both,
  },
  ...[100, 103].map((code): Fault => ({
    name: `F28 status ${code} first`,
    act(line, voice) {
      const body = wholeOf(line, voice)
      line.head(code).answer(body, { 'content-type': typeOf(line) })
    },
    // The first was not asked for, and the client of the runtime trusts nobody who sends it.
    stream: code === 100 ? BAD : WHOLE,
    body: code === 100 ? BAD : WHOLE,
  })),
  ...STATUSES.map(([code, ...expected]): Fault => ({
    name: `F28 status ${code}`,
    act: (line, voice) => void line.answer(voice.refusal, { status: code }),
    stream: status(...expected),
    body: status(...expected),
  })),
]
