import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { voices, type Voice } from '../faults/voices.ts'
import { LARGE_BYTES } from './shared.ts'

/** What the upstream does for a model `<dialect>--<fault>-<number>`. */
interface Turn {
  voice: Voice
  stream: boolean
  response: ServerResponse
  /** A text with the number in it, so that a reply can be told from those of others. */
  mark(text: string): string
}

type Behaviour = (turn: Turn) => void

const EVENTS = { 'content-type': 'text/event-stream' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** The beginning of a reply, and after a moment what becomes of it. */
const begun =
  (then: Behaviour): Behaviour =>
  (turn) => {
    const { response, stream, voice, mark } = turn
    response.writeHead(200, stream ? EVENTS : JSON_TYPE)
    response.write(stream ? mark(voice.opening) : mark(voice.whole).slice(0, 50))
    setTimeout(() => then(turn), 5)
  }

const whole: Behaviour = ({ response, stream, voice, mark }) => {
  response.writeHead(200, stream ? EVENTS : JSON_TYPE)
  if (!stream) return void response.end(mark(voice.whole))
  response.write(mark(voice.opening))
  setTimeout(() => response.end(mark(voice.closing)), 5)
}

/** Long enough for others to come meanwhile. */
const slow: Behaviour = ({ response, voice, mark }) => {
  response.writeHead(200, EVENTS)
  response.write(mark(voice.opening))
  setTimeout(() => response.end(mark(voice.closing)), 200)
}

const BEHAVIOURS = new Map<string, Behaviour>([
  ['whole', whole],
  ['slow', slow],
  ['reset', ({ response }) => response.destroy()],
  ['cut', begun(({ response }) => response.destroy())],
  ['hangup', begun(({ response }) => response.socket?.end())],
  ['endless', begun(() => undefined)],
  ['silent', () => undefined],
  ['unfinished', begun(({ response }) => response.end())],
  ['broken', begun(({ response }) => response.end('data: {"type": oh\n\n'))],
  ['failing', begun(({ response, voice }) => response.end(voice.failure))],
  ['refused', ({ response, voice }) => response.writeHead(400, JSON_TYPE).end(voice.refusal)],
  ['busy', ({ response, voice }) => response.writeHead(529, JSON_TYPE).end(voice.refusal)],
  ['html', ({ response }) => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>')],
  ['idle', begun(() => undefined)],
  ['flood', begun(flood)],
  ['large', large],
])

/** Two of three are whole; those that only a clock ends are rare. */
const MIX = [
  'whole',
  'reset',
  'whole',
  'cut',
  'whole',
  'hangup',
  'whole',
  'unfinished',
  'whole',
  'broken',
  'whole',
  'failing',
  'whole',
  'refused',
  'whole',
  'busy',
  'whole',
  'html',
  'whole',
  'endless',
  'whole',
  'silent',
]
export const faultOf = (round: number): string => MIX[(round * 7) % MIX.length] ?? 'whole'

/** What no upstream ends by itself is asked of one that is not waited for long. */
export const modelOf = (voice: Voice, fault: string, round: number | string): string =>
  `${/^(?:endless|silent)$/.test(fault) ? 'hasty-' : ''}${voice.dialect}--${fault}-${round}`

/** A reply of many megabytes, in one body. */
function large({ response, voice }: Turn): void {
  response.writeHead(200, JSON_TYPE)
  response.end(voice.whole.replace('Hel', 'Hel'.repeat(LARGE_BYTES / 3)))
}

const TEXT = 'x'.repeat(16_000)
let mostTaken = 0

/** More text than a reader who takes nothing can have room for. */
function flood({ response, voice }: Turn): void {
  const [delta = ''] = voice.closing.split(/(?<=\n\n)/)
  const piece = delta.replace('lo', TEXT)
  let written = 0
  const more = () => {
    while (response.writable) {
      written += piece.length
      mostTaken = Math.max(mostTaken, written - response.writableLength)
      if (!response.write(piece)) return
    }
  }
  response.on('drain', more)
  more()
}

const MEGABYTE = 1024 * 1024
const LOOKED_AT = 65_536

export interface Upstream {
  port: number
  /** Connections on which an answer is being waited for. */
  busy(): number
  /** Megabytes that left for the greediest of the floods. */
  flooded(): number
  close(): void
}

export async function openUpstream(): Promise<Upstream> {
  let busy = 0
  const server = createServer((request, response) => {
    let head = ''
    let tail = ''
    busy += 1
    response.on('close', () => (busy -= 1))
    // Of a body only its beginning and its end say what is wanted.
    request.setEncoding('utf8').on('data', (text) => {
      if (head.length < LOOKED_AT) head += text
      else tail = (tail + text).slice(-LOOKED_AT)
    })
    request.on('end', () => {
      const path = request.url ?? ''
      const body = head + tail
      const voice = voices.find(({ dialect }) => path.startsWith(`/${dialect}/`))
      const model = /--(\w+)-(\w+)/.exec(path) ?? /--(\w+)-(\w+)/.exec(body)
      const behave = BEHAVIOURS.get(model?.[1] ?? '')
      if (!voice || !behave) return void response.writeHead(404).end()
      const stream = /streamGenerateContent|"stream":true/.test(path + body)
      const mark = (text: string) => text.replaceAll('Hel', `canary-${model?.[2]}- Hel`)
      behave({ voice, stream, response, mark })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    busy: () => busy,
    flooded: () => mostTaken / MEGABYTE,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
