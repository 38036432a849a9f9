import type { Fault } from './cell.ts'
import type { Line } from './line.ts'
import { BAD, BROKEN, BYTES, status, TOLD, WHOLE } from './outcome.ts'
import { voices, type Voice } from './voices.ts'

/** Faults of what is said: sizes, types, events and bodies. */

const asksStream = ({ request }: Line): boolean =>
  /streamGenerateContent|"stream":true/.test(request)

/** A stream of this text, and its regular end. */
const says =
  (text: (voice: Voice) => string | Uint8Array): Fault['act'] =>
  (line, voice) =>
    void line.open().chunk(text(voice)).close()
const answers =
  (
    text: (voice: Voice) => string | Uint8Array,
    headers: Record<string, string> = {},
  ): Fault['act'] =>
  (line, voice) =>
    void line.answer(text(voice), headers)

const wholeStream = ({ opening, closing }: Voice): string => opening + closing
const reply: Fault['act'] = (line, voice) =>
  asksStream(line) ? says(wholeStream)(line, voice) : answers(({ whole }) => whole)(line, voice)

/** Without a type, or with this one. */
const typed =
  (type: string): Fault['act'] =>
  (line, voice) => {
    const body = asksStream(line) ? wholeStream(voice) : voice.whole
    line.answer(body, { 'content-type': type })
  }

const spoilt = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const at = bytes.indexOf('Hel') + 1
  bytes[at] = 0xff
  return bytes
}

