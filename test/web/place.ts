import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve, type Proxy } from '../../src/node/command/commands.ts'
import { responsesReply } from '../dialects/responses/reply.ts'

/** What an upstream is asked, as `METHOD /path`. */
export interface Place {
  proxy: Proxy
  port: number
  /** What reached the upstreams. */
  reached: string[]
  /** The lines of the log. */
  lines(): string[]
  close(): Promise<void>
}

export interface Given {
  web?: { origins?: string[]; hosts?: string[] }
  port?: number
  keys?: string[]
}

/** An open proxy on a loopback address, as `npm start` makes it, before upstreams that count what they are asked. */
export async function openPlace({ web, port = 0, keys }: Given = {}): Promise<Place> {
  const reached: string[] = []
  const upstream = createServer((incoming, outgoing) => {
    reached.push(`${incoming.method} ${incoming.url}`)
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify(responsesReply('the secret of the house')))
    })
  })
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const config = {
    upstreams: { service: { dialect: 'responses', url: base, key: 'upstream-key-0123456789' } },
    tasks: { image: { url: base }, music: { url: base } },
    ...(keys && { callers: { keys } }),
    ...(web && { web }),
  }
  let written = ''
  const proxy = await serve(
    { command: 'serve', host: '127.0.0.1', port },
    {
      environment: { DRAGOMAN_CONFIG: JSON.stringify(config) },
      directory: '.',
      write: (text) => (written += text),
      say: () => undefined,
      complain: () => undefined,
      logStyle: 'json',
    },
  )
  return {
    proxy,
    port: Number(new URL(proxy.url).port),
    reached,
    lines: () => written.split('\n').filter((line) => line.startsWith('{')),
    async close() {
      await proxy.stop()
      upstream.closeAllConnections()
      upstream.close()
    },
  }
}

export interface Heard {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** A request as a browser writes it: `fetch` would not send these headers. */
export const ask = (
  port: number,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = init
    request({ host: '127.0.0.1', port, path, method, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (piece) => (text += piece))
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
      )
    })
      .on('error', reject)
      .end(body)
  })
