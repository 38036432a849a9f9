import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import { startServer } from '../../src/node/server/server.ts'
import { SharedWrites } from '../../src/node/store/shared-writes.ts'
import { taskAnswerer, TASK_KEY } from './bench.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** A service on a real socket, and the proxy on another in front of it. */
async function stage(service: RequestListener): Promise<string> {
  const base = `http://127.0.0.1:${await listening(createServer(service))}`
  const image = { base, prefix: '/img', key: { kind: 'literal', value: TASK_KEY } } as const
  const writes = new SharedWrites()
  const upstreams = createSend(undefined, writes.write)
  const answer = taskAnswerer({ tasks: { image }, callers: { kind: 'open' } }, upstreams.send)
  const server = await startServer({
    answer,
    host: '127.0.0.1',
    port: 0,
    limits: PROCESS_LIMITS,
    breakOff: () => undefined,
    writes,
  })
  closing.push(async () => {
    await server.stop(0)
    upstreams.destroy()
  })
  return `http://127.0.0.1:${server.port}`
}

const json = { 'content-type': 'application/json' }
const digest = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex')

describe('task services over real sockets', () => {
  it('carry 20 MB there and back to the byte', async () => {
    const body = Buffer.alloc(20 * 1024 * 1024, 'iVBORw0KGgo=')
    let length: string | undefined
    const proxy = await stage((request, response) => {
      length = request.headers['content-length']
      response.writeHead(200, json)
      request.pipe(response)
    })
    const post = { method: 'POST', headers: json, body }
    const response = await fetch(`${proxy}/img/submit/blend`, post)
    expect(digest(new Uint8Array(await response.arrayBuffer()))).toBe(digest(body))
    expect(length).toBe(String(body.length))
  })

  it('carry a body in chunks', async () => {
    const proxy = await stage((request, response) => {
      const coding = request.headers['transfer-encoding']
      let text = ''
      request.on('data', (piece) => (text += piece))
      request.on('end', () => response.writeHead(200, json).end(JSON.stringify({ coding, text })))
    })
    const body = new ReadableStream({
      start(controller) {
        for (const piece of ['{"a":', '1}']) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as const
    const response = await fetch(`${proxy}/img/submit/imagine`, init)
    expect(await response.json()).toEqual({ coding: 'chunked', text: '{"a":1}' })
  })

  it('undo the content coding of an answer, short or long', async () => {
    for (const text of ['{"id":2512292042121000001}', `{"x":"${'y'.repeat(500_000)}"}`]) {
      const proxy = await stage((_, response) => {
        const packed = gzipSync(text)
        const headers = { ...json, 'content-encoding': 'gzip', 'content-length': packed.length }
        response.writeHead(201, headers).end(packed)
      })
      const response = await fetch(`${proxy}/img/task/1/fetch`)
      expect(response.status).toBe(201)
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(await response.text()).toBe(text)
    }
  })

  it('show a caller that a long answer broke off, with and without its length', async () => {
    for (const length of [undefined, 400_000]) {
      const proxy = await stage((_, response) => {
        response.writeHead(200, { ...json, ...(length && { 'content-length': length }) })
        response.write('x'.repeat(300_000), () => setTimeout(() => response.destroy(), 50))
      })
      const response = await fetch(`${proxy}/img/task/1/fetch`)
      expect(response.headers.get('content-length')).toBe(length ? String(length) : null)
      await expect(response.text()).rejects.toThrow()
    }
  })

  it('close the connection to the service when the caller leaves, in every phase', async () => {
    const phases: Record<string, RequestListener> = {
      'during the upload': () => undefined,
      'before the head': (request) => void request.resume(),
      'in the answer': (request, response) => {
        request.resume()
        response.writeHead(200, json).write('x'.repeat(100_000))
      },
    }
    for (const [phase, service] of Object.entries(phases)) {
      const events = new EventEmitter()
      const beginning = once(events, 'begun')
      const end = once(events, 'closed')
      const proxy = await stage((request, response) => {
        response.on('close', () => events.emit('closed'))
        service(request, response)
        events.emit('begun')
      })
      const length = phase === 'during the upload' ? 5_000_000 : 2
      const headers = { ...json, 'content-length': length }
      const call = httpRequest(`${proxy}/img/submit/blend`, { method: 'POST', headers })
      call.on('error', () => undefined)
      call.write('{}')
      await beginning
      setTimeout(() => call.destroy(), 50)
      await end
    }
  })
})