const flood = async (line: Line, text: string, everyMs = 1): Promise<void> => {
  while (!line.socket.destroyed) {
    line.chunk(text)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

const big = 'x'.repeat(1_000_000)
const other = (voice: Voice): Voice =>
  voices.find(({ dialect }) => dialect !== voice.dialect) ?? voice

const HTML = '<!doctype html><title>502</title><p>Bad gateway'
const events = (text: string): string[] => text.split('\n\n').filter(Boolean)

const formFaults: Fault[] = [
  { name: 'a reply as it should be', act: reply, stream: WHOLE, body: WHOLE },
  {
    name: 'F16 a line of 1 MB',
    act: (line, voice) => {
      line.open().chunk(voice.opening)
      setTimeout(() => line.chunk(`data: {"type":"${big}"}\n\n${voice.closing}`), 30)
    },
    stream: BROKEN,
    passed: { stream: BROKEN },
  },
  {
    name: 'F16 a line without end',
    act: (line, voice) =>
      flood(line.open().chunk(`${voice.opening}data: {"type":"`), big.slice(0, 9999)),
    stream: BROKEN,
  },
  {
    name: 'F16 a stream without end',
    act: (line, voice) => flood(line.open().chunk(voice.opening), ': more\n\n'.repeat(1000)),
    stream: BROKEN,
  },
  {
    name: 'F16 a stream that is too long, and goes on slowly',
    act: (line, voice) => {
      line.open().chunk(`${voice.opening}${': more\n\n'.repeat(40_000)}`)
      void flood(line, ':\n\n', 100)
    },
    stream: BROKEN,
  },
  {
    name: 'F17 a body of 1 MB',
    act: answers(({ whole }) => whole + ' '.repeat(1_000_000)),
    body: BAD,
  },
  {
    name: 'F19 HTML',
    act: answers(() => HTML, { 'content-type': 'text/html' }),
    stream: BAD,
    body: BAD,
  },
  {
    name: 'F19 plain words',
    act: answers(() => 'no', { 'content-type': 'text/plain' }),
    stream: BAD,
    body: BAD,
  },
  { name: 'F19 a body instead of a stream', act: answers(({ whole }) => whole), stream: WHOLE },
  { name: 'F19 a stream instead of a body', act: says(wholeStream), body: WHOLE },
  {
    name: 'F20 invalid UTF-8 in a stream',
    act: says((voice) => spoilt(wholeStream(voice))),
    stream: TOLD,
  },
  { name: 'F20 invalid UTF-8 in a body', act: answers(({ whole }) => spoilt(whole)), body: TOLD },
  { name: 'F34 no type', act: typed(''), stream: WHOLE, body: WHOLE },
  { name: 'F34 a wrong type', act: typed('application/octet-stream'), stream: WHOLE, body: WHOLE },
]

const eventFaults: Fault[] = [
  {
    name: 'F21 an event that is no JSON',
    act: says(({ opening, closing }) => `${opening}data: {"type": oh\n\n${closing}`),
    stream: BROKEN,
  },
  {
    name: 'F21 an event that is no JSON, and then the end of the connection',
    act: says(({ opening }) => `${opening}data: {"type": oh\n\n`),
    stream: BROKEN,
  },
  {
    name: 'F16 an event that is too large, and then the end of the connection',
    act: says(({ opening }) => `${opening}data: {"type":"${'x'.repeat(100_000)}"}\n\n`),
    stream: BROKEN,
  },
  {
    name: 'F16 an event that is too large, and then the rest',
    act: says(
      ({ opening, closing }) => `${opening}data: {"type":"${'x'.repeat(100_000)}"}\n\n${closing}`,
    ),
    stream: BROKEN,
  },
  {
    name: 'F21 a body that is no JSON',
    act: answers(({ whole }) => whole.slice(0, -9)),
    body: BAD,
  },
  { name: 'F21 an empty body', act: answers(() => ''), body: BAD, stream: BAD },
  {
    name: 'F21 a body of something else',
    act: answers(() => '{"foo":{"bar":[1]}}'),
    body: BAD,
    passed: { body: BYTES },
  },
  {
    name: 'F21 a body without a reply',
    act: answers(() => '[]'),
    body: BAD,
    passed: { body: BYTES },
  },
  {
    name: 'F22 comments, unknown and empty events',
    act: says(
      ({ opening, closing }) =>
        `: hello\n\n${opening}event: novel\ndata: {"type":"novel","x":1}\n\n: ping\n\ndata:\n\nid: 4\nretry: 9\n\n${closing}`,
    ),
    stream: WHOLE,
  },
  {
    name: 'F22 CR LF, a BOM and no space',
    act: says(
      (voice) =>
        `\u{feff}${wholeStream(voice).replaceAll('data: ', 'data:').replaceAll('\n', '\r\n')}`,
    ),
    stream: WHOLE,
  },
  {
    name: 'F22 CR',
    act: says((voice) => wholeStream(voice).replaceAll('\n', '\r')),
    stream: WHOLE,
  },
  {
    name: 'F23 a failure as the first event',
    act: says(({ failure }) => failure),
    stream: status(502, 503, 500),
    body: status(502, 503, 500),
    passed: { stream: BYTES, body: TOLD },
  },
  {
    name: 'F23 a failure as a later event',
    act: says(({ opening, failure }) => opening + failure),
    stream: BROKEN,
    body: status(502, 503, 500),
    passed: { stream: BYTES, body: TOLD },
  },
  {
    name: 'F24 a bare failure behind a stream',
    act: says(
      ({ opening }) => `${opening}{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`,
    ),
    stream: BROKEN,
  },
  { name: 'F25 no end', act: says(({ opening }) => opening), stream: BROKEN, body: BAD },
  { name: 'F25 nothing at all', act: says(() => ''), stream: BAD, body: BAD },
  {
    name: 'F26 the end twice',
    act: says((voice) => wholeStream(voice) + (events(voice.closing).at(-1) ?? '') + '\n\n'),
    stream: WHOLE,
  },
  {
    name: 'F26 more behind the end',
    act: says((voice) => wholeStream(voice) + voice.opening),
    stream: WHOLE,
  },
  {
    name: 'F26 rubbish behind the end',
    act: says((voice) => `${wholeStream(voice)}oh no {`),
    stream: WHOLE,
  },
  {
    name: 'F26 a cut behind the end',
    act: (line, voice) => line.open().chunk(wholeStream(voice)).reset(),
    stream: TOLD,
  },
  {
    name: 'F27 events in reverse',
    act: says((voice) => events(wholeStream(voice)).toReversed().join('\n\n') + '\n\n'),
    stream: TOLD,
  },
  {
    name: 'F27 no beginning',
    act: says(({ closing }) => closing),
    stream: TOLD,
  },
  {
    name: 'F27 every second event',
    act: says(
      (voice) =>
        events(wholeStream(voice))
          .filter((_, at) => at % 2 === 0)
          .join('\n\n') + '\n\n',
    ),
    stream: TOLD,
  },
]

const REFUSALS: readonly [string, (voice: Voice) => string][] = [
  ['its own words', ({ refusal }) => refusal],
  ['HTML', () => HTML],
  ['nothing', () => ''],
  ['10 MB', () => 'x'.repeat(10_000_000)],
  ["another dialect's words", (voice) => other(voice).refusal],
]

const refusalFaults: Fault[] = REFUSALS.flatMap(([name, text]) =>
  [400, 404, 413, 503].map((code): Fault => {
    // What an upstream says in its own dialect may change the kind, but never the class of the status.
    const outcome = status(...(code < 500 ? [400, 404, 413] : [500, 502, 503, 504, 529]))
    const own = { stream: BYTES, body: BYTES }
    return {
      name: `F29 ${code} with ${name}`,
      act: (line, voice) => {
        line.answer(text(voice), { status: code })
        line.whole = text(voice).length < 65_536
      },
      stream: outcome,
      body: outcome,
      ...(name.startsWith('another') && { passed: own }),
    }
  }),
)

export const contentFaults: readonly Fault[] = [...formFaults, ...eventFaults, ...refusalFaults]
