import type { AmazonFrame, Frame, SayFrame } from './codec.ts'
import { encoded, joinBytes, utf8Text } from '../json/bytes.ts'
import { lazily } from '../json/memoize.ts'
import type { ByteSource } from './source.ts'

/** The lengths of the whole and of the headers, with their checksum; and the checksum behind all. */
const PRELUDE_BYTES = 12
const SUM_BYTES = 4
/** What is longer is no event of a reply (`limits.eventBytes` has the same default). */
const MOST_BYTES = 16 * 1_048_576

/** The text of server-sent events, in place of the frames that come from `source`. Rejects for one that is damaged. */
export function reframed(source: ByteSource, say: SayFrame): ByteSource {
  const decoder = new FrameDecoder()
  return {
    async read() {
      for (;;) {
        const bytes = await source.read()
        if (!bytes) return decoder.end()
        const text = decoder.push(bytes).map((frame) => spell(say(frame)))
        const joined = text.join('')
        if (joined !== '') return encoded(joined)
      }
    },
    cancel: () => source.cancel(),
  }
}

/** White space between the members of an event may hold ends of lines. */
const spell = (frame: Frame | undefined): string =>
  frame ? `event: ${frame.event}\ndata: ${frame.data.replaceAll(/[\r\n]+/g, ' ')}\n\n` : ''

class FrameDecoder {
  #pieces: Uint8Array[] = []
  #size = 0
  /** So many bytes have to be there before there is something to do. */
  #needed = PRELUDE_BYTES

  push(bytes: Uint8Array): AmazonFrame[] {
    this.#pieces.push(bytes)
    this.#size += bytes.length
    if (this.#size < this.#needed) return []
    return this.#take(joinBytes(this.#pieces))
  }

  /** The regular end, which is between two frames. */
  end(): undefined {
    if (this.#size > 0) throw damaged('ends in the middle')
  }

  #take(bytes: Uint8Array): AmazonFrame[] {
    const frames: AmazonFrame[] = []
    let rest = bytes
    for (;;) {
      this.#needed = rest.length < PRELUDE_BYTES ? PRELUDE_BYTES : lengthOf(rest)
      if (rest.length < this.#needed) break
      frames.push(readFrame(rest.subarray(0, this.#needed)))
      rest = rest.subarray(this.#needed)
    }
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#size = rest.length
    return frames
  }
}

const damaged = (why: string): Error => new Error(`a frame of the upstream ${why}`)

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/** The length of the frame that begins here. */
function lengthOf(bytes: Uint8Array): number {
  const view = viewOf(bytes)
  const [total, headers, sum] = [view.getUint32(0), view.getUint32(4), view.getUint32(8)]
  if (crc32(bytes.subarray(0, 8)) !== sum) throw damaged('has a wrong checksum')
  if (total > MOST_BYTES || total < PRELUDE_BYTES + headers + SUM_BYTES)
    throw damaged('has a wrong length')
  return total
}

function readFrame(bytes: Uint8Array): AmazonFrame {
  const end = bytes.length - SUM_BYTES
  if (crc32(bytes.subarray(0, end)) !== viewOf(bytes).getUint32(end))
    throw damaged('has a wrong checksum')
  const body = PRELUDE_BYTES + viewOf(bytes).getUint32(4)
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, body))
  const kind = headers.get(':message-type') ?? ''
  const name = `:${kind === 'error' ? 'error-code' : `${kind}-type`}`
  return {
    kind,
    name: headers.get(name) ?? '',
    message: headers.get(':error-message') ?? '',
    payload: utf8Text(bytes.subarray(body, end)),
  }
}

/** The bytes of a value by its type; a text and raw bytes have their length before them. */
const SIZES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const TEXT = 7

function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>()
  const view = viewOf(bytes)
  let at = 0
  const take = (size: number): Uint8Array => {
    if (at + size > bytes.length) throw damaged('has a header that is cut off')
    at += size
    return bytes.subarray(at - size, at)
  }
  const number = (size: 1 | 2): number => {
    take(size)
    return size === 1 ? view.getUint8(at - 1) : view.getUint16(at - 2)
  }
  while (at < bytes.length) {
    const name = utf8Text(take(number(1)))
    const type = number(1)
    if (type >= SIZES.length) throw damaged('has a header of an unknown type')
    const value = take(SIZES[type] ?? number(2))
    if (type === TEXT) headers.set(name, utf8Text(value))
  }
  return headers
}

/** The remainders of all bytes, for the reflected polynomial of Ethernet. */
const remainders = lazily(() =>
  Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
    return rest
  }),
)

function crc32(bytes: Uint8Array): number {
  const table = remainders()
  let sum = 0xffffffff
  for (const byte of bytes) sum = (table[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}
