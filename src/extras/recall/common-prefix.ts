/** Whether two ranges of bytes of one length are the same; a platform may bring a quicker way. */
export type IsSame = (one: Uint8Array, other: Uint8Array) => boolean

export function isSameByte(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false
  return true
}

/** How many bytes are compared at first; each time twice as many. */
const FIRST_BYTES = 512

/** How many bytes two texts have in common at their beginning. */
export const commonPrefix = (one: Uint8Array, other: Uint8Array, same: IsSame): number =>
  commonLength(Math.min(one.length, other.length), (from, to) =>
    same(one.subarray(from, to), other.subarray(from, to)),
  )

/** The same at their end. */
export const commonSuffix = (one: Uint8Array, other: Uint8Array, same: IsSame): number =>
  commonLength(Math.min(one.length, other.length), (from, to) =>
    same(
      one.subarray(one.length - to, one.length - from),
      other.subarray(other.length - to, other.length - from),
    ),
  )

/** Looks at ranges that grow until two differ, and there at ever smaller ones. */
function commonLength(most: number, areSame: (from: number, to: number) => boolean): number {
  let at = 0
  let step = FIRST_BYTES
  while (at < most) {
    const to = Math.min(most, at + step)
    if (!areSame(at, to)) break
    at = to
    step *= 2
  }
  for (let left = Math.min(step, most - at); left > 1;) {
    const half = left >> 1
    if (areSame(at, at + half)) {
      at += half
      left -= half
    } else left = half
  }
  return at
}
