import type { FrameReader } from '../../src/stream/codec.ts'
import { frameReader } from '../../src/stream/event-reader.ts'
import { eventFrame } from '../../src/stream/event-text.ts'
import type { Frame, ModelFacts, Writer } from '../../adapters/contract.ts'
import { generateContent } from '../../adapters/generate-content/index.ts'
import { fold, unfold, verify, type Event, type Folded } from '../../src/model/events.ts'
import { parse, stringify, type Json } from '../../src/json/json.ts'
import { lossList, type Loss, type LossList } from '../../src/model/loss.ts'
import type { Block, Reply, Request, Turn } from '../../src/model/request.ts'
import { replyWriter } from '../../src/exchange/reply/reply-writer.ts'
import { sseParser } from '../../src/stream/sse.ts'

const FIXTURES = import.meta.glob('../../fixtures/generate-content/*/*', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** A fixture's text: `reply/text.json`. */
export const fixture = (name: string): string =>
  String(FIXTURES[`../../fixtures/generate-content/${name}`])

export function ids(): (prefix: string) => string {
  let next = 0
  return (prefix) => `${prefix}${(next += 1).toString(16).padStart(24, '0')}`
}

/** A request as a caller of this dialect sends it. */
export function read(body: unknown, operation: 'create' | 'count-tokens' = 'create'): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const route = { operation, model: 'the-model', stream: false }
  const context = { route, headers: { get: () => null }, newId: ids() }
  return generateContent.caller.readRequest(parse(text, generateContent.caller.verbatim), context)
}

/** What is wrong with a request. */
export function wrong(body: unknown): string {
  try {
    read(body)
    return 'nothing'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const user = (...blocks: Block[]): Turn => ({ role: 'user', blocks })
export const assistant = (...blocks: Block[]): Turn => ({ role: 'assistant', blocks })
export const text = (content: string): Block => ({ kind: 'text', text: content })
export const call = (id: string, name: string, input = '{}'): Block => ({
  kind: 'tool-call',
  id,
  name,
  form: 'json',
  input,
})
export const result = (callId: string, ...content: Block[]): Block => ({
  kind: 'tool-result',
  callId,
  name: '',
  form: 'json',
  content,
})

/** A request as another dialect's caller would have it. */
export const request = (fields: Partial<Request>): Request => ({
  model: 'the-model',
  stream: false,
  system: [],
  turns: [user(text('Hello'))],
  tools: [],
  limits: {},
  sampling: {},
  ...fields,
})

export interface Sent {
  body: Body
  text: string
  losses: string[]
}
/** Tests look into bodies whose shape they state. */
type Body = ReturnType<JSON['parse']>

const said = (losses: readonly Loss[]) => losses.map(({ code, path }) => `${code} ${path}`)

export function send(
  fields: Partial<Request>,
  facts: ModelFacts = {},
  model = 'gemini-2.5-flash',
): Sent {
  const { lose, losses } = lossList()
  const target = { model, defaultMaxOutputTokens: 8192, facts }
  const { body } = generateContent.upstream.writeRequest(request(fields), { target, lose })
  const written = stringify(body)
  return { body: JSON.parse(written), text: written, losses: said(losses) }
}

function reader(fields: Partial<Request>, { lose }: LossList): FrameReader {
  const context = { request: request(fields), lose, newId: ids() }
  return frameReader(generateContent.upstream.reader(context))
}

export interface Heard extends Folded {
  events: Event[]
  losses: string[]
}

function heard(events: Event[], list: LossList): Heard {
  const flaw = verify(events)
  if (flaw !== undefined) throw new Error(flaw)
  return { ...fold(events), events, losses: said(list.losses) }
}

/** A reply in one piece. */
export function hear(body: string, fields: Partial<Request> = {}): Heard {
  const list = lossList()
  return heard(reader(fields, list).body(parse(body, generateContent.upstream.verbatim)), list)
}

/** A reply in pieces: the text of a stream, or its chunks. */
export function hearStream(stream: string | unknown[], fields: Partial<Request> = {}): Heard {
  const list = lossList()
  const one = reader(fields, list)
  const parser = sseParser(1_000_000)
  const frames =
    typeof stream === 'string'
      ? [...parser.push(stream), ...parser.end()]
      : stream.map((chunk): Frame => ({ data: JSON.stringify(chunk) }))
  return heard([...frames.flatMap((frame) => one.read(frame)), ...one.end()], list)
}

export interface Said {
  chunks: Body[]
  body: Body
  frames: Frame[]
  losses: string[]
}

/** Events as a caller of this dialect gets them. */
export function tell(events: Event[], fields: Partial<Request> = {}): Said {
  const { lose, losses } = lossList()
  const context = { request: request(fields), now: 0, lose, newId: ids() }
  const writer: Writer = replyWriter(generateContent, context)
  const frames = events.flatMap((event) => writer.push(event).map(eventFrame))
  const chunks = frames.map((frame): Json => JSON.parse(frame.data))
  return { chunks, body: JSON.parse(stringify(writer.body())), frames, losses: said(losses) }
}

export const reply = (...blocks: Block[]): Reply => ({
  id: 'r-1',
  model: 'm',
  blocks,
  usage: { input: 10, output: 5 },
  finish: 'stop',
})

export const tellReply = (...blocks: Block[]): Said => tell(unfold(reply(...blocks)))
