import { watchEmptyReply, type EmptyReply } from './exchange/reply/empty-reply.ts'
import {
  addressOf,
  keepingOf,
  type Adapter,
  type ModelFacts,
  type WrittenRequest,
  type ReadReplyContext,
  type Reader,
} from '../adapters/contract.ts'
import type { Dialect } from '../adapters/dialect.ts'
import { saidAbove } from '../adapters/server-facts.ts'
import { refuseFileIds, refuseUnkept, reportForeign } from './rules/foreign.ts'
import { emptyRequest } from './rules/empty-request.ts'
import { editedText } from './json/edit.ts'
import { lazily } from './json/memoize.ts'
import { isObject, parse, stringify, type Json, type JsonObject } from './json/json.ts'
import type { Event } from './model/events.ts'
import { lossKey, lossList, type Lose, type Loss } from './model/loss.ts'
import type { Request } from './model/request.ts'
import { refuseToolless } from './rules/toolless.ts'
import { invalid, ProblemError } from './model/problem.ts'
import { MAX_OUTPUT_TOKENS, PROCESS_LIMITS } from './config/defaults.ts'
import { hint } from './config/lint/nearest.ts'
import type { ProfileConfig } from './config/type.ts'
import { randomId, type PlaceFinder } from './ports.ts'
import { idSource } from './model/ids.ts'
import { refuseUnsummable, summaryTurn } from './compaction/turn.ts'
import { summaryReader } from './exchange/compaction/summary-dialect.ts'
import { ownHeaders } from './exchange/reply/sample.ts'
import { frameReader } from './stream/event-reader.ts'
import { withCallerPath, withCallerSpelling } from './exchange/request/caller-path.ts'
import { placeFinder } from './extras/places/node-places.ts'
import { lossPlaceFinder } from './extras/places/loss-places.ts'
import { reportLosses, type ReportedLoss } from './exchange/answers/loss-report.ts'
import { replyEvents } from './stream/reply-events.ts'
import { replyWriter } from './exchange/reply/reply-writer.ts'
import { framer } from './stream/framings.ts'

// It is also what a program imports that names its dialects itself, as `dragoman/translator`.
export type { Adapter } from '../adapters/contract.ts'
export type { ReportedLoss } from './exchange/answers/loss-report.ts'
export type { Loss, LossCode } from './model/loss.ts'
export { ProblemError, type Problem } from './model/problem.ts'

/** What is said of a translation beside its two dialects. */
export interface TranslatorOptions {
  /** The upstream's model. It is also the caller's where the caller's dialect has it in the path. */
  model?: string
  /** What the server of the upstream does not take, or wants otherwise: a name of the table, or facts. */
  profile?: string | ProfileConfig
  /** For dialects that have `stream` in the path. */
  stream?: boolean
  /** Headers of the caller, where they carry meaning, such as `anthropic-beta`. */
  headers?: Readonly<Record<string, string>>
}

export interface NamedOptions extends TranslatorOptions {
  /** The dialect that the caller speaks. */
  from: Dialect
  /** The dialect that the upstream speaks. */
  to: Dialect
}

export interface TranslatedRequest<To = JsonObject> {
  path: string
  headers: Record<string, string>
  body: To
  /** The body as text, in which large numbers and the order of members are kept. */
  text: string
  losses: readonly ReportedLoss[]
}

export interface TranslatedReply {
  body: JsonObject
  text: string
  losses: readonly ReportedLoss[]
}

/** The type of a body: an SDK's type as it is; for the name of a dialect, or no type, any object. */
export type BodyOf<Named> = Named extends string ? object : Named
/** The type of a body that is made here. */
export type MadeOf<Named> = Named extends string ? JsonObject : Named

/**
 * Translates one conversation between two dialects, without I/O. Replies are read with the last request in mind.
 * `From` and `To` are the types of requests, such as those of SDKs. Throws ProblemError.
 */
export interface Translator<From = object, To = JsonObject> {
  request(body: BodyOf<From> | string): TranslatedRequest<MadeOf<To>>
  reply(body: object | string): TranslatedReply
  /** Translates the bytes of a streamed reply. It never fails: what goes wrong is an error event. */
  stream(): TransformStream<Uint8Array, Uint8Array>
}

/** The same for two adapters: a program that uses two dialects carries no other. */
export function translator<From = object, To = JsonObject>(
  from: Adapter,
  to: Adapter,
  options: TranslatorOptions = {},
): Translator<From, To> {
  const facts = factsOf(to, options)
  const made =
    from === to ? sameDialect(from, facts, options) : betweenDialects(from, to, facts, options)
  // The types are the program's claim, which nothing here can check.
  return made as Translator<From, To>
}

function factsOf(
  { upstream: { profiles = [] } }: Adapter,
  { profile }: TranslatorOptions,
): ModelFacts {
  if (profile === undefined) return {}
  const { extends: name, ...said } = typeof profile === 'string' ? { extends: profile } : profile
  const names = profiles.map((row) => row.name)
  const row = profiles.find((each) => each.name === name)
  if (name !== undefined && !row)
    throw invalid(
      `There is no profile '${name}' (there are ${names.join(', ')})${hint(name, names)}`,
    )
  return { server: saidAbove(row?.facts, said) }
}

