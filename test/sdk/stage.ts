import type { UpstreamResponse } from '../../src/ports.ts'
import { kits } from '../dialects/index.ts'
import {
  DIALECTS,
  MODEL,
  type Answer,
  type Dialect,
  type Heard,
  type Said,
  type Wire,
} from './script.ts'

export type { Answer }

/** One request as it reached the scripted upstream. */
export interface Received {
  method: string
  path: string
  query: URLSearchParams
  headers: Headers
  text: string
  body: Wire
  signal: AbortSignal
}

/** Answers the request with this number, counted from 0. */
export type Script = (received: Received, turn: number) => Answer | Promise<Answer>

export interface Stage {
  fetch: typeof fetch
  received: Received[]
  /** What the requests said, read as strictly as the real upstream reads them. */
  heard(turn: number): Heard
}

export const CALLER_KEY = 'caller-key-7f3a'
export const BASE = 'http://proxy.test'

/** The scripted upstream alone: shows that the clients take the scripts for the real thing. */
export function direct(dialect: Dialect, script: Script): Stage {
  const received: Received[] = []
  return staged(dialect, received, async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const text = await request.text()
    const { method, headers, signal } = request
    const body: Wire = text === '' ? {} : JSON.parse(text)
    received.push({
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      text,
      body,
      signal,
    })
    const answered = answer(await script(received.at(-1) as Received, received.length - 1))
    return new Response(answered.body instanceof ReadableStream ? answered.body : null, {
      status: answered.status,
      headers: answered.headers as Headers,
    })
  })
}

export function staged(dialect: Dialect, received: Received[], send: typeof fetch): Stage {
  return {
    fetch: send,
    received,
    heard(turn) {
      const request = received[turn]
      if (!request) throw new Error(`the upstream received ${received.length} requests`)
      return { ...kits[dialect].scripted.hear(request.body), stream: wantsStream(dialect, request) }
    },
  }
}

/** One reply, as JSON or as a stream. */
export function speak(dialect: Dialect, reply: Said, model: string, stream: boolean): Answer {
  const { body, events } = kits[dialect].scripted
  return stream ? { events: events(reply, model) } : { body: body(reply, model) }
}

/** Those that have a counter of tokens. */
export const COUNTING = DIALECTS.filter((dialect) => kits[dialect].http.count)

/** Answers with this count of tokens, and nothing else. */
export function counts(dialect: Dialect, tokens: number): Script {
  const { count } = kits[dialect].http
  if (!count) throw new Error('it counts nothing')
  return ({ path }) =>
    path === count.path(MODEL)
      ? { body: count.reply(tokens) }
      : { status: 404, body: { error: {} } }
}

/** Says one reply after the other, as JSON or as a stream, whichever was asked for. */
export function says(dialect: Dialect, ...replies: Said[]): Script {
  return (received, turn) => {
    const reply = replies[turn]
    if (!reply) throw new Error(`nothing is scripted for request ${turn}`)
    return speak(dialect, reply, MODEL, wantsStream(dialect, received))
  }
}

const wantsStream = (dialect: Dialect, { path, body }: Received): boolean =>
  kits[dialect].http.streams(path, body)

/** A prime, so that events and characters are cut everywhere. */
const CHUNK_BYTES = 211

export function answer(scripted: Answer): UpstreamResponse {
  const stream = scripted.events !== undefined
  const headers = new Headers({
    'content-type': stream ? 'text/event-stream' : 'application/json',
    ...scripted.headers,
  })
  const text = scripted.raw ?? scripted.events?.join('') ?? JSON.stringify(scripted.body)
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const isMiddle = at <= bytes.length / 2 && at + CHUNK_BYTES > bytes.length / 2
      if (isMiddle) await scripted.silence?.()
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += CHUNK_BYTES)))
      else if (scripted.cut) controller.error(new TypeError('terminated'))
      else if (!scripted.hold) controller.close()
    },
    cancel() {
      if (scripted.hold) scripted.hold.cancelled = true
    },
  })
  return { status: scripted.status ?? 200, headers, body }
}
