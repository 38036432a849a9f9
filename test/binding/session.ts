import { dialects } from '../../adapters/index.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, type JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'
import { jsonReply, proxyOf, sse, sseReply } from '../exchange/proxy.ts'
import type { Vendor } from './vendors.ts'

export interface Said {
  status: number
  body: JsonObject
  losses: string
}

/** A client of one dialect in front of a service of another. */
export function clientOf(caller: Dialect, upstream: Dialect, vendor: Vendor) {
  const { http, client, ask } = kits[caller]
  const sent: JsonObject[] = []
  const proxy = proxyOf(
    async ({ body }) => {
      const asked: unknown = JSON.parse(await new Response(body).text())
      const request = isObject(asked) ? (asked as JsonObject) : {}
      sent.push(request)
      const { status, body: reply } = vendor.answer(request)
      return request['stream'] === true ? sseReply(messageFrames(reply)) : jsonReply(reply, status)
    },
    { routes: [{ model: '*', upstream: 'plain' }], upstream: { dialect: upstream } },
    { dialects, randomId: () => crypto.randomUUID().replaceAll('-', '') },
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
    async ask(request: JsonObject): Promise<Said> {
      const response = await post(request, false)
      const losses = response.headers.get('x-dragoman-losses') ?? ''
      return { status: response.status, body: JSON.parse(await response.text()), losses }
    },
  }
}

/** A message as its service streams it, without its content. */
const messageFrames = (message: JsonObject): string[] =>
  [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\n${sse(event)}`)
