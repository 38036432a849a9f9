import type { BodyDecoder, HttpRequest, Ports } from '../ports.ts'
import { weightOf, type Lease } from '../stream/budget.ts'
import { NOTHING, ByteList, sizeOf, wholeBytes, type Bytes } from '../json/bytes.ts'
import { BODY_SPENT, CALLER_LEFT } from '../problems/failures.ts'
import type { LimitSettings } from '../config/settings.ts'
import { SILENT, within } from '../stream/time.ts'
import { invalid, ProblemError } from '../model/problem.ts'
import { requireJson, tooLarge, unsupported } from '../exchange/request/body-rules.ts'

export type BodyLimits = Pick<LimitSettings, 'bodyBytes' | 'bodyMs'>

/**
 * Reads the body of a request: decoded, within its limits, and within the memory that is free. Throws ProblemError.
 */
export async function readBody(
  request: HttpRequest,
  limits: BodyLimits,
  lease: Lease,
  { came, decoders = NO_OTHERS }: Pick<Ports, 'came' | 'decoders'> = {},
): Promise<Bytes> {
  requireJson(request.headers.get('content-type'))
  const coding = readCoding(request.headers.get('content-encoding'), decoders)
  const { bodyBytes } = limits
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > bodyBytes) throw tooLarge(bodyBytes)
  // Room for the declared length is taken before anything is read.
  if (length > 0) lease.grow(weightOf(length))
  const received = await inTime(receiveBody(request, bodyBytes, lease), limits.bodyMs)
  const bytes =
    coding === undefined
      ? received
      : await decodeBody(wholeBytes(received), coding, bodyBytes, lease)
  came?.(bytes)
  lease.hold(weightOf(sizeOf(bytes)))
  return bytes
}

interface Coding {
  name: string
  decoder: BodyDecoder
}

type Decoders = ReadonlyMap<string, BodyDecoder>

const NO_OTHERS: Decoders = new Map()

const gzip: BodyDecoder = { bytes: 0, open: () => new DecompressionStream('gzip') }
/** .NET's DeflateStream leaves out the header of zlib, in which the method is the number 8. */
const deflate: BodyDecoder = {
  bytes: 0,
  open: ([first = 0]) => new DecompressionStream((first & 0x0f) === 8 ? 'deflate' : 'deflate-raw'),
}

/** What all runtimes decode. */
const DECODERS: Decoders = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', deflate],
])

function readCoding(contentEncoding: string | null, others: Decoders): Coding | undefined {
  const name = (contentEncoding ?? '').trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const decoder = DECODERS.get(name) ?? others.get(name)
  if (decoder) return { name, decoder }
  const names = ['gzip', 'deflate', ...others.keys()].join(', ')
  throw unsupported(`Content-Encoding must be ${names} or identity.`)
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
    if (error instanceof ProblemError) throw error
    // What Node 24, workerd, Bun 1.4 and Deno 2.9 throw where a body was read before, and not where it breaks off.
    const isSpent = error instanceof TypeError && !request.signal.aborted
    throw new ProblemError(isSpent ? BODY_SPENT : CALLER_LEFT)
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
  const list = new ByteList()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      heed(read.value.length)
      list.add(read.value)
    }
    return list.take()
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

/** The limit counts decoded bytes, because a few compressed bytes can decode to gigabytes. */
async function decodeBody(
  bytes: Uint8Array,
  { name, decoder }: Coding,
  maxBytes: number,
  lease: Lease,
): Promise<Bytes> {
  const isOther = `The body is not what its Content-Encoding (${name}) says.`
  lease.grow(decoder.bytes)
  const opened = decoder.open(bytes)
  // As from a runtime that does not decode it at all.
  if (!opened) throw unsupported(isOther)
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes))
      controller.close()
    },
  })
  try {
    return await gatherStream(source.pipeThrough(opened), counter(maxBytes, lease))
  } catch (error) {
    throw error instanceof ProblemError ? error : invalid(isOther)
  }
}
