import { createServer, type AddressInfo, type Socket } from 'node:net'
import { kits } from '../dialects/index.ts'
import { MessageReader } from './reader.ts'
import { replyIn, wordAt } from './replies.ts'
import {
  DELTAS,
  type Dialect,
  DIALECTS,
  type Manner,
  PACE_MS,
  PACED_DELTAS,
  stamp,
} from './shared.ts'

/**
 * The upstream of all lanes, in a process of its own: it reads the head of a request, counts the body and sends
 * bytes that were made before, so that it costs a fraction of what is measured. How it answers is told by a
 * message from the parent; the dialect is in the path.
 */

const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: '
const STREAM_HEAD = [
  'HTTP/1.1 200 OK',
  'content-type: text/event-stream; charset=utf-8',
  'cache-control: no-cache',
  'transfer-encoding: chunked',
  '\r\n',
].join('\r\n')
const LAST_CHUNK = '0\r\n\r\n'

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

interface Script {
  json: Buffer
  /** A whole stream in one HTTP chunk, in one per event, and in the same with several to a write. */
  block: Buffer
  pieces: Buffer[]
  bundles: Buffer[]
  opening: Buffer
  closing: Buffer
}

function scriptOf(dialect: Dialect): Script {
  const { json, opening, delta, closing } = replyIn(dialect)
  const deltas = Array.from({ length: DELTAS }, (_, index) => delta(wordAt(index), index))
  const [first = '', ...rest] = [...opening, ...deltas, ...closing(DELTAS)]
  const pieces = [STREAM_HEAD + chunk(first), ...rest.map(chunk), LAST_CHUNK]
  return {
    json: Buffer.from(`${JSON_HEAD}${Buffer.byteLength(json)}\r\n\r\n${json}`),
    block: Buffer.from(STREAM_HEAD + chunk(first + rest.join('')) + LAST_CHUNK),
    pieces: pieces.map((text) => Buffer.from(text)),
    bundles: bundled(pieces).map((text) => Buffer.from(text)),
    opening: Buffer.from(
      STREAM_HEAD + [...opening, delta(wordAt(0), 0), delta(wordAt(1), 1)].map(chunk).join(''),
    ),
    closing: Buffer.from(closing(PACED_DELTAS).map(chunk).join('') + LAST_CHUNK),
  }
}

/** How many events at a time come out of a busy upstream's connection, over and over. */
const BUNDLES = [2, 10, 40]

function bundled(pieces: readonly string[]): string[] {
  const bundles: string[] = []
  for (let at = 0; at < pieces.length;) {
    const size = BUNDLES[bundles.length % BUNDLES.length] ?? 1
    bundles.push(pieces.slice(at, at + size).join(''))
    at += size
  }
  return bundles
}

const SCRIPTS = new Map(DIALECTS.map((dialect) => [dialect, scriptOf(dialect)] as const))

/** The path begins as the dialect's own does, whatever the model is. */
const BEGINNINGS = DIALECTS.map((dialect) => {
  const [beginning = ''] = kits[dialect].http.path('MODEL', false).split('MODEL')
  return { dialect, beginning }
})

const dialectIn = (startLine: string): Dialect =>
  BEGINNINGS.find(({ beginning }) => startLine.includes(beginning))?.dialect ?? 'messages'

const scriptFor = (dialect: Dialect): Script => SCRIPTS.get(dialect) ?? scriptOf(dialect)

type Answer = (socket: Socket, dialect: Dialect) => void

let streams = 0

/** One write per event, each with the time of its writing; the streams do not all write at the same time. */
const paced =
  (deltas: number): Answer =>
  (socket, dialect) => {
    streams += 1
    let sent = 0
    const next = () => {
      if (socket.destroyed) return clearInterval(timer)
      const text = chunk(replyIn(dialect).delta(stamp(), sent))
      sent += 1
      socket.write(text)
      if (sent < deltas) return
      clearInterval(timer)
      socket.write(scriptFor(dialect).closing)
    }
    let timer = setTimeout(() => {
      socket.write(scriptFor(dialect).opening)
      timer = setInterval(next, PACE_MS)
    }, streams % PACE_MS)
  }

const ANSWERS: Readonly<Record<Manner, Answer>> = {
  json: (socket, dialect) => void socket.write(scriptFor(dialect).json),
  block: (socket, dialect) => void socket.write(scriptFor(dialect).block),
  burst(socket, dialect) {
    for (const bundle of scriptFor(dialect).bundles) socket.write(bundle)
  },
  each(socket, dialect) {
    for (const piece of scriptFor(dialect).pieces) socket.write(piece)
  },
  paced: paced(PACED_DELTAS),
  talk: paced(DELTAS),
  idle: (socket, dialect) => void socket.write(scriptFor(dialect).opening),
}

let manner: Manner = 'json'

const server = createServer({ noDelay: true }, (socket) => {
  const reader = new MessageReader()
  socket.on('data', (bytes) => {
    if (reader.push(bytes)) ANSWERS[manner](socket, dialectIn(reader.startLine))
  })
  socket.on('error', () => undefined)
})

process.on('message', (next: Manner) => {
  manner = next
  process.send?.(next)
})
process.on('disconnect', () => process.exit())
const [, , port = '0'] = process.argv
server.listen(Number(port), '127.0.0.1', 4096, () =>
  process.send?.((server.address() as AddressInfo).port),
)
