import { get } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ELLIPSIS } from '../../src/model/loss.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import type { Answer } from '../../src/exchange/exchange.ts'
import { startServer, type RunningServer } from '../../src/node/server.ts'

const BODIES: Record<string, Answer['body']> = {
  '/text': '{"text":"Grüße …"}',
  '/bytes': new TextEncoder().encode('{"text":"Grüße …"}'),
  // Too long to leave in one piece with its headers.
  '/long': `{"text":"Grüße …${' and more'.repeat(4000)}"}`,
}
let server: RunningServer

beforeAll(async () => {
  server = await startServer({
    answer: async ({ url }) => ({
      status: 200,
      headers: { 'x-list': `3; one, two${ELLIPSIS}` },
      body: BODIES[new URL(url).pathname] ?? null,
    }),
    host: '127.0.0.1',
    port: 0,
    limits: PROCESS_LIMITS,
    breakOff: () => undefined,
  })
})
afterAll(() => server.stop(0))

it.each(Object.keys(BODIES))(
  'a header has the bytes that it is made of, before %s',
  async (path) => {
    const [header, body] = await new Promise<[string, string]>((resolve) => {
      get({ host: '127.0.0.1', port: server.port, path, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece) => (text += piece))
        response.on('end', () => resolve([String(response.headers['x-list']), text]))
      })
    })
    expect(Buffer.from(header, 'latin1').toString()).toBe('3; one, two…')
    expect(body.replaceAll(' and more', '')).toBe('{"text":"Grüße …"}')
  },
)

const statusOf = (head: string) =>
  new Promise<string>((resolve) => {
    let heard = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`))
    socket.on('data', (data) => (heard += String(data)))
    socket.on('close', () => resolve(heard.split(' ')[1] ?? ''))
  })

it('a caller from before HTTP/1.1 may leave out the host, and no other', async () => {
  expect(await statusOf('GET /text HTTP/1.0')).toBe('200')
  expect(await statusOf('GET /text HTTP/1.1')).toBe('400')
})
