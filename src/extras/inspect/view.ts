import { isObject, parse, type Json, type JsonObject } from '../../json/json.ts'
import type { Lookup } from '../../model/lookup.ts'
import { effectOf } from '../../model/loss-effect.ts'
import type { Loss, LossCode } from '../../model/loss.ts'
import type { LogEntry } from '../../observe/entry.ts'
import type { KeptCall, KeptExchange } from './kept.ts'

/** How an exchange is shown. */
export interface Showing {
  /** Hides these secrets in a text, and those of the current settings. */
  hide(text: string, secrets: readonly string[]): string
  cost(entry: LogEntry): number | undefined
  /** Who is asked at an address, where that is an upstream of the settings. */
  upstreamAt(url: string): Pick<LogEntry, 'upstream' | 'upstreamDialect'> | undefined
}

type Hide = (text: string) => string

/** Hides the secrets of the settings that an exchange used, and what its caller sent as a key. */
export function hiderOf({ headers, url, secrets }: KeptExchange, { hide }: Showing): Hide {
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  const all = [...secrets, ...presentedSecrets(headers, query)]
  return (text) => hide(text, all)
}

/** One line of the list. Its members come from the log's entry, which holds no secret of the settings. */
export function rowOf(kept: KeptExchange, showing: Showing): object {
  const { number, startedAt, method, url, answer, calls, isOver, entry } = kept
  const { losses = [], attempts, trace: _, ...fields }: Partial<LogEntry> = entry ?? {}
  const shown = {
    method,
    url: shownUrl(url),
    ...(entry === undefined && underway(kept, showing)),
    words: lastWords(kept),
    ...fields,
    status: entry?.status ?? answer?.status,
    attempts: Math.max(attempts?.length ?? 0, calls.length),
    losses: entry ? losses.map(({ code, path }) => `${code} ${path}`) : lossesAhead(kept),
    cost: entry && showing.cost(entry),
  }
  return { number, startedAt, isOver, ...hidden(shown, hiderOf(kept, showing)) }
}

/** What is known of an exchange that is still open: whom it asks, and for which model. */
function underway({ calls, url }: KeptExchange, { upstreamAt }: Showing): object {
  const asked = calls.at(-1)?.url
  return {
    ...(asked !== undefined && upstreamAt(asked)),
    ...(asked !== undefined && modelIn(asked)),
    ...modelIn(url, 'model'),
  }
}

/** The model of an address, where the dialect has it there. */
function modelIn(url: string, name = 'sentModel'): object {
  const [, model] = /\/models\/([^/:?]+):/.exec(url) ?? []
  return model === undefined ? {} : { [name]: model }
}

const LONGEST_WORDS = 120

/** Larger bodies are not parsed for the list. */
const MOST_BYTES = 1_048_576

const knownWords = new WeakMap<KeptExchange, string>()

/** The first words of the last turn that says something, as a person would know the exchange by. */
function lastWords(kept: KeptExchange): string {
  const before = knownWords.get(kept)
  if (before !== undefined) return before
  if (kept.readAt === undefined || kept.body.size > MOST_BYTES) return ''
  const words = wordsIn(kept.body.shown((text) => text, kept.headers.get('content-type')).text)
  knownWords.set(kept, words)
  return words
}

function wordsIn(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  let body: Json
  try {
    body = parse(text)
  } catch {
    return ''
  }
  return shortened(isObject(body) ? turnWords(body) : '')
}

/** In any of the dialects: turns are a list, and what is said in one is a text or a list of parts. */
function turnWords({ messages, input, contents }: JsonObject): string {
  const turns = messages ?? input ?? contents
  if (typeof turns === 'string') return turns
  const list = Array.isArray(turns) ? turns : [turns]
  return list.toReversed().map(saidIn).find(Boolean) ?? ''
}

function saidIn(turn: Json | undefined): string {
  if (!isObject(turn)) return ''
  const { content, parts, output } = turn
  const said = content ?? parts ?? output
  if (typeof said === 'string') return said
  const texts = (Array.isArray(said) ? said : [said]).map((part) =>
    isObject(part) && typeof part['text'] === 'string' ? part['text'] : '',
  )
  return texts.toReversed().find(isPlain) ?? texts.find(Boolean) ?? ''
}

/** Agents put what they know into tags before what their user said. */
const isPlain = (text: string): boolean => text !== '' && !text.startsWith('<')

const shortened = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line
}

