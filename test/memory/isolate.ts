import { registerHooks } from 'node:module'
import { RECALL_BYTES } from '../../src/config/defaults.ts'

// What workerd has of its own: nothing is configured while it starts.
registerHooks({
  resolve: (name, context, next) =>
    name === 'cloudflare:workers'
      ? { url: 'data:text/javascript,export const env = {}', shortCircuit: true }
      : next(name, context),
})
const { default: worker } = await import('../../src/worker.ts')

/**
 * All that the limits of an isolate admit, asked of the Worker's own modules in a process whose heap is held to what an
 * isolate has: `isolate.node.test.ts` starts it. It prints how often each
 * status was answered.
 */

const MIB = 1024 * 1024
const KEY = 'a-key-of-the-isolate'
const encoder = new TextEncoder()

const upstream = (dialect: string) => ({
  dialect,
  url: `https://${dialect}.test`,
  key: 'upstream-key-1',
})
const environment = {
  DRAGOMAN_CONFIG: {
    upstreams: { messages: upstream('messages'), responses: upstream('responses') },
    routes: [
      { model: 'messages', upstream: 'messages' },
      { model: 'responses', upstream: 'responses' },
    ],
    callers: { keys: [KEY] },
    state: { store: 'off', recallBytes: RECALL_BYTES.isolate },
  },
}

const message = (text: string) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'm',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})

const plain = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** How long the text of the next replies is. */
let replyBytes = 100

console.warn = () => {}
globalThis.fetch = async (url) => {
  const text = 'ä'.repeat(replyBytes / 2)
  return Response.json(String(url).includes('responses') ? message(text) : plain(text))
}
// Of workerd alone.
Object.assign(crypto.subtle, {
  timingSafeEqual: (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0,
})

const statuses: Record<string, number> = {}

async function ask(model: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
    'x-api-key': KEY,
  }
  const request = new Request('https://proxy.test/v1/messages', { method: 'POST', headers, body })
  const response = await worker.fetch(request, environment)
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read?.value; read = await reader?.read());
  const status = `${model} ${response.status}`
  statuses[status] = (statuses[status] ?? 0) + 1
}

const bodyOf = (model: string, texts: readonly string[]): Uint8Array<ArrayBuffer> =>
  encoder.encode(
    JSON.stringify({
      model,
      max_tokens: 9,
      messages: texts.map((content, index) => ({
        role: index % 2 ? 'assistant' : 'user',
        content,
      })),
    }),
  )

const turns = (count: number, length: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name} ${index} ${'ä'.repeat(length / 2)}`)

const both = async (work: (model: string) => Promise<unknown>) => {
  for (const model of ['messages', 'responses']) await work(model)
}

/** Many sessions, each of which is remembered. */
async function sessions(model: string): Promise<void> {
  for (let session = 0; session < 60; session += 1)
    for (const count of [21, 23, 25])
      await ask(model, bodyOf(model, turns(count, 4000, `${session}`)))
}

const atOnce = (model: string, count: number, body: Uint8Array<ArrayBuffer>) =>
  Promise.all(Array.from({ length: count }, () => ask(model, body)))

await both(sessions)
await both((model) => atOnce(model, 12, bodyOf(model, turns(41, 100_000, 'long'))))
await both((model) => atOnce(model, 4, bodyOf(model, ['x'.repeat(15 * MIB)])))
await both((model) => atOnce(model, 4, bodyOf(model, turns(37_001, 20, 'many'))))
replyBytes = 15 * MIB
await both((model) => atOnce(model, 4, bodyOf(model, ['x'])))
console.log(JSON.stringify({ statuses }))
