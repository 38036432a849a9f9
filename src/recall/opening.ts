/**
 * How a body opens: where its first turns end, and a number for what stands before each end. The sessions of a client
 * may have the first of them in common: its instructions, where the dialect has them among the turns, or what Codex
 * 0.171 and Gemini CLI 0.61 say of the folder before a user says anything.
 */
export interface BodyOpening {
  readonly ends: readonly number[]
  readonly hashes: readonly number[]
}

/** So many turns may stand in front of what a user says first. */
export const MOST_TURNS = 4
/** In so many bytes before the end of a turn sessions differ. */
const HASHED_BYTES = 128

export function bodyOpening(bytes: Uint8Array, turnEnds: readonly number[]): BodyOpening {
  const ends = turnEnds.slice(0, MOST_TURNS)
  return { ends, hashes: ends.map((end) => hashBefore(bytes, end)) }
}

/** Names for what comes before the end of each of the turns. A request that goes on has those of its first one. */
export const namesOf = ({ ends, hashes }: BodyOpening): string[] =>
  ends.map((end, index) => `${end}\0${hashes.slice(0, index + 1).join()}`)

/**
 * Whether a body opens as another one does, of which the last turn is left out: Claude Code 2.1.331 marks that one to
 * be cached, and then no more. Most of the others' turns end at a few places.
 */
export function opener(bytes: Uint8Array): (opening: BodyOpening, other: Uint8Array) => boolean {
  const hashes = new Map<number, number>()
  const hashAt = (end: number): number => {
    const known = hashes.get(end) ?? hashBefore(bytes, end)
    hashes.set(end, known)
    return known
  }
  return (opening, other) =>
    opening.ends.every(
      (end, index) => bytes[end - 1] === other[end - 1] && hashAt(end) === opening.hashes[index],
    )
}

const hashBefore = (bytes: Uint8Array, end: number): number =>
  hashOf(bytes, Math.max(0, end - HASHED_BYTES), end)

/** Where the bytes end before, zeros count for them. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return hash
}
