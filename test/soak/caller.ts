import { request as httpRequest, type Agent, type ClientRequest } from 'node:http'
import type { Voice } from '../faults/voices.ts'

export interface Asking {
  port: number
  agent: Agent
  caller: Voice
  model: string
  stream: boolean
  /** Instead of the caller's own words. */
  text?: string
  /** The body follows its head only then. */
  following?: Promise<void>
}

export interface Heard {
  status: number
  text: string
  complete: boolean
  retryAfter: string | undefined
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function post(asking: Asking): ClientRequest {
  const { port, agent, caller, model, stream, text = 'Hello', following } = asking
  const body = JSON.stringify(caller.request(model, stream)).replace('Hello', text)
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: caller.path(model, stream),
    agent,
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'content-length': Buffer.byteLength(body),
    },
  })
  if (!following) return request.end(body)
  request.flushHeaders()
  void following.then(() => request.end(body))
  return request
}

/** One exchange; with `leaveMs` the caller does not stay for the end. Never rejects. */
export function call(asking: Asking, leaveMs?: number): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Heard = { status: 0, text: '', complete: false, retryAfter: undefined }
    const request = post(asking)
    const done = () => resolve(heard)
    request.on('error', done)
    request.on('close', done)
    if (leaveMs !== undefined) setTimeout(() => request.destroy(), leaveMs)
    request.on('response', (response) => {
      heard.status = response.statusCode ?? 0
      heard.retryAfter = response.headers['retry-after']
      response.setEncoding('utf8')
      response.on('error', () => undefined)
      response.on('data', (text) => (heard.text += text))
      response.on('end', () => {
        heard.complete = response.complete
      })
    })
  })
}

export interface Gate {
  /** The first bytes of the reply have come. */
  opened: Promise<void>
  leave(): void
}

/** A stream that stays open until its caller leaves; a stalled one takes nothing after its first bytes. */
export function stay(asking: Asking, stalls = false): Gate {
  const request = post(asking)
  const opened = new Promise<void>((resolve) => {
    request.on('error', () => resolve())
    request.on('response', (response) => {
      response.on('error', () => undefined)
      response.on('data', () => {
        if (stalls) response.pause()
        resolve()
      })
    })
  })
  return { opened, leave: () => void request.destroy() }
}
