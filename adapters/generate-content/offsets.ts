/**
 * The service counts UTF-8 bytes, the canonical model UTF-16 units. A table per text makes each conversion
 * one step; plain ASCII needs none.
 */
export interface Offsets {
  toUnit(byte: number): number
  toByte(unit: number): number
  bytes: number
}

export function createOffsets(text: string): Offsets {
  if (!/[^\0-\x7f]/.test(text)) return { toUnit: same, toByte: same, bytes: text.length }
  const byteAt = new Uint32Array(text.length + 1)
  let bytes = 0
  let unit = 0
  for (const character of text) {
    // The second half of a pair counts as its beginning: no offset may split a character.
    byteAt.fill(bytes, unit, unit + character.length)
    bytes += utf8Width(character.codePointAt(0) ?? 0)
    unit += character.length
  }
  byteAt[unit] = bytes
  return {
    toByte: (at) => byteAt[Math.min(Math.max(at, 0), text.length)] ?? bytes,
    toUnit: (byte) => unitAt(byteAt, byte),
    bytes,
  }
}

const same = (offset: number): number => offset

function utf8Width(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** The first unit at or behind the byte. */
function unitAt(byteAt: Uint32Array, byte: number): number {
  let [low, high] = [0, byteAt.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((byteAt[middle] ?? 0) < byte) low = middle + 1
    else high = middle
  }
  return low
}
