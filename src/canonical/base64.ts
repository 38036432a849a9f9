/** No platform is at hand in the pure parts, so the two directions are spelled out here. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 of the text's UTF-8 bytes. */
export function encodeBase64(text: string): string {
  const bytes = utf8(text)
  let out = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]]
    out += ALPHABET.charAt(first >> 2)
    out += ALPHABET.charAt(((first & 3) << 4) | ((second ?? 0) >> 4))
    out += second === undefined ? '=' : ALPHABET.charAt(((second & 15) << 2) | ((third ?? 0) >> 6))
    out += third === undefined ? '=' : ALPHABET.charAt(third & 63)
  }
  return out
}

const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]))
VALUES.set('-', 62).set('_', 63)

/** Undefined for what is not the base64 of UTF-8 text. */
export function decodeBase64(text: string): string | undefined {
  let bits = 0
  let held = 0
  let escaped = ''
  for (const letter of text.replace(/[\s=]/g, '')) {
    const value = VALUES.get(letter)
    if (value === undefined) return undefined
    held = ((held << 6) | value) & 0xfff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    escaped += `%${((held >> bits) & 255).toString(16).padStart(2, '0')}`
  }
  try {
    return decodeURIComponent(escaped)
  } catch {
    return undefined
  }
}

function utf8(text: string): number[] {
  const bytes: number[] = []
  for (const part of encodeURIComponent(text.toWellFormed()).matchAll(/%(..)|[^%]/g))
    bytes.push(part[1] === undefined ? part[0].charCodeAt(0) : Number.parseInt(part[1], 16))
  return bytes
}
