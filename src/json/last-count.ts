/** The letters that JSON of a stream has least of: few places have to be looked at. */
const RARE = /[jkqvxz]/
const BLANK = 32
const COLON = 58
const ZERO = 48
const NINE = 57

/**
 * Finds the number behind the last member of that name. Nothing is parsed, so that every piece of a stream can be
 * asked: inside a string the quotes around the name would be escaped. A member of that name deep inside the last event
 * is taken for its own; none is known.
 */
export function countFinder(name: string): (bytes: Uint8Array) => number | undefined {
  const member = new TextEncoder().encode(`"${name}"`)
  const offset = Math.max(0, name.search(RARE)) + 1
  const letter = member[offset] ?? 0
  return (bytes) => {
    for (let at = bytes.lastIndexOf(letter); at >= offset; at = bytes.lastIndexOf(letter, at - 1)) {
      const start = at - offset
      const count = isAt(bytes, start, member) ? countAt(bytes, start + member.length) : undefined
      if (count !== undefined) return count
    }
    return undefined
  }
}

function isAt(bytes: Uint8Array, start: number, sought: Uint8Array): boolean {
  for (let index = 0; index < sought.length; index += 1)
    if (bytes[start + index] !== sought[index]) return false
  return true
}

function countAt(bytes: Uint8Array, start: number): number | undefined {
  let at = behindBlanks(bytes, start)
  if (bytes[at] !== COLON) return undefined
  at = behindBlanks(bytes, at + 1)
  let count: number | undefined
  for (let digit = bytes[at] ?? 0; digit >= ZERO && digit <= NINE; digit = bytes[at] ?? 0) {
    count = (count ?? 0) * 10 + digit - ZERO
    at += 1
  }
  return Number.isSafeInteger(count) ? count : undefined
}

function behindBlanks(bytes: Uint8Array, start: number): number {
  let at = start
  while (bytes[at] === BLANK) at += 1
  return at
}
