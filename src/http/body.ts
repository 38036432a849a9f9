import type { Asked } from './arrival.ts'
import { joinBytes, NOTHING, sizeOf, wholeBytes, type Bytes } from '../gateway/bytes.ts'
import { CALLER_LEFT } from '../gateway/failures.ts'
import type { LimitSettings } from '../gateway/settings.ts'
import { SILENT, within } from '../gateway/time.ts'
import { invalid, ProblemError } from '../canonical/problem.ts'

export type BodyLimits = Pick<LimitSettings, 'bodyBytes' | 'bodyMs'>

/** The body of a request, decoded and within bounds; throws ProblemError. */
export async function readBody(request: Asked, limits: BodyLimits): Promise<Bytes> {
  requireJson(request.headers.get('content-type'))
  const coding = codingOf(request.headers.get('content-encoding'))
  const { bodyBytes } = limits
  if (Number(request.headers.get('content-length') ?? 0) > bodyBytes) throw tooLarge(bodyBytes)
  const bytes = await inTime(received(request, bodyBytes), limits.bodyMs)
  return coding === undefined ? bytes : decoded(wholeBytes(bytes), coding, bodyBytes)
}

/** A web page could send anything else without asking first. */
export function requireJson(contentType: string | null): void {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw unsupported('Content-Type must be application/json.')
}

const unsupported = (message: string) =>
  new ProblemError({ kind: 'unsupported-media-type', message })

export const tooLarge = (bodyBytes: number) =>
  new ProblemError({
    kind: 'too-large',
    message: `The body is larger than the limit of ${bodyBytes} bytes.`,
  })

type Coding = 'gzip' | 'deflate'

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
])

function codingOf(contentEncoding: string | null): Coding | undefined {
  const name = (contentEncoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const coding = CODINGS.get(name)
  if (!coding) throw unsupported('Content-Encoding must be gzip, deflate or identity.')
  return coding
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const result = await within(work, ms)
  if (result !== SILENT) return result
  throw new ProblemError({
    kind: 'timeout',
    status: 408,
    message: 'The body of the request did not arrive in time.',
  })
}

/** A length that was declared bounds what comes; without one the bytes are counted as they come. */
async function received(request: Asked, maxBytes: number): Promise<Bytes> {
  try {
    // Asking for the stream costs more than the whole body, so it is asked for only where it is needed.
    if (request.headers.get('content-length') === null)
      return request.body ? await counted(request.body, maxBytes) : NOTHING
    const bytes = await bytesOf(request)
    if (sizeOf(bytes) > maxBytes) throw tooLarge(maxBytes)
    return bytes
  } catch (error) {
    throw error instanceof ProblemError ? error : new ProblemError(CALLER_LEFT)
  }
}

const bytesOf = async (request: Asked): Promise<Bytes> =>
  request.whole ? request.whole() : new Uint8Array(await request.arrayBuffer())

async function counted(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const reader = stream.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length
    if (size > maxBytes) {
      reader.cancel().catch(() => {})
      throw tooLarge(maxBytes)
    }
    parts.push(read.value)
  }
  return joinBytes(parts)
}

/** The limit holds for what comes out: a few bytes can unfold to gigabytes. */
async function decoded(bytes: Uint8Array, coding: Coding, maxBytes: number): Promise<Uint8Array> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes))
      controller.close()
    },
  })
  try {
    return await counted(source.pipeThrough(new DecompressionStream(coding)), maxBytes)
  } catch (error) {
    throw error instanceof ProblemError
      ? error
      : invalid(`The body is not what its Content-Encoding (${coding}) says.`)
  }
}
