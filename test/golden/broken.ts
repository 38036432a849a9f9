import type { Dialect } from '../../adapters/dialect.ts'
import type { Framing } from '../../src/stream/codec.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, sseReply, type Chunk } from '../exchange/proxy.ts'
import { call, MODEL, said, text } from '../sdk/script.ts'

/** Streams that break, as an upstream of each dialect says them, and who hears of them. */

/** Who hears, and of whom; in which framing, where that is not the usual one, on both sides that have it. */
export type Heard = readonly [caller: Dialect, upstream: Dialect, framing?: Framing]

export const HEARD: readonly Heard[] = [
  ['messages', 'messages'],
  ['generate-content', 'generate-content'],
  ['responses', 'responses'],
  ['chat-completions', 'chat-completions'],
  ['messages', 'responses'],
  ['generate-content', 'chat-completions'],
  ['responses', 'generate-content'],
  ['chat-completions', 'messages'],
  ['generate-content', 'generate-content', 'json-array'],
  ['generate-content', 'messages', 'json-array'],
]

const WORDS = 'The engine has stopped.'
const RESET = new Error('reset')

/** The first of two calls is open where a dialect tells its arguments in pieces, and whole where it does not. */
const SAID = said(
  [text('Hello!'), call('call_1', 'weather', { city: 'Oslo' }), call('call_2', 'weather', {})],
  'tool-call',
)
const WITHIN_CALL = /"functionCall"|\{\\"cit/

/** A reply of an upstream, event by event, and what of it a break is made of. */
interface Broken {
  whole: readonly string[]
  /** Up to the first words, and up to the first arguments. */
  inText: readonly string[]
  inCall: readonly string[]
  /** A failure in the words of the dialect, as an event and as a body. */
  failure: string
  failed: object
  /** The mark of the end, by which nothing is said of why; and all that says the end. */
  mark: string
  end: readonly string[]
}

interface Ends {
  mark(whole: readonly string[]): string
  end(whole: readonly string[]): readonly string[]
}

const last = (whole: readonly string[]): string => whole.at(-1) ?? ''
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

const ENDS: Record<Dialect, Ends> = {
  messages: { mark: last, end: (whole) => whole.slice(-2) },
  // It has no mark: the counts of the end come, and the connection ends.
  'generate-content': {
    mark: () => event({ usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 25 } }),
    end: () => [event({ candidates: [{ finishReason: 'STOP', index: 0 }] })],
  },
  // The name of the last event, with the response as it was at the beginning.
  responses: {
    mark: ([created = '']) => created.replaceAll('response.created', 'response.completed'),
    end: (whole) => whole.slice(-1),
  },
  'chat-completions': { mark: last, end: (whole) => whole.slice(-2) },
}

function brokenOf(dialect: Dialect): Broken {
  const { scripted, say } = kits[dialect]
  const whole = scripted.events(SAID, MODEL)
  const upTo = (wanted: RegExp) => whole.slice(0, whole.findIndex((text) => wanted.test(text)) + 1)
  const { event: failure, body: failed } = say.failure(WORDS)
  return {
    whole,
    inText: upTo(/Hello/),
    inCall: upTo(WITHIN_CALL),
    failure,
    failed,
    mark: ENDS[dialect].mark(whole),
    end: ENDS[dialect].end(whole),
  }
}

/** The rest of a stream behind its first events, with something in between. */
const between = ({ whole }: Broken, begun: readonly string[], strange: string): Chunk[] => [
  ...begun,
  strange,
  ...whole.slice(begun.length),
]
function half({ whole }: Broken, begun: readonly string[]): string {
  const next = whole[begun.length] ?? ''
  return next.slice(0, next.length / 2)
}

const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>'
const COMMENT = ': gateway keepalive\n'
const PLAIN = 'upstream connect error or disconnect/reset before headers\n'

