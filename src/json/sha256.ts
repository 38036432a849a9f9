import { encoded } from './bytes.ts'

const BLOCK_BYTES = 64
const WORDS = 64

/** The fractions of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const primes = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && Array.from({ length: n - 2 }, (_, d) => d + 2).every((d) => n % d !== 0),
)
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0
const ROUNDS = primes.slice(0, WORDS).map((prime) => fraction(Math.cbrt(prime)))
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** SHA-256 in hexadecimal digits, at once: what the platforms have makes everybody wait, for a short text too. */
export function sha256Hex(text: string): string {
  const bytes = encoded(text)
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  let state = START
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) state = mixed(state, schedule(view, at))
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function schedule(view: DataView, at: number): Int32Array {
  const words = new Int32Array(WORDS)
  const word = (index: number): number => words[index] ?? 0
  for (let index = 0; index < WORDS; index += 1) {
    if (index < 16) words[index] = view.getInt32(at + index * 4)
    else {
      const near = word(index - 2)
      const far = word(index - 15)
      const first = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)
      const second = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)
      words[index] = word(index - 16) + first + word(index - 7) + second
    }
  }
  return words
}

function mixed(state: readonly number[], words: Int32Array): number[] {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < WORDS; index += 1) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const chosen = (e & f) ^ (~e & g)
    const first = (h + high + chosen + (ROUNDS[index] ?? 0) + (words[index] ?? 0)) | 0
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  const next = [a, b, c, d, e, f, g, h]
  return state.map((word, index) => (word + (next[index] ?? 0)) | 0)
}
