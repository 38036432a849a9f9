import { stringify, type JsonObject } from '../json/json.ts'
import type { Answer } from '../exchange/exchange.ts'
import type { ByteSource } from '../stream/source.ts'

export const jsonAnswer = (body: JsonObject, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: stringify(body),
})

/** Anthropic's client library reads the id of an exchange from `request-id`, OpenAI's from `x-request-id`. */
export const named = ({ headers, ...answer }: Answer, id: string): Answer => ({
  ...answer,
  headers: { ...headers, 'x-request-id': id, 'request-id': id },
})

type ResponseBody = ConstructorParameters<typeof Response>[0]

/** An answer as a `Response` of the web. */
export function toResponse({ status, headers, body, gone }: Answer): Response {
  const isWhole = body === null || typeof body === 'string' || body instanceof Uint8Array
  if (body instanceof Uint8Array && gone) return lent(body, gone, { status, headers })
  // The types of the two runtimes disagree about which byte arrays may be a body.
  return new Response((isWhole ? body : toStream(body)) as ResponseBody, { status, headers })
}

const PIECE_BYTES = 65_536

/** A body in one piece as a stream, because only a stream tells when it has been taken. */
function lent(body: Uint8Array, gone: () => void, { headers, ...init }: ResponseInit): Response {
  let at = 0
  const source: ByteSource = {
    async read() {
      const piece = body.slice(at, at + PIECE_BYTES)
      at += piece.length
      if (at >= body.length) gone()
      return piece.length > 0 ? piece : undefined
    },
    cancel: gone,
  }
  const length = { 'content-length': String(body.length) }
  return new Response(toStream(source), { ...init, headers: { ...headers, ...length } })
}

/** Reads the source only when asked, so that a slow reader slows the source down. */
const toStream = (source: ByteSource): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        const bytes = await source.read()
        if (bytes) controller.enqueue(alone(bytes))
        else controller.close()
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  )

/** Pieces may share memory, and transferring one of them must not take the others along. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()
