import { encoded } from './bytes.ts'
import { lazily } from './memoize.ts'

const BLOCK_BYTES = 64
const WORDS = 64

/** The first primes. The constants are fractions of their roots (FIPS 180-4, sections 4.2.2 and 5.3.3). */
const constants = lazily(() => {
  const primes: number[] = []
  for (let n = 2; primes.length < WORDS; n += 1)
    if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return {
    rounds: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    start: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  }
})

const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The message schedule of one block. It is shared, because nothing of it is needed afterwards. */
const words = new Int32Array(WORDS)

/**
 * SHA-256 in hexadecimal digits. Computed here because the platforms' own (`crypto.subtle`) is asynchronous, which
 * costs more than the hash of a short text.
 */
export const sha256Hex = (text: string): string => spellHex(digest(encoded(text)))

/** HMAC-SHA-256 (RFC 2104) in hexadecimal digits. */
export function hmacSha256Hex(key: string, text: string): string {
  const given = encoded(key)
  const fitting = given.length > BLOCK_BYTES ? toBytes(digest(given)) : given
  const padded = (pad: number, message: Uint8Array): Uint8Array => {
    const bytes = new Uint8Array(BLOCK_BYTES + message.length).fill(pad, 0, BLOCK_BYTES)
    for (const [at, byte] of fitting.entries()) bytes[at] = byte ^ pad
    bytes.set(message, BLOCK_BYTES)
    return bytes
  }
  return spellHex(digest(padded(0x5c, toBytes(digest(padded(0x36, encoded(text)))))))
}

function toBytes(state: Int32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(state.length * 4))
  for (const [index, word] of state.entries()) view.setInt32(index * 4, word)
  return new Uint8Array(view.buffer)
}

function digest(bytes: Uint8Array): Int32Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  const { rounds, start } = constants()
  const state = start.slice()
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    schedule(view, at)
    mix(state, rounds)
  }
  return state
}

/** Each byte in hexadecimal digits. */
export const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function spellHex(words32: Int32Array): string {
  let hex = ''
  for (const word of words32)
    for (let shift = 24; shift >= 0; shift -= 8) hex += HEX[(word >>> shift) & 255] ?? ''
  return hex
}

function schedule(view: DataView, at: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(at + index * 4)
  for (let index = 16; index < WORDS; index += 1) {
    const near = words[index - 2] ?? 0
    const far = words[index - 15] ?? 0
    const first = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)
    const second = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)
    words[index] = (words[index - 16] ?? 0) + first + (words[index - 7] ?? 0) + second
  }
}

function mix(state: Int32Array, rounds: Int32Array): void {
  // Destructuring would ask the list's iterator, which took a third of the time of a hash.
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  let e = state[4] ?? 0
  let f = state[5] ?? 0
  let g = state[6] ?? 0
  let h = state[7] ?? 0
  for (let index = 0; index < WORDS; index += 1) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const chosen = (e & f) ^ (~e & g)
    const first = (h + high + chosen + (rounds[index] ?? 0) + (words[index] ?? 0)) | 0
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const next = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < next.length; index += 1)
    state[index] = (state[index] ?? 0) + (next[index] ?? 0)
}
