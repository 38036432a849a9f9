import { dialects } from '../../adapters/index.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, objectIn, objectsOf, type JsonObject } from '../../src/json/json.ts'
import type { Frame } from '../../adapters/contract.ts'
import type { Recall } from '../../src/ports.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, proxyOf, sse, sseReply } from '../exchange/proxy.ts'
import { framesOf } from '../replay/replies.ts'
import type { Vendor } from './vendors.ts'

export interface Said {
  status: number
  body: JsonObject
  losses: string
}

/** A client of one dialect in front of a service of another. */
export function clientOf(caller: Dialect, upstream: Dialect, vendor: Vendor, recall?: Recall) {
  const { http, client, ask } = kits[caller]
  const sent: JsonObject[] = []
  const proxy = proxyOf(
    async ({ body }) => {
      const asked: unknown = JSON.parse(await new Response(body).text())
      const request = isObject(asked) ? (asked as JsonObject) : {}
      sent.push(request)
      const { status, body: reply } = vendor.answer(request)
      const isStream = request['stream'] === true && status === 200
      return isStream ? sseReply(messageFrames(reply)) : jsonReply(reply, status)
    },
    { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } },
    {
      dialects,
      randomId: () => crypto.randomUUID().replaceAll('-', ''),
      ...(recall && { recall }),
    },
  )
  const post = async (request: JsonObject, stream: boolean): Promise<Response> => {
    const body = http.body('m', stream, request)
    const headers = { 'anthropic-version': '2023-06-01' }
    return proxy.fetch(http.path('m', stream), { body, headers })
  }
  return {
    sent,
    first: (): JsonObject => ({
      ...client.request('m', 'Do it.'),
      ...ask.offer([{ name: 'f', schema: { type: 'object', properties: { x: {} } } }]),
    }),
    next: (request: JsonObject, reply: JsonObject) => client.followUp(request, reply),
    async listen(request: JsonObject): Promise<{ text: string }> {
      const response = await post(request, true)
      return { text: await response.text() }
    },
    /** Asks for a stream, and takes it as programs of the dialect do. */
    async stream(request: JsonObject): Promise<Said> {
      const response = await post(request, true)
      const losses = response.headers.get('x-dragoman-losses') ?? ''
      const { status } = response
      if (status !== 200) return { status, body: JSON.parse(await response.text()), losses }
      const frames = framesOf(await response.text())
      return { status, body: client.gather?.(frames) ?? lastResponse(frames), losses }
    },
    async ask(request: JsonObject): Promise<Said> {
      const response = await post(request, false)
      const losses = response.headers.get('x-dragoman-losses') ?? ''
      return { status: response.status, body: JSON.parse(await response.text()), losses }
    },
  }
}

const lastResponse = (frames: readonly Frame[]): JsonObject =>
  objectIn(objectIn(JSON.parse(frames.at(-1)?.data ?? '{}'))['response'])

/** A message as its service streams it. */
const messageFrames = (message: JsonObject): string[] =>
  [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...objectsOf(message['content']).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: message['stop_reason'] ?? null },
      usage: { output_tokens: 7 },
    },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\n${sse(event)}`)

function blockEvents(block: JsonObject, index: number) {
  const { thinking, signature, text, input, ...rest } = block
  const start = {
    ...rest,
    ...(thinking !== undefined && { thinking: '', signature: '' }),
    ...(text !== undefined && { text: '' }),
    ...(input !== undefined && { input: {} }),
  }
  const deltas = [
    ...(thinking === undefined ? [] : [{ type: 'thinking_delta', thinking }]),
    ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
    ...(text === undefined ? [] : [{ type: 'text_delta', text }]),
    ...(input === undefined
      ? []
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]),
  ]
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}
