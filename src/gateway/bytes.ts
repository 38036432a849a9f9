export const NOTHING: Uint8Array = new Uint8Array(0)

/** One array of several; a single part that holds everything is not copied. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const full = parts.filter((part) => part.length > 0)
  const [first = NOTHING] = full
  if (full.length < 2) return first
  const whole = new Uint8Array(full.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of full) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
