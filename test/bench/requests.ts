import { historyIn } from './history.ts'
import { type Asking, CALLER_KEY, type Dialect, type Prompt } from './shared.ts'

/** What callers send: bodies in the words of their dialect, and the bytes of a whole request. */

const QUESTION = 'What does a proxy do with what it does not understand, and why? '.repeat(8)
const RULES = 'Answer in short sentences. Say so when you do not know. '.repeat(5)

type Body = { [member: string]: unknown }

const SMALL: Readonly<Record<Dialect, Body>> = {
  messages: {
    max_tokens: 1024,
    temperature: 0.5,
    system: RULES,
    messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }],
  },
  'generate-content': {
    systemInstruction: { parts: [{ text: RULES }] },
    contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
    generationConfig: { maxOutputTokens: 1024, temperature: 0.5 },
  },
  responses: {
    max_output_tokens: 1024,
    temperature: 0.5,
    instructions: RULES,
    input: [{ role: 'user', content: [{ type: 'input_text', text: QUESTION }] }],
  },
}

const MEGABYTE = 1024 * 1024
const IMAGE_START = 'iVBORw0KGgoAAAANSUhEUgAA'
const NOISE = 'q83vEjRWeJq83u8BI0VniavN7wFRtfLm+7yPzD/2kQ9ZxUoTnHsYpGgA'

/** As base64 as an image: no pattern that is worth anything to whoever looks at it. */
const image = (): string =>
  IMAGE_START + NOISE.repeat((10 * MEGABYTE) / NOISE.length).slice(IMAGE_START.length)

const WHAT = 'What is in the image?'

const withImage = (data: string): Readonly<Record<Dialect, Body>> => ({
  messages: {
    max_tokens: 1024,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          { type: 'text', text: WHAT },
        ],
      },
    ],
  },
  'generate-content': {
    contents: [
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }, { text: WHAT }] },
    ],
    generationConfig: { maxOutputTokens: 1024 },
  },
  responses: {
    max_output_tokens: 1024,
    store: false,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' },
          { type: 'input_text', text: WHAT },
        ],
      },
    ],
  },
})

function bodyOf(prompt: Prompt, dialect: Dialect): Body {
  switch (prompt) {
    case 'small':
      return SMALL[dialect]
    case 'agent':
    case 'agent-wide':
      return historyIn(dialect, prompt === 'agent-wide')
    case 'image':
      return withImage(image())[dialect]
    default:
      return prompt satisfies never
  }
}

/** The model and whether to stream: in the body, or in the path. */
export function bodyText({ caller, prompt, model, stream }: Omit<Asking, 'port'>): string {
  const body = bodyOf(prompt, caller)
  if (caller === 'generate-content') return JSON.stringify(body)
  return JSON.stringify({ model, ...body, ...(stream && { stream }) })
}

function pathOf({ caller, model, stream }: Omit<Asking, 'port'>): string {
  if (caller === 'messages') return '/v1/messages'
  if (caller === 'responses') return '/v1/responses'
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return `/v1beta/models/${model}:${method}`
}

const CREDENTIALS: Readonly<Record<Dialect, readonly string[]>> = {
  messages: [`x-api-key: ${CALLER_KEY}`, 'anthropic-version: 2023-06-01'],
  'generate-content': [`x-goog-api-key: ${CALLER_KEY}`],
  responses: [`authorization: Bearer ${CALLER_KEY}`],
}

/** A request as it goes over the wire, with the headers that clients usually send. */
export function requestBytes(asking: Asking): Buffer {
  const body = bodyText(asking)
  const head = [
    `POST ${pathOf(asking)} HTTP/1.1`,
    `host: 127.0.0.1:${asking.port}`,
    'accept: application/json',
    'user-agent: benchmark/1.0 (loopback)',
    'x-stainless-lang: js',
    'x-stainless-runtime: node',
    'x-stainless-retry-count: 0',
    ...CREDENTIALS[asking.caller],
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: keep-alive',
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
