import { frameReader } from '../../src/stream/event-reader.ts'
import { eventFrame } from '../../src/stream/event-text.ts'
import type { Frame } from '../../adapters/contract.ts'
import { responses } from '../../adapters/responses/index.ts'
import { fold, verify, type Event, type Folded } from '../../src/model/events.ts'
import { isObject, parse, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossList, type Loss } from '../../src/model/loss.ts'
import type { Block, Request, Turn } from '../../src/model/request.ts'
import { replyWriter } from '../../src/exchange/reply/reply-writer.ts'
import { sseParser } from '../../src/stream/sse.ts'

export function ids(): (prefix: string) => string {
  let next = 0
  return (prefix) => `${prefix}${(next += 1).toString(16).padStart(24, '0')}`
}

export function read(
  body: object | string,
  operation: 'create' | 'count-tokens' = 'create',
): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const context = { route: { operation }, headers: { get: () => null }, newId: ids() }
  return responses.caller.readRequest(parse(text, responses.caller.verbatim), context)
}

export interface Written {
  body: JsonObject
  text: string
  losses: string[]
}

const said = (losses: readonly Loss[]): string[] =>
  losses.map(({ code, path }) => `${code} ${path}`)

export function write(request: Request, facts = {}, model = 'upstream-model'): Written {
  const { lose, losses } = lossList()
  const target = { model, defaultMaxOutputTokens: 8192, facts }
  const text = stringify(responses.upstream.writeRequest(request, { target, lose }).body)
  return { body: JSON.parse(text), text, losses: said(losses) }
}

/** A request as another dialect would have read it. */
export const foreign = (turns: Turn[], others: Partial<Request> = {}): Request => ({
  model: 'm',
  stream: false,
  system: [],
  turns,
  tools: [],
  limits: {},
  sampling: {},
  ...others,
})

export const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks })
export const assistant = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks })
export const text = (content: string): Block => ({ kind: 'text', text: content })

/** The objects in what should be a list of them. */
export const list = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The member at a path. */
export const at = (value: Json | undefined, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)

const plain = read({ model: 'm', input: 'x' })

export interface Heard extends Folded {
  events: Event[]
}

function heard(events: Event[]): Heard {
  const wrong = verify(events)
  if (wrong !== undefined) throw new Error(wrong)
  return { ...fold(events), events }
}

const readerFor = (request: Request) =>
  frameReader(responses.upstream.reader({ request, lose: () => undefined, newId: ids() }))

export const hearBody = (body: Json, request = plain): Heard => heard(readerFor(request).body(body))

export function hearFrames(frames: readonly Frame[], request = plain): Heard {
  const reader = readerFor(request)
  return heard([...frames.flatMap((frame) => reader.read(frame)), ...reader.end()])
}

export function framesOf(stream: string): Frame[] {
  const parser = sseParser(1_000_000)
  return [...parser.push(stream), ...parser.end()]
}

export const hear = (stream: string, request = plain): Heard =>
  hearFrames(framesOf(stream), request)

/** Events as data only, with the framing of this dialect around them. */
export const hearEvents = (...events: ({ type: string } & Record<string, unknown>)[]): Heard =>
  hearFrames(events.map((event) => ({ event: event.type, data: JSON.stringify(event) })))

export interface Spoken {
  frames: Frame[]
  events: JsonObject[]
  types: string[]
  body: JsonObject
  losses: string[]
}

export function speak(events: readonly Event[], request = plain): Spoken {
  const { lose, losses } = lossList()
  const writer = replyWriter(responses, { request, now: 1_700_000_000, lose, newId: ids() })
  const frames = events.flatMap((event) => writer.push(event).map(eventFrame))
  const datas: JsonObject[] = frames.map((frame) => JSON.parse(frame.data))
  const body = JSON.parse(stringify(writer.body()))
  return {
    frames,
    events: datas,
    types: datas.map((data) => String(data['type'])),
    body,
    losses: said(losses),
  }
}
