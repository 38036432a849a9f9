import { kits } from '../dialects/index.ts'
import { historyIn } from './history.ts'
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

function bodyOf(prompt: Prompt, dialect: Dialect): Body {
  const words = kits[dialect].bench
  switch (prompt) {
    case 'small':
      return words.small({ rules: RULES, question: QUESTION })
    case 'agent':
    case 'agent-wide':
      return historyIn(dialect, prompt === 'agent-wide')
    case 'image':
      return words.image({ data: image(), question: WHAT })
    default:
      return prompt satisfies never
  }
}

export const bodyText = ({ caller, prompt, model, stream }: Omit<Asking, 'port'>): string =>
  JSON.stringify(kits[caller].http.body(model, stream, bodyOf(prompt, caller)))

/** A request as it goes over the wire, with the headers that clients usually send. */
export function requestBytes(asking: Asking): Buffer {
  const kit = kits[asking.caller]
  const body = bodyText(asking)
  const head = [
    `POST ${kit.http.path(asking.model, asking.stream)} HTTP/1.1`,
    `host: 127.0.0.1:${asking.port}`,
    'accept: application/json',
    'user-agent: benchmark/1.0 (loopback)',
    'x-stainless-lang: js',
    'x-stainless-runtime: node',
    'x-stainless-retry-count: 0',
    ...Object.entries(kit.http.credentials(CALLER_KEY)).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: keep-alive',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