const bodyText = (body: object | string): string =>
  typeof body === 'string' ? body : stringify(body as JsonObject)

function bodyObject(text: string, parsed: () => Json): JsonObject {
  let value: Json
  try {
    value = parsed()
  } catch {
    throw invalid('The body is not valid JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as JsonObject
  throw invalid(`The body is not a JSON object but ${text.slice(0, 1)}….`)
}

/** Translates nothing: the text passes, but for the model's name and members that are not meant for the service. */
function sameDialect(adapter: Adapter, facts: ModelFacts, options: TranslatorOptions): Translator {
  const { model } = options
  const { caller, same } = adapter
  const between = betweenDialects(adapter, adapter, facts, options)
  // A server that knows tools by other names says those in its reply.
  let isRenamed = false
  const newId = idSource(randomId)
  return {
    request(body) {
      const original = bodyText(body)
      isRenamed = facts.server !== undefined && same.isRenamed?.(original, facts.server) === true
      const translated = between.request(original)
      if (isRenamed) return translated
      const { path, headers } = translated
      const { lose, losses } = lossList()
      const before = bodyObject(original, () => parse(original, caller.verbatim))
      const foreign = same.mayHoldForeign(original)
      const edits = { facts, foreign, ...(model !== undefined && { model }) }
      const text = editedText(original, before, same.edit(before, edits, lose))
      if (losses.length > 0) refuseToolless(readRequest(adapter, before, options, newId), losses)
      const find = lossPlaceFinder(before, (changed) =>
        keysOf(() => {
          const again = lossList()
          if (isObject(changed)) same.edit(changed, edits, again.lose)
          return again.losses
        }),
      )
      const reported = reportLosses(losses, find)
      return { path, headers, body: bodyObject(text, () => parse(text)), text, losses: reported }
    },
    reply(body) {
      if (isRenamed) return between.reply(body)
      const text = bodyText(body)
      return { body: bodyObject(text, () => parse(text)), text, losses: [] }
    },
    stream: () => (isRenamed ? between.stream() : new TransformStream()),
  }
}

function betweenDialects(
  from: Adapter,
  to: Adapter,
  facts: ModelFacts,
  options: TranslatorOptions,
): Translator {
  const newId = idSource(randomId)
  let last = emptyRequest(options.model ?? '', options.stream)
  let lastProof: string | undefined
  const readerOf = (context: ReadReplyContext): Reader => {
    const reader = to.upstream.reader(context)
    return from !== to && context.request.compact?.now ? summaryReader(reader) : reader
  }
  const contexts = (lose: ReadReplyContext['lose'], request = last) => ({
    read: { request, server: facts.server, lastProof, lose, newId },
    write: { request, lose, newId, now: Math.floor(Date.now() / 1000) },
  })
  return {
    request(body) {
      const text = bodyText(body)
      const read = (json: Json) => readRequest(from, json, options, newId)
      const parsed = bodyObject(text, () => parse(text, from.caller.verbatim))
      last = read(parsed)
      const write = (request: Request) => writeRequest(from, to, request, facts, options)
      const places = lazily(() =>
        placeFinder(parsed, { read, write: (request) => write(request).body }),
      )
      const { losses, lastProof: proof, ...written } = withPlaces(() => write(last), from, places)
      lastProof = proof
      return { ...written, losses: reportLosses(losses, ({ path }) => places().find(path).field) }
    },
    reply(body) {
      const asked = last
      return placedReply(bodyText(body), (given) => {
        const { lose, losses } = lossList()
        const { read, write } = contexts(lose, asked)
        const events = bodyEvents(to, readerOf(read), given)
        const watched = watchEmptyReply(replyWriter(from, write), losses)
        return { body: writtenBody(events, watched), losses }
      })
    },
    stream() {
      const { lose, losses } = lossList()
      const { read, write } = contexts(lose)
      const watched = watchEmptyReply(replyWriter(from, write), losses)
      return translatingStream(to, readerOf(read), watched)
    },
  }
}

/** Throws ProblemError for a reply that says that it has failed. */
function writtenBody(events: readonly Event[], { writer, outcome }: EmptyReply): JsonObject {
  for (const come of events) {
    const event = outcome(come)
    if (event.type === 'error') throw new ProblemError(event.problem)
    writer.push(event)
  }
  return writer.body()
}

/** A refusal names its place as it stands in the body that was given. */
function withPlaces<Written>(
  write: () => Written,
  from: Adapter,
  places: () => PlaceFinder,
): Written {
  try {
    return write()
  } catch (error) {
    throw withCallerPath(error, from, places)
  }
}

function readRequest(
  from: Adapter,
  body: Json,
  options: TranslatorOptions,
  newId: (prefix: string) => string,
): Request {
  const { caller, same } = from
  const { model, stream = false } = options
  const isInPath = same.modelMember.request === undefined
  const route = {
    operation: 'create' as const,
    ...(isInPath && { model: model ?? 'model', stream }),
  }
  const headers = options.headers ? new Headers(options.headers) : ownHeaders(from)
  return withCallerSpelling(from, () => caller.readRequest(body, { route, headers, newId }))
}

function writeRequest(
  from: Adapter,
  to: Adapter,
  request: Request,
  facts: ModelFacts,
  { model = request.model }: TranslatorOptions,
): Omit<TranslatedRequest, 'losses'> &
  Pick<WrittenRequest, 'lastProof'> & { losses: readonly Loss[] } {
  if (from !== to) {
    refuseFileIds(request)
    refuseUnkept(request, keepingOf(from, to))
  }
  const { lose, losses } = lossList()
  const settled = from === to ? request : withSummary(request, to, lose)
  reportForeign(request, to.dialect, lose)
  const target = { model, defaultMaxOutputTokens: MAX_OUTPUT_TOKENS, facts }
  const written = to.upstream.writeRequest(settled, { target, lose })
  refuseToolless(request, losses)
  const { query: _, ...said } = written
  return { ...said, path: addressOf(written), ...plain(written.body), losses }
}

/** A summary is asked for in a turn of its own: services know the form of their own callers alone. */
function withSummary(request: Request, { upstream }: Adapter, lose: Lose): Request {
  if (!request.compact?.now) return request
  refuseUnsummable(request)
  lose('approximated', 'compaction')
  const keepsChoice = upstream.cachesChoice === true
  return summaryTurn(request, { maxOutputTokens: MAX_OUTPUT_TOKENS, keepsChoice })
}

function placedReply(
  given: string,
  write: (given: string) => { body: JsonObject; losses: readonly Loss[] },
): TranslatedReply {
  const { body, losses } = write(given)
  const find = lazily(() =>
    lossPlaceFinder(parse(given), (changed) => keysOf(() => write(stringify(changed)).losses)),
  )
  return { ...plain(body), losses: reportLosses(losses, (loss) => find()(loss)) }
}

/** A program reads the arguments of a call and the schema of a tool, which are text between dialects. */
function plain(written: JsonObject): { body: JsonObject; text: string } {
  const text = stringify(written)
  return { body: parse(text) as JsonObject, text }
}

/**
 * Reads streamed replies to one request, in pieces, and says behind which of them each loss was known, as `lossKey`
 * spells it.
 */
export function streamLosses(
  from: Adapter,
  to: Adapter,
  options: TranslatorOptions,
  asked: string,
): (pieces: readonly string[]) => ReadonlyMap<string, number> {
  const { server } = factsOf(to, options)
  const newId = idSource(randomId)
  const request = readRequest(from, parse(asked, from.caller.verbatim), options, newId)
  const encoder = new TextEncoder()
  return (pieces) => {
    const { lose, losses } = lossList()
    const context = { request, lose, newId }
    const reader = to.upstream.reader({ ...context, server })
    const { writer, outcome } = watchEmptyReply(replyWriter(from, { ...context, now: 0 }), losses)
    const events = replyEvents(replySource(to, reader, 'text/event-stream'))
    const known = new Map<string, number>()
    const last = pieces.findLastIndex((piece) => piece !== '')
    for (const [index, piece] of pieces.entries()) {
      for (const event of events.push(encoder.encode(piece))) writer.push(outcome(event))
      // A stream without a word for its end ends with its last piece.
      if (index === last) for (const event of events.end()) writer.push(outcome(event))
      for (const loss of losses.slice(known.size)) known.set(lossKey(loss), index)
    }
    return known
  }
}

/** Undefined for a reply that cannot be told. */
function keysOf(lossesOf: () => readonly Loss[]): ReadonlySet<string> | undefined {
  try {
    return new Set(lossesOf().map(lossKey))
  } catch {
    return undefined
  }
}

const bodyEvents = (to: Adapter, reader: Reader, text: string) => {
  const events = replyEvents(replySource(to, reader, 'application/json'))
  return [...events.push(new TextEncoder().encode(text)), ...events.end()]
}

const replySource = (to: Adapter, reader: Reader, contentType: string) => ({
  reader: frameReader(reader),
  verbatim: to.upstream.verbatim,
  limits: PROCESS_LIMITS,
  contentType,
})

function translatingStream(
  to: Adapter,
  reader: Reader,
  { writer, outcome }: EmptyReply,
): TransformStream<Uint8Array, Uint8Array> {
  const events = replyEvents(replySource(to, reader, 'text/event-stream'))
  const frames = framer('sse')
  const encoder = new TextEncoder()
  const write = (
    step: ReturnType<typeof events.push>,
    controller: TransformStreamDefaultController<Uint8Array>,
  ) => {
    const text = step.map((event) => frames.write(writer.push(outcome(event)))).join('')
    if (text !== '') controller.enqueue(encoder.encode(text))
  }
  return new TransformStream({
    transform: (chunk, controller) => write(events.push(chunk), controller),
    flush: (controller) => write(events.end(), controller),
  })
}
