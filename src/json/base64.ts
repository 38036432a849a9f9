/**
 * Base64 of UTF-8 text. Base64 in plain JavaScript was measured at 17 times the cost of the platform's native code,
 * so this file picks what the platform has. Nothing else in the pure rooms touches a platform.
 */
interface Platform {
  /** Node, and Workers with the flag `nodejs_compat`. */
  Buffer?: {
    from(text: string, encoding: 'base64' | 'utf8'): Uint8Array & { toString(as: 'base64'): string }
  }
  TextEncoder?: new () => { encode(text: string): Uint8Array }
  TextDecoder?: new (
    label: 'utf-8',
    options: { fatal: true; ignoreBOM: true },
  ) => { decode(bytes: Uint8Array): string }
  atob?(text: string): string
  btoa?(binary: string): string
}

/** What JavaScript itself has since 2025 (tc39/proposal-arraybuffer-base64), and Node from 25 on. */
interface Native {
  fromBase64?(text: string, options: { lastChunkHandling: 'loose' }): Uint8Array
}

export interface Base64Codec {
  toBytes(base64: string): Uint8Array
  ofText(text: string): string
}

/** The ways to do it, the fastest first; undefined where the platform does not have it. */
export const codecs = (platform: Platform, native: Native): (Base64Codec | undefined)[] => {
  const { Buffer, TextEncoder, atob, btoa } = platform
  const buffer = Buffer && {
    toBytes: (base64: string) => Buffer.from(base64, 'base64'),
    ofText: (text: string) => Buffer.from(text, 'utf8').toString('base64'),
  }
  if (!TextEncoder || !btoa || !atob) return [buffer]
  const utf8 = new TextEncoder()
  const ofText = (text: string) => btoa(toBinaryString(utf8.encode(text)))
  const { fromBase64 } = native
  return [
    buffer,
    fromBase64 && {
      toBytes: (base64) => fromBase64.call(Uint8Array, base64, { lastChunkHandling: 'loose' }),
      ofText,
    },
    {
      toBytes: (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)),
      ofText,
    },
  ]
}

/** The number of arguments that every JavaScript engine accepts in one call. */
const SLICE_BYTES = 8192

function toBinaryString(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += SLICE_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES))
  return binary
}

const platform = globalThis as Platform

function ownCodec(): Base64Codec {
  const codec = codecs(platform, Uint8Array as Native).find((one) => one !== undefined)
  if (!codec) throw new Error('This platform has no base64.')
  return codec
}

const codec = ownCodec()
const decoder =
  platform.TextDecoder && new platform.TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const ALPHABET = /^[\w+/-]*$/

/** Base64 of the text's UTF-8 bytes. */
export const encodeBase64 = (text: string): string => codec.ofText(text.toWellFormed())

/** The text; undefined for anything that is not base64 of UTF-8. */
export const decodeBase64 = (text: string): string | undefined => decodeWith(codec, text)

export function decodeWith(using: Base64Codec, text: string): string | undefined {
  const plain = /[\s=]/.test(text) ? text.replace(/[\s=]/g, '') : text
  if (!ALPHABET.test(plain)) return undefined
  const letters = plain.replaceAll('-', '+').replaceAll('_', '/')
  // Four letters hold three bytes, so a single letter left over holds no whole byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters
  try {
    return decoder?.decode(using.toBytes(whole))
  } catch {
    return undefined
  }
}
