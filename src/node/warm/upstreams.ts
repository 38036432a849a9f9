import { adapters } from '../../../adapters/index.ts'
import { DEMO_ORIGIN } from '../../config/defaults.ts'
import { demoSend } from '../../extras/demo/demo.ts'
import { toSource } from '../../stream/source.ts'
import { chunked } from './messages.ts'

/** What the upstreams' dialects follow: a path that ends in `/responses` would be that of an endpoint. */
export const PATH = '/demo-'

const FIRST_LINE = Buffer.from('HTTP/1.1 200 OK\r\n')
const LAST = Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n')

/** Answers as the demo's upstreams do; each answer is made once, and then told again. */
export function upstreamsOfDemo(): (message: string, isLast: boolean) => Promise<Uint8Array> {
  const demo = demoSend(adapters, () => Promise.reject(new Error('expected the demo alone')))
  const known = new Map<string, Uint8Array>()
  return async (message, isLast) => {
    const name = nameOf(message)
    const reply = known.get(name) ?? (await replyTo(message, demo))
    known.set(name, reply)
    return Buffer.concat([isLast ? LAST : FIRST_LINE, reply])
  }
}

const placeIn = (message: string): string => message.slice(0, message.indexOf(' HTTP/'))

/** The requests to one place differ in length. */
const nameOf = (message: string): string =>
  `${placeIn(message)} ${message.length - message.indexOf('\r\n\r\n')}`

/** All but the first line. */
async function replyTo(message: string, demo: ReturnType<typeof demoSend>): Promise<Uint8Array> {
  const [method = '', path = ''] = placeIn(message).split(' ')
  const at = message.indexOf('\r\n\r\n')
  const { headers, body } = await demo({
    method,
    url: `${DEMO_ORIGIN}/${path.slice(PATH.length)}`,
    headers: headersIn(message.slice(0, at)),
    body: Buffer.from(message.slice(at + 4), 'latin1'),
    signal: new AbortController().signal,
    connectMs: 0,
  })
  const pieces: Uint8Array[] = []
  if (body) {
    const source = toSource(body)
    for (let piece = await source.read(); piece; piece = await source.read()) pieces.push(piece)
  }
  const head = `content-type: ${headers.get('content-type')}\r\n`
  const bytes = Buffer.concat(pieces)
  return pieces.length > 1
    ? Buffer.concat([Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), chunked(pieces)])
    : Buffer.concat([Buffer.from(`${head}content-length: ${bytes.length}\r\n\r\n`), bytes])
}

const headersIn = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const at = line.indexOf(':')
        return [line.slice(0, at), line.slice(at + 1).trim()]
      }),
  )
