import { describe, expect, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { TIMEOUTS } from '../../src/config/defaults.ts'
import { never, proxyOf, streamOf, type Chunk } from '../exchange/proxy.ts'
import { BAD, BROKEN, BYTES, LATE, status, WHOLE, wrongIn, type Outcome } from './outcome.ts'
import { voices, type Voice } from './voices.ts'

/** The faults that need no socket, on every runtime: an upstream's answer that comes in these pieces. */
interface Pieces {
  name: string
  stream: (voice: Voice) => Chunk[]
  body: (voice: Voice) => Chunk[]
  /** What the caller sees of a stream, and of a body. */
  outcomes: [Outcome, Outcome]
  /** What passes of a stream between two of a kind, if something else. */
  passed?: Outcome
}

const half = ({ whole }: Voice): string => whole.slice(0, whole.length / 2)
const lost = () => new Error('connection lost')

const FAULTS: readonly Pieces[] = [
  {
    name: 'nothing wrong',
    stream: ({ opening, closing }) => [opening, closing],
    body: ({ whole }) => [whole],
    outcomes: [WHOLE, WHOLE],
  },
  {
    name: 'a connection lost at once',
    stream: () => [lost()],
    body: () => [lost()],
    outcomes: [BAD, BAD],
  },
  {
    name: 'a connection lost in the middle',
    stream: ({ opening, half: part }) => [opening, part, lost()],
    body: (voice) => [half(voice), lost()],
    outcomes: [BROKEN, BAD],
  },
  {
    name: 'an end in the middle',
    stream: ({ opening, half: part }) => [opening, part],
    body: (voice) => [half(voice)],
    outcomes: [BROKEN, BAD],
  },
  {
    name: 'an end between two events',
    stream: ({ opening }) => [opening],
    body: (voice) => [half(voice)],
    outcomes: [BROKEN, BAD],
  },
  { name: 'nothing', stream: () => [], body: () => [], outcomes: [BAD, BAD] },
  {
    name: 'silence',
    stream: () => [never()],
    body: () => [never()],
    outcomes: [LATE, LATE],
  },
  {
    name: 'silence in the middle',
    stream: ({ opening, half: part }) => [opening, part, never()],
    body: (voice) => [half(voice), never()],
    outcomes: [BROKEN, LATE],
  },
  {
    name: 'a failure behind the beginning',
    stream: ({ opening, failure }) => [opening, failure],
    body: ({ failure }) => [failure],
    outcomes: [BROKEN, status(500, 502, 503)],
    passed: BYTES,
  },
]

const timeouts = { ...TIMEOUTS, firstByteMs: 60, jsonMs: 60, idleMs: 60 }
const pairs = voices.flatMap((caller) => voices.map((voice) => ({ caller, voice })))

async function findWrong(fault: Pieces, caller: Voice, voice: Voice, stream: boolean) {
  const type = stream ? 'text/event-stream' : 'application/json'
  const proxy = proxyOf(
    () => ({
      status: 200,
      headers: new Headers({ 'content-type': type }),
      body: streamOf(stream ? fault.stream(voice) : fault.body(voice)),
    }),
    {
      routes: [{ model: '*', upstream: 'plain' }],
      upstream: { dialect: voice.dialect, timeouts },
    },
    { dialects },
  )
  const response = await proxy.fetch(caller.path('m', stream), {
    body: caller.request('m', stream),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  const heard = { status: response.status, headers, text, complete: true }
  const passed = caller === voice
  const [streamed, whole] = fault.outcomes
  const ofStream = (passed && fault.passed) || streamed
  const wrong = wrongIn(stream ? ofStream : whole, heard, caller, { stream, passed })
  const place = `${caller.dialect} over ${voice.dialect}, ${stream ? 'stream' : 'body'}`
  const counts = proxy.sent.length === 1 && proxy.log.length === 1
  return [wrong, counts ? undefined : 'asked or logged more than once']
    .filter((line) => line !== undefined)
    .map((line) => `${place}: ${line}`)
}

describe('an answer in pieces', () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
    const cells = pairs.flatMap(({ caller, voice }) =>
      [true, false].map((stream) => findWrong(fault, caller, voice, stream)),
    )
    expect((await Promise.all(cells)).flat().join('\n')).toBe('')
  })
})
