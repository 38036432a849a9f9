import type { HttpRequest, Ports } from '../ports.ts'
import { weightOf, type Lease } from '../stream/budget.ts'
import { NOTHING, Pile, sizeOf, wholeBytes, type Bytes } from '../json/bytes.ts'
import { CALLER_LEFT } from '../model/failures.ts'
import type { LimitSettings } from '../config/settings.ts'
import { SILENT, within } from '../stream/time.ts'
import { invalid, ProblemError } from '../model/problem.ts'
import { requireJson, tooLarge, unsupported } from '../exchange/body-rules.ts'

export type BodyLimits = Pick<LimitSettings, 'bodyBytes' | 'bodyMs'>

/**
 * Reads the body of a request: decoded, within its limits, and within the memory that is free. Throws ProblemError.
 * `came` is told it as it came.
 */
export async function readBody(
  request: HttpRequest,
  limits: BodyLimits,
  lease: Lease,
  came?: Ports['came'],
): Promise<Bytes> {
  requireJson(request.headers.get('content-type'))
  const coding = readCoding(request.headers.get('content-encoding'))
  const { bodyBytes } = limits
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > bodyBytes) throw tooLarge(bodyBytes)
  // Room for the declared length is taken before anything is read.
  if (length > 0) lease.grow(weightOf(length))
  const received = await inTime(receiveBody(request, bodyBytes, lease), limits.bodyMs)
  came?.(received)
  const bytes =
    coding === undefined
      ? received
      : await decodeBody(wholeBytes(received), coding, bodyBytes, lease)
  lease.hold(weightOf(sizeOf(bytes)))
  return bytes
}

type Coding = 'gzip' | 'deflate'

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
])

function readCoding(contentEncoding: string | null): Coding | undefined {
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

/** A declared length limits what is read. Without one the bytes are counted as they come. */
async function receiveBody(request: HttpRequest, maxBytes: number, lease: Lease): Promise<Bytes> {
  const isDeclared = request.headers.get('content-length') !== null
  const heed = isDeclared ? undefined : counter(maxBytes, lease)
  try {
    if (request.whole) return await request.whole(heed)
    // A stream costs more than the whole body at once, so it is used only for bodies without a declared length.
    if (heed) return request.body ? await gatherStream(request.body, heed) : NOTHING
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > maxBytes) throw tooLarge(maxBytes)
    return bytes
  } catch (error) {
    throw error instanceof ProblemError ? error : new ProblemError(CALLER_LEFT)
  }
}

/** Called with the size of each piece before it is kept; throws ProblemError when the body becomes too large. */
export type Heed = (bytes: number) => void

function counter(maxBytes: number, lease: Lease): Heed {
  let size = 0
  return (bytes) => {
    const before = weightOf(size)
    size += bytes
    if (size > maxBytes) throw tooLarge(maxBytes)
    lease.grow(weightOf(size) - before)
  }
}

async function gatherStream(stream: ReadableStream<Uint8Array>, heed: Heed): Promise<Bytes> {
  const reader = stream.getReader()
  const pile = new Pile()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      heed(read.value.length)
      pile.add(read.value)
    }
    return pile.take()
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

/** The limit counts decoded bytes, because a few compressed bytes can decode to gigabytes. */
async function decodeBody(
  bytes: Uint8Array,
  coding: Coding,
  maxBytes: number,
  lease: Lease,
): Promise<Bytes> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes))
      controller.close()
    },
  })
  try {
    const plain = source.pipeThrough(new DecompressionStream(coding))
    return await gatherStream(plain, counter(maxBytes, lease))
  } catch (error) {
    throw error instanceof ProblemError
      ? error
      : invalid(`The body is not what its Content-Encoding (${coding}) says.`)
  }
}
