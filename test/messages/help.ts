import { frameReader } from '../../src/stream/event-reader.ts'
import { eventFrame } from '../../src/stream/event-text.ts'
import type { Frame } from '../../adapters/contract.ts'
import type { ModelFacts, WrittenRequest, Route } from '../../adapters/contract.ts'
import { messages } from '../../adapters/messages/index.ts'
import { fold, verify, type Event, type Folded } from '../../src/model/events.ts'
import { isObject, parse, stringify, type JsonObject } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import type { Block, Request, Turn } from '../../src/model/request.ts'
import { ProblemError, type Problem } from '../../src/model/problem.ts'
import { replyWriter } from '../../src/exchange/reply/reply-writer.ts'
import { sseParser } from '../../src/stream/sse.ts'

const FIXTURES = import.meta.glob('../../fixtures/messages/*/*', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** The text of a fixture: `reply/full.sse`. */
export function fixture(name: string): string {
  const text = FIXTURES[`../../fixtures/messages/${name}`]
  if (text === undefined) throw new Error(`no fixture ${name}`)
  return text
}

export const fixtureNames = (folder: string): string[] =>
  Object.keys(FIXTURES)
    .filter((path) => path.includes(`/${folder}/`))
    .map((path) => path.split(`/${folder}/`)[1] ?? '')

export function ids(): (prefix: string) => string {
  let next = 0
  return (prefix) => `${prefix}${(next += 1).toString(16).padStart(24, '0')}`
}

export const VERSION = { 'anthropic-version': '2023-06-01' }

export const lookup = (headers: Record<string, string>) => ({
  get: (name: string) => headers[name] ?? null,
})

export function read(
  body: unknown,
  headers: Record<string, string> = VERSION,
  operation: Route['operation'] = 'create',
): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const json = parse(text, messages.caller.verbatim)
  const context = { route: { operation }, headers: lookup(headers), newId: ids() }
  return messages.caller.readRequest(json, context)
}

/** The problem that reading a request ends in. */
export function refusal(
  body: unknown,
  headers?: Record<string, string>,
  operation?: Route['operation'],
): Problem | undefined {
  try {
    read(body, headers, operation)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

export const asking = (members: Record<string, unknown> = {}): JsonObject => ({
  model: 'mouse-1',
  max_tokens: 4096,
  messages: [{ role: 'user', content: 'Hello' }],
  ...JSON.parse(JSON.stringify(members)),
})

export interface Written extends WrittenRequest {
  /** `code path` of each loss. */
  losses: string[]
  /** The body as JSON text. */
  text: string
  wire: Record<string, unknown>
}

export function write(request: Request, facts: ModelFacts = {}): Written {
  const { lose, losses } = lossList()
  const target = { model: 'claude-sonnet-4-5', defaultMaxOutputTokens: 8192, facts }
  const outgoing = messages.upstream.writeRequest(request, { target, lose })
  const text = stringify(outgoing.body)
  return {
    ...outgoing,
    text,
    wire: JSON.parse(text),
    losses: losses.map(({ code, path }) => `${code} ${path}`),
  }
}

export const request = (members: Partial<Request> = {}): Request => ({
  model: 'mouse-1',
  stream: false,
  system: [],
  turns: [user('Hello')],
  tools: [],
  limits: { maxOutputTokens: 4096 },
  sampling: {},
  ...members,
})

export const text = (words: string): Block => ({ kind: 'text', text: words })
export const user = (...content: (string | Block)[]): Turn => turn('user', content)
export const assistant = (...content: (string | Block)[]): Turn => turn('assistant', content)
export const turn = (role: Turn['role'], content: (string | Block)[]): Turn => ({
  role,
  blocks: content.map((item) => (typeof item === 'string' ? text(item) : item)),
})

export const call = (id: string, input = '{}', name = 'look'): Block => ({
  kind: 'tool-call',
  id,
  name,
  form: 'json',
  input,
})
export const result = (callId: string, words: string): Block => ({
  kind: 'tool-result',
  callId,
  name: 'look',
  form: 'json',
  content: [text(words)],
})

/** What the reader understands; checked to be in normal form. */
export function heard(events: Event[]): Folded {
  const wrong = verify(events)
  if (wrong !== undefined) throw new Error(wrong)
  return fold(events)
}

const reader = (of: Request) =>
  frameReader(messages.upstream.reader({ request: of, lose: lossList().lose, newId: ids() }))

export const hearBody = (body: string, of: Request = request()): Folded =>
  heard(reader(of).body(parse(body, messages.upstream.verbatim)))

export function hearStream(sse: string, of: Request = request()): Folded {
  const parser = sseParser(1_000_000)
  return hearFrames([...parser.push(sse), ...parser.end()], of)
}

export function hearFrames(frames: readonly Frame[], of: Request = request()): Folded {
  const listening = reader(of)
  const events = frames.flatMap((frame) => listening.read(frame))
  return heard([...events, ...listening.end()])
}

/** Frames from the data of events, as an upstream would send them. */
export const frames = (...events: Record<string, unknown>[]): Frame[] =>
  events.map((event) => ({ event: String(event['type']), data: JSON.stringify(event) }))

export interface Said {
  frames: Frame[]
  events: Record<string, unknown>[]
  body: JsonObject
  losses: string[]
}

export function say(events: readonly Event[], of: Request = request()): Said {
  const { lose, losses } = lossList()
  const writer = replyWriter(messages, { request: of, now: 0, lose, newId: ids() })
  const said = events.flatMap((event) => writer.push(event).map(eventFrame))
  const body: unknown = JSON.parse(stringify(writer.body()))
  return {
    frames: said,
    events: said.map(({ data }) => JSON.parse(data)),
    body: isObject(body) ? body : {},
    losses: losses.map(({ code, path }) => `${code} ${path}`),
  }
}

const START: Event = { type: 'start', id: 'r1', model: 'm' }

/** A reply of these blocks' events that ends as it should. */
export const reply = (...events: Event[]): Event[] => [
  START,
  ...events,
  { type: 'finish', reason: 'stop' },
]