/** The losses of the request are told before a stream begins. */
const lossesAhead = ({ answer }: KeptExchange): string[] =>
  answer?.headers['x-dragoman-losses']?.split('; ')[1]?.split(', ') ?? []

/** Everything that is kept of one exchange. */
export function detailOf(kept: KeptExchange, showing: Showing): object {
  const { calls, answer, entry } = kept
  const hide = hiderOf(kept, showing)
  const type = kept.headers.get('content-type')
  return {
    ...rowOf(kept, showing),
    readAt: kept.readAt,
    losses: hidden(
      entry ? (entry.losses ?? []).map(withEffect) : lossesAhead(kept).map(lossOf),
      hide,
    ),
    attempts: hidden(entry?.attempts ?? [], hide),
    came: {
      headers: hidden(shownHeaders(entriesOf(kept.headers)), hide),
      type,
      body: { ...kept.body.shown(hide, type), ...(isUnread(kept) && { cut: true }) },
    },
    calls: calls.map((call) => callOf(call, hide)),
    ...(answer && { told: answerOf(answer, hide) }),
  }
}

const withEffect = (loss: Loss): object => ({ ...loss, effect: effectOf(loss) })

function lossOf(text: string): object {
  const [code = '', path = ''] = text.split(' ')
  const loss = { code, path }
  return isCode(code) ? withEffect({ code, path }) : loss
}

const isCode = (code: string): code is LossCode =>
  ['dropped', 'approximated', 'defaulted', 'reordered'].includes(code)

/** The body of a request that was refused before it was read, or of an upload, is not kept. */
const isUnread = ({ readAt, headers }: KeptExchange): boolean =>
  readAt === undefined &&
  (Number(headers.get('content-length')) > 0 || headers.get('transfer-encoding') !== null)

function answerOf({ headers, body, ...times }: NonNullable<KeptExchange['answer']>, hide: Hide) {
  const type = headers['content-type'] ?? null
  const shown = hidden(shownHeaders(Object.entries(headers)), hide)
  return { ...times, headers: shown, type, body: body.shown(hide, type) }
}

function callOf(call: KeptCall, hide: Hide): object {
  const { body, reply, headers, replied, url, failure, ...times } = call
  const repliedType = replied?.get('content-type') ?? null
  const head = {
    url: shownUrl(url),
    headers: shownHeaders(Object.entries(headers)),
    repliedHeaders: shownHeaders(replied ? entriesOf(replied) : []),
    failure,
  }
  return {
    ...times,
    ...hidden(head, hide),
    repliedType,
    body: body.shown(hide, null),
    reply: reply.shown(hide, repliedType),
  }
}

/** A copy in which every text is hidden by `hide`. */
function hidden<T>(value: T, hide: Hide): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' ? hide(each) : each,
  )
}

const SHORTEST = 8

/** The headers in which callers send keys. */
const PRESENTED = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie'] as const

/** What a caller sent as a key; it is hidden wherever it stands. */
export function presentedSecrets(headers: Lookup, query: URLSearchParams): string[] {
  const values = PRESENTED.flatMap((name) => headers.get(name) ?? [])
  const parts = values.flatMap((value) => [value, ...value.split(/[\s=;,]+/)])
  return [...new Set([...parts, ...query.getAll('key')])].filter((part) => part.length >= SHORTEST)
}

const SECRET_HEADER = /auth|key|token|secret|cookie|password|credential|signature/i
const SECRET_PARAMETER = /([?&](?=[^?=&]*(?:key|token|secret|signature|password))[^?=&]*=)[^&]*/gi

/** The entries of headers. */
const entriesOf = (headers: Lookup & { keys?(): Iterable<string> }): [string, string][] =>
  [...(headers.keys?.() ?? [])].map((name) => [name, headers.get(name) ?? ''])

type ShownHeaders = [name: string, value: string][]

/** Headers as the page shows them, without the values of those that hold keys. */
export function shownHeaders(headers: Iterable<readonly [string, string]>): ShownHeaders {
  return [...headers].map(([name, value]) => [name, isSecret(name) ? '***' : value])
}

/** `x-ratelimit-remaining-tokens` holds a count and no secret. */
const isSecret = (name: string): boolean =>
  SECRET_HEADER.test(name) && !/ratelimit|rate-limit|max-tokens/i.test(name)

/** An address without the values of parameters that hold keys. */
export const shownUrl = (url: string): string => url.replace(SECRET_PARAMETER, '$1***')
