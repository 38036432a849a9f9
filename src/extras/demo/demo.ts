import { encoded, utf8Text, wholeBytes } from '../../json/bytes.ts'
import type { Adapter } from '../../../adapters/contract.ts'
import { estimateTokens } from '../../rules/estimate.ts'
import type { Event } from '../../model/events.ts'
import { parse, stringify } from '../../json/json.ts'
import { invalid, ProblemError, type Problem } from '../../model/problem.ts'
import { fingerprint } from '../../model/proof.ts'
import { demoReply } from './reply.ts'
import { DEMO_ORIGIN } from '../../config/defaults.ts'
import type { Settings } from '../../config/settings.ts'
import { toProblem } from '../../problems/failures.ts'
import type { Send, UpstreamRequest, UpstreamResponse } from '../../ports.ts'
import { framer } from '../../stream/framings.ts'

/** `send` with the demo's upstreams, where the configuration has one of them. */
export function withDemo(
  { upstreams }: Pick<Settings, 'upstreams'>,
  adapters: readonly Adapter[],
  send: Send,
): Send {
  const isDemo = [...upstreams.values()].some(({ base }) => base.startsWith(`${DEMO_ORIGIN}/`))
  return isDemo ? demoSend(adapters, send) : send
}

/**
 * Upstreams without a network, one per dialect. Requests to the demo's origin are answered here, by the caller's side
 * of the dialect's own adapter; all others are sent on.
 */
export function demoSend(adapters: readonly Adapter[], otherwise: Send): Send {
  return (request) =>
    request.url.startsWith(`${DEMO_ORIGIN}/`) ? answer(adapters, request) : otherwise(request)
}

async function answer(
  adapters: readonly Adapter[],
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  const { pathname, searchParams } = new URL(request.url)
  const [, dialect = '', ...rest] = pathname.split('/')
  const adapter = adapters.find((candidate) => candidate.dialect === dialect)
  if (!adapter) return json(404, '{}')
  const incoming = { method: request.method, path: `/${rest.join('/')}`, query: searchParams }
  try {
    return await respond(adapter, incoming, request)
  } catch (error) {
    return failure(adapter, toProblem(error))
  }
}

async function respond(
  adapter: Adapter,
  incoming: Parameters<Adapter['caller']['match']>[0],
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  const { caller } = adapter
  const route = caller.match(incoming)
  if (!route)
    throw new ProblemError({ kind: 'not-found', message: 'The demo has no such endpoint.' })
  const text = await bodyText(request.body)
  const newId = counter(fingerprint(text))
  const headers = new Headers(request.headers)
  const read = caller.readRequest(parseRequest(text, adapter), { route, headers, newId })
  if (route.operation === 'count-tokens')
    return json(200, stringify(caller.writeTokenCount(estimateTokens(read))))
  const writer = caller.writer({ request: read, now: NOW, lose: () => undefined, newId })
  const events = demoReply(read, adapter.dialect, newId('demo_'))
  if (read.stream) {
    const frames = framer(route.framing)
    return told(200, frames.contentType, written(events, writer, frames))
  }
  for (const event of events) writer.push(event)
  return json(200, stringify(writer.body()))
}

/** A fixed time, so that examples in manuals stay true. */
const NOW = 1_700_000_000

/** Ids of one reply. They depend on the request alone, and clients tell replies apart by them. */
function counter(request: string): (prefix: string) => string {
  let count = 0
  return (prefix) => {
    count += 1
    return prefix + request + count.toString(16).padStart(10, '0')
  }
}

function parseRequest(text: string, adapter: Adapter) {
  try {
    return parse(text, adapter.caller.verbatim)
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

const json = (status: number, text: string): UpstreamResponse =>
  told(status, 'application/json', [text].values())

/** No stream of the web and no timer, because the demo also answers while an isolate starts, which has neither. */
const told = (status: number, type: string, pieces: Iterator<string>): UpstreamResponse => ({
  status,
  headers: new Headers({ 'content-type': type }),
  body: {
    async read() {
      const { done, value } = pieces.next()
      return done ? undefined : encoded(value)
    },
    cancel() {},
  },
})

function failure(adapter: Adapter, problem: Problem): UpstreamResponse {
  const { status, body } = adapter.caller.writeProblem(problem, 'demo')
  return json(status, stringify(body))
}

/** One event per chunk, as a network would bring them. */
function* written(
  events: readonly Event[],
  writer: ReturnType<Adapter['caller']['writer']>,
  frames: ReturnType<typeof framer>,
): Generator<string> {
  for (const event of events) {
    const text = frames.write(writer.push(event))
    if (text !== '') yield text
  }
  yield frames.end()
}

async function bodyText(body: UpstreamRequest['body']): Promise<string> {
  if (body instanceof ReadableStream) return new Response(body).text()
  return body === undefined ? '' : utf8Text(wholeBytes(body))
}
