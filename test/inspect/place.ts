import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve, type Proxy } from '../../src/node/command/commands.ts'
import { responsesReply } from '../dialects/responses/reply.ts'

export const UPSTREAM_KEY = 'upstream-key-0123456789'
export const CALLER_KEY = 'caller-key-9876543210'

/** What an upstream says to a request, in the dialect of `responses`. */
export type Say = (body: string) => {
  status?: number
  type?: string
  pieces: string[]
  gapMs?: number
}

interface ShownBody {
  text: string
  marks?: [number, number][]
}

/** As much of an exchange as tests look at. */
export interface Shown {
  readAt: number
  came: { body: ShownBody }
  calls: {
    at: number
    headAt: number
    firstAt: number
    endAt: number
    headers: [string, string][]
    body: ShownBody
    reply: ShownBody
  }[]
  told: { endAt: number; body: ShownBody }
}

/** A proxy with its page, before an upstream that says what a test wants. */
export interface Place {
  proxy: Proxy
  /** Where the page is, with its token. */
  page: URL
  token: string
  /** What the page knows of an exchange. */
  exchange(number: number): Promise<Shown>
  ask(path: string, init?: RequestInit): Promise<Response>
  send(body: object, headers?: Record<string, string>, path?: string): Promise<string>
  /** A body as it is. */
  post(
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
    path?: string,
  ): Promise<string>
  close(): Promise<void>
}

export async function openPlace(
  say: Say = () => ({ pieces: [JSON.stringify(REPLY)] }),
): Promise<Place> {
  const upstream = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (piece) => (body += piece))
    incoming.on('end', async () => {
      const { status = 200, type = 'application/json', pieces, gapMs = 0 } = say(body)
      outgoing.writeHead(status, { 'content-type': type, 'x-request-id': 'req-of-upstream' })
      for (const piece of pieces) {
        outgoing.write(piece)
        if (gapMs > 0) await new Promise((wake) => setTimeout(wake, gapMs))
      }
      outgoing.end()
    })
  })
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const other = { dialect: 'generate-content', url }
  const config = {
    upstreams: { service: { dialect: 'responses', url, key: UPSTREAM_KEY }, other },
    routes: [
      { model: 'other-*', upstream: 'other' },
      { model: 'pair-*', upstream: ['other', 'service'] },
      { model: '*', upstream: 'service' },
    ],
    callers: { keys: [CALLER_KEY] },
    inspect: true,
  }
  let said = ''
  const proxy = await serve(
    { command: 'serve', host: '127.0.0.1', port: 0 },
    {
      environment: { DRAGOMAN_CONFIG: JSON.stringify(config) },
      directory: '.',
      write: () => undefined,
      say: (text) => (said += text),
      complain: () => undefined,
      logStyle: 'json',
    },
  )
  const page = new URL(/http:\/\/127\.0\.0\.1:\d+\/#\S+/.exec(said)?.[0] ?? '')
  const token = page.hash.slice(1)
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, page), {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as object) },
    })
  const post: Place['post'] = async (body, headers = {}, path = '/v1/messages') => {
    const reply = await fetch(`${proxy.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': CALLER_KEY,
        ...headers,
      },
      body: body,
    })
    return reply.text()
  }
  return {
    proxy,
    page,
    token,
    ask,
    exchange: async (number) => JSON.parse(await (await ask(`/exchange/${number}`)).text()),
    send: (body, headers, path) => post(JSON.stringify(body), headers, path),
    post,
    async close() {
      await proxy.stop()
      upstream.closeAllConnections()
      upstream.close()
    },
  }
}

export const REPLY = {
  ...responsesReply('Good morning.'),
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 64 },
    output_tokens: 7,
    total_tokens: 107,
  },
}

const frame = (event: { type: string; [member: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** The same as a stream, with these words one after the other. */
export function streamed(words: readonly string[]): string[] {
  const { output, ...response } = REPLY
  const [message] = output
  const item = { ...message, content: [] }
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const text = words.join('')
  const part = { type: 'output_text', text, annotations: [] }
  return [
    frame({
      type: 'response.created',
      response: { ...response, status: 'in_progress', output: [] },
    }),
    frame({ type: 'response.output_item.added', output_index: 0, item }),
    frame({ type: 'response.content_part.added', ...at, part: { ...part, text: '' } }),
    ...words.map((delta) => frame({ type: 'response.output_text.delta', ...at, delta })),
    frame({ type: 'response.output_text.done', ...at, text }),
    frame({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...message, content: [part] },
    }),
    frame({
      type: 'response.completed',
      response: { ...response, output: [{ ...message, content: [part] }] },
    }),
  ]
}

export const QUESTION = {
  model: 'm',
  max_tokens: 100,
  top_k: 5,
  messages: [{ role: 'user', content: 'Hello' }],
}