/** What comes behind the head of a stream. */
const STREAMS: Record<string, (broken: Broken) => Chunk[]> = {
  'cut-at-once': () => [],
  'cut-in-text': ({ inText }) => [...inText],
  'cut-in-call': ({ inCall }) => [...inCall],
  'cut-in-event': (broken) => [...broken.inText, half(broken, broken.inText)],
  'reset-in-text': ({ inText }) => [...inText, RESET],
  'reset-in-call': ({ inCall }) => [...inCall, RESET],
  'failure-at-once': ({ failure }) => [failure],
  'failure-in-text': ({ inText, failure }) => [...inText, failure],
  'failure-in-call': ({ inCall, failure }) => [...inCall, failure],
  'failure-before-end': ({ inCall, failure, end }) => [...inCall, failure, ...end],
  'json-in-text': ({ inText, failed }) => [...inText, JSON.stringify(failed)],
  // All but what says that nothing follows, with the counts in it.
  'cut-before-mark': ({ whole }) => whole.slice(0, -1),
  'failure-before-mark': ({ whole, failure }) => [...whole.slice(0, -1), failure],
  'early-end-in-text': ({ inText, mark }) => [...inText, mark],
  'early-end-in-call': ({ inCall, mark }) => [...inCall, mark],
  'end-twice': ({ whole, end }) => [...whole, ...end],
  'text-behind-end': ({ whole, inText }) => [...whole, ...inText.slice(-1)],
  'failure-behind-end': ({ whole, failure }) => [...whole, failure],
  'plain-words-in-text': (broken) => between(broken, broken.inText, 'data: upstream timeout\n\n'),
  'plain-words-in-call': (broken) => between(broken, broken.inCall, 'data: upstream timeout\n\n'),
  'html-event': (broken) => between(broken, broken.inText, `data: ${HTML}\n\n`),
  'html-at-once': () => [HTML],
  'html-for-the-rest': ({ inText }) => [...inText, HTML],
  'words-for-the-rest': ({ inCall }) => [...inCall, PLAIN],
  'foreign-event': (broken) =>
    between(broken, broken.inText, 'event: gateway\ndata: {"gateway":true}\n\n'),
  'comment-in-text': (broken) => between(broken, broken.inText, `${COMMENT}\n`),
  'comment-in-call': (broken) => between(broken, broken.inCall, `${COMMENT}\n`),
  'comment-in-event': (broken) => between(broken, broken.inText, COMMENT),
}

/** Streams behind which no server writes what ends a list. */
const UNENDED = /^(?:cut|reset|html|words|json)/

/** The same stream as a list that grows; what is no event stays as it is. */
function inList(name: string, chunks: readonly Chunk[]): Chunk[] {
  let opener = '['
  const list = chunks.map((chunk) => {
    const [, data, end] = /^(?:event: .*\n)?data: (.*?)((?:\r?\n){2})?$/s.exec(String(chunk)) ?? []
    if (data === undefined) return String(chunk).startsWith(':') ? '' : chunk
    const element = opener + data
    if (end) opener = ',\r\n'
    return element
  })
  return UNENDED.test(name) ? list : [...list, '\r\n]']
}

/** One answer of an upstream: how it comes, and its bytes for people. */
export interface Came {
  reply(): ReturnType<typeof sseReply>
  shown: string
}

const LIST = { 'content-type': 'application/json; charset=UTF-8' }

const streamed = (chunks: Chunk[], headers = {}): Came => ({
  reply: () => sseReply(chunks, headers),
  shown: chunks.map((chunk) => (chunk instanceof Error ? '(reset)' : String(chunk))).join(''),
})

type Break = (upstream: Dialect, framing?: Framing) => Came

export const BROKEN: readonly [string, Break][] = [
  ...Object.entries(STREAMS).map(([name, chunks]): [string, Break] => [
    name,
    (upstream, framing) => {
      const came = chunks(brokenOf(upstream))
      return framing === 'json-array' ? streamed(inList(name, came), LIST) : streamed(came)
    },
  ]),
  [
    'json-failure',
    (upstream) => {
      const { failed } = brokenOf(upstream)
      return { reply: () => jsonReply(failed), shown: JSON.stringify(failed) }
    },
  ],
  ['json-failure-as-stream', (upstream) => streamed([JSON.stringify(brokenOf(upstream).failed)])],
]
