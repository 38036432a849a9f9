import { frameReader } from '../../src/stream/event-reader.ts'
import type { Adapter, CacheOptions, Frame, Route } from '../../adapters/contract.ts'
import { fold, verify, type Event, type Folded } from '../../src/model/events.ts'
import { reportForeign } from '../../src/rules/foreign.ts'
import { parse, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossList, type Loss, type LossList } from '../../src/model/loss.ts'
import type { Request } from '../../src/model/request.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { sseEvents } from '../../src/stream/sse.ts'
import { replyWriter } from '../../src/exchange/reply/reply-writer.ts'
import { framesIn } from '../line-reader.ts'
import { clientOf } from './clients.ts'
import { spelled } from './spelling.ts'

/** Ids as the proxy makes them: a prefix and 24 hexadecimal digits, the same for the same exchange. */
export function ids(): (prefix: string) => string {
  let next = 0
  return (prefix) => `${prefix}${(next += 1).toString(16).padStart(24, '0')}`
}

export interface Spoken {
  model?: string
  stream?: boolean
}

export function routeOf(adapter: Adapter, spoken: Spoken = {}): Route {
  const { model = 'model-1', stream = false } = spoken
  const route = adapter.caller.match(clientOf(adapter.dialect).incoming(model, stream))
  if (!route) throw new ProblemError({ kind: 'not-found', message: `no route for ${model}` })
  return route
}

/** A caller's request, from the text that came over the wire. */
export function readRequest(adapter: Adapter, text: string, spoken?: Spoken): Request {
  return adapter.caller.readRequest(parse(text, adapter.caller.verbatim), {
    route: routeOf(adapter, spoken),
    headers: clientOf(adapter.dialect).headers,
    newId: ids(),
  })
}

export interface Written {
  /** Everything that would leave: path, query, headers that carry meaning, body. */
  text: string
  body: JsonObject
  losses: readonly Loss[]
}

export function writeRequest(
  adapter: Adapter,
  request: Request,
  cache?: CacheOptions,
  model = 'model-1',
): Written {
  const { lose, losses } = lossList()
  reportForeign(request, adapter.dialect, lose)
  const target = { model, defaultMaxOutputTokens: 8192, facts: {} }
  const sent = adapter.upstream.writeRequest(request, { target, lose, cache })
  const { body, lastProof: _, ...head } = sent
  return { text: `${JSON.stringify(head)}\n${stringify(body)}`, body, losses }
}

/** The request as a caller of this dialect would send it, in any white space, and as it is then understood. */
export function spokenBy(
  caller: Adapter,
  request: Request,
  spelling: number = spellingOf(request),
): Request {
  const { body } = writeRequest(caller, request)
  return readRequest(caller, spelled(stringify(body), spelling), { stream: request.stream })
}

const heard = new WeakMap<Request, Map<Adapter, Request>>()

/** The same, made once for all laws that are tried with a request: nothing changes one (`requests.test.ts`). */
export function spokenOnce(caller: Adapter, request: Request): Request {
  const known = heard.get(request) ?? new Map<Adapter, Request>()
  heard.set(request, known)
  const spoken = known.get(caller) ?? spokenBy(caller, request)
  known.set(caller, spoken)
  return spoken
}

/** Of many requests some are spelled in each way. */
export const spellingOf = ({ tools, stream }: Request): number => tools.length + Number(stream)

/** One reply, as a caller's writer put it on the wire, and as a reader of lines gets it from there. */
export interface WrittenReply {
  frames: Frame[]
  /** The text of the whole reply; undefined when it ended in an error. */
  body: string | undefined
  losses: readonly Loss[]
}

export function writeReply(
  adapter: Adapter,
  request: Request,
  events: readonly Event[],
): WrittenReply {
  const list = lossList()
  const writer = replyWriter(adapter, {
    request,
    now: 1_700_000_000,
    lose: list.lose,
    newId: ids(),
  })
  // Of deltas the text is made from what they have in common.
  const inRows = sseEvents()
  const text = events.map((each) => writer.push(each).map(inRows).join('')).join('')
  // The word that ends a stream of chat completions is no event.
  const frames = framesIn(text).filter(({ data }) => data !== '[DONE]')
  const failed = events.some((event) => event.type === 'error')
  return { frames, body: failed ? undefined : stringify(writer.body()), losses: list.losses }
}

/** One reply, as an upstream's reader understood it. */
export interface ReadReply extends Folded {
  events: Event[]
  losses: readonly Loss[]
}

export function readFrames(
  adapter: Adapter,
  request: Request,
  frames: readonly Frame[],
  list: LossList = lossList(),
): ReadReply {
  const reader = frameReader(adapter.upstream.reader({ request, lose: list.lose, newId: ids() }))
  const events = frames.flatMap((frame) => reader.read(frame))
  events.push(...reader.end())
  return read(events, list)
}

export function readBody(adapter: Adapter, request: Request, body: Json): ReadReply {
  const list = lossList()
  const reader = adapter.upstream.reader({ request, lose: list.lose, newId: ids() })
  return read(reader.body(body), list)
}

export const readBodyText = (adapter: Adapter, request: Request, text: string): ReadReply =>
  readBody(adapter, request, parse(text, adapter.upstream.verbatim))

function read(events: Event[], list: LossList): ReadReply {
  const wrong = verify(events)
  if (wrong !== undefined) throw new Error(`not in normal form: ${wrong}`)
  return { ...fold(events), events, losses: list.losses }
}
