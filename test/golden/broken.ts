import type { Dialect } from '../../adapters/dialect.ts'
import { kits, type Pair } from '../dialects/index.ts'
import { jsonReply, sseReply, type Chunk } from '../exchange/proxy.ts'
import { call, MODEL, said, text } from '../sdk/script.ts'

/** Streams that break, as an upstream of each dialect says them, and who hears of them. */

export const HEARD: readonly Pair[] = [
  ['messages', 'messages'],
  ['generate-content', 'generate-content'],
  ['responses', 'responses'],
  ['chat-completions', 'chat-completions'],
  ['messages', 'responses'],
  ['generate-content', 'chat-completions'],
  ['responses', 'generate-content'],
  ['chat-completions', 'messages'],
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
const COMMENT = ': gateway keepalive\n\n'

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
  'early-end-in-text': ({ inText, mark }) => [...inText, mark],
  'early-end-in-call': ({ inCall, mark }) => [...inCall, mark],
  'end-twice': ({ whole, end }) => [...whole, ...end],
  'text-behind-end': ({ whole, inText }) => [...whole, ...inText.slice(-1)],
  'failure-behind-end': ({ whole, failure }) => [...whole, failure],
  'plain-words-in-text': (broken) => between(broken, broken.inText, 'data: upstream timeout\n\n'),
  'plain-words-in-call': (broken) => between(broken, broken.inCall, 'data: upstream timeout\n\n'),
  'html-event': (broken) => between(broken, broken.inText, `data: ${HTML}\n\n`),
  'html-for-the-rest': ({ inText }) => [...inText, HTML],
  'foreign-event': (broken) =>
    between(broken, broken.inText, 'event: gateway\ndata: {"gateway":true}\n\n'),
  'comment-in-text': (broken) => between(broken, broken.inText, COMMENT),
  'comment-in-call': (broken) => between(broken, broken.inCall, COMMENT),
}

/** One answer of an upstream: how it comes, and its bytes for people. */
export interface Came {
  reply(): ReturnType<typeof sseReply>
  shown: string
}

const streamed = (chunks: Chunk[]): Came => ({
  reply: () => sseReply(chunks),
  shown: chunks.map((chunk) => (chunk instanceof Error ? '(reset)' : String(chunk))).join(''),
})

export const BROKEN: readonly [string, (upstream: Dialect) => Came][] = [
  ...Object.entries(STREAMS).map(([name, chunks]): [string, (upstream: Dialect) => Came] => [
    name,
    (upstream) => streamed(chunks(brokenOf(upstream))),
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
