import { kits } from '../dialects/index.ts'
import { growingIn, historyIn, SESSION_MARK } from './history.ts'
import { type Asking, CALLER_KEY, type Dialect, type Prompt } from './shared.ts'
import type { Body } from './words.ts'

/** What callers send: bodies in the words of their dialect, and the bytes of a whole request. */

const QUESTION = 'What does a proxy do with what it does not understand, and why? '.repeat(8)
const RULES = 'Answer in short sentences. Say so when you do not know. '.repeat(5)

const MEGABYTE = 1024 * 1024
const IMAGE_START = 'iVBORw0KGgoAAAANSUhEUgAA'
const NOISE = 'q83vEjRWeJq83u8BI0VniavN7wFRtfLm+7yPzD/2kQ9ZxUoTnHsYpGgA'

/** As base64 as an image: no pattern that is worth anything to whoever looks at it. */
const image = (): string =>
  IMAGE_START + NOISE.repeat((10 * MEGABYTE) / NOISE.length).slice(IMAGE_START.length)

const WHAT = 'What is in the image?'

function makeBodies(prompt: Prompt, dialect: Dialect): Body[] {
  const words = kits[dialect].bench
  switch (prompt) {
    case 'small':
      return [words.small({ rules: RULES, question: QUESTION })]
    case 'agent':
    case 'agent-wide':
      return [historyIn(dialect, prompt === 'agent-wide')]
    case 'growing':
      return growingIn(dialect)
    case 'image':
      return [words.image({ data: image(), question: WHAT })]
    default:
      return prompt satisfies never
  }
}

/** The bodies that a caller sends one after another; all prompts but one have a single one. */
export const bodyTexts = ({ caller, prompt, model, stream }: Omit<Asking, 'port'>): string[] =>
  makeBodies(prompt, caller).map((body) =>
    JSON.stringify(kits[caller].http.body(model, stream, body)),
  )

/** A request as it goes over the wire, with the headers that clients usually send. */
function requestBytes(asking: Asking, body: string): Buffer {
  const { base = '', key = CALLER_KEY, caller, port } = asking
  const { http } = kits[caller]
  const head = [
    `POST ${base}${http.path(asking.model, asking.stream)} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'accept: application/json',
    'user-agent: benchmark/1.0 (loopback)',
    'x-stainless-lang: js',
    'x-stainless-runtime: node',
    'x-stainless-retry-count: 0',
    ...Object.entries(http.credentials(key)).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: keep-alive',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The bytes of a request, and where in them the number of its session stands. */
export interface Template {
  bytes: Buffer
  places: readonly number[]
}

export const templatesFor = (asking: Asking): Template[] =>
  bodyTexts(asking).map((body) => {
    const bytes = requestBytes(asking, body)
    return { bytes, places: placesIn(bytes) }
  })

function placesIn(bytes: Buffer): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(SESSION_MARK); at >= 0; at = bytes.indexOf(SESSION_MARK, at + 1))
    places.push(at)
  return places
}

/** A request of no session in particular. */
export const requestFor = (asking: Asking): Buffer => {
  const [template] = templatesFor(asking)
  if (!template) throw new Error(`nothing is asked by ${asking.prompt}`)
  return template.bytes
}
