/**
 * How a body opens: where its first turns end, and a number for what stands before each end. The sessions of a client
 * may have the first of them in common: its instructions, where the dialect has them among the turns, or what Codex
 * 0.171 and Gemini CLI 0.61 say of the folder before a user says anything.
 */
export interface BodyOpening {
  readonly ends: readonly number[]
  readonly hashes: readonly number[]
}

/** How many turns may stand in front of what a user says first. */
export const MOST_TURNS = 4
/** Of what stands before the end of a turn only the last bytes are hashed: sessions differ in them. */
const HASHED_BYTES = 128

export function bodyOpening(bytes: Uint8Array, turnEnds: readonly number[]): BodyOpening {
  const ends = turnEnds.slice(0, MOST_TURNS)
  return { ends, hashes: ends.map((end) => hashBefore(bytes, end)) }
}

/** Names for what comes before the end of each of the turns. A request that goes on has those of its first one. */
export const namesOf = ({ ends, hashes }: BodyOpening): string[] =>
  ends.map((end, index) => `${end}\0${hashes.slice(0, index + 1).join()}`)

/** What is kept of a session: its last body, and how that opens, where this is known. */
export interface Opened {
  readonly known: { readonly bytes: Uint8Array }
  readonly opening: BodyOpening | undefined
}

/** Sessions whose first turns end at the same places. */
interface Group<Session> {
  readonly ends: readonly number[]
  /** Where the first of them ends: most bodies have another one there, which is cheaper to see than a hash. */
  readonly byte: number | undefined
  /** By one number for what stands before all of the ends. */
  readonly similar: Map<number, Set<Session>>
}

/** Sessions, the last ones behind; a body finds those that it may go on with at once, however many there are. */
export class Openings<Session extends Opened> {
  readonly #sessions = new Set<Session>()
  /** Those of which it is not known how they open. */
  readonly #unknown = new Set<Session>()
  readonly #groups = new Map<string, Group<Session>>()

  get size(): number {
    return this.#sessions.size
  }

  list(): Session[] {
    return [...this.#sessions]
  }

  get oldest(): Session | undefined {
    const [oldest] = this.#sessions
    return oldest
  }

  add(session: Session): void {
    this.#sessions.add(session)
    const { known, opening } = session
    if (!opening) return void this.#unknown.add(session)
    const place = placeOf(known.bytes, opening)
    const { ends } = opening
    const group = this.#groups.get(place) ?? {
      ends,
      byte: byteAt(known.bytes, ends),
      similar: new Map(),
    }
    this.#groups.set(place, group)
    const hash = joined(opening.hashes)
    group.similar.set(hash, (group.similar.get(hash) ?? new Set()).add(session))
  }

  /** The session must not have changed since it was added. */
  delete(session: Session): void {
    const { known, opening } = session
    if (!this.#sessions.delete(session)) return
    if (!opening) return void this.#unknown.delete(session)
    const place = placeOf(known.bytes, opening)
    const hash = joined(opening.hashes)
    const group = this.#groups.get(place)
    const others = group?.similar.get(hash)
    others?.delete(session)
    if (others?.size === 0) group?.similar.delete(hash)
    if (group?.similar.size === 0) this.#groups.delete(place)
  }

  /**
   * Those that open as a body does, where the last turn of theirs is left out (Claude Code 2.1.331 marks that one to be
   * cached, and then no more), and those that may.
   */
  similar(bytes: Uint8Array): Session[] {
    const found = [...this.#unknown]
    for (const { ends, byte, similar } of this.#groups.values()) {
      if (byteAt(bytes, ends) !== byte) continue
      const hash = joined(ends.map((end) => hashBefore(bytes, end)))
      found.push(...(similar.get(hash) ?? []))
    }
    return found
  }
}

const byteAt = (bytes: Uint8Array, [end = 0]: readonly number[]): number | undefined =>
  bytes[end - 1]

const placeOf = (bytes: Uint8Array, { ends }: BodyOpening): string =>
  `${ends.join()}:${byteAt(bytes, ends)}`

const joined = (hashes: readonly number[]): number =>
  hashes.reduce((all, hash) => Math.imul(all ^ hash, PRIME), 0)

const PRIME = 0x01000193

const hashBefore = (bytes: Uint8Array, end: number): number =>
  hashOf(bytes, Math.max(0, end - HASHED_BYTES), end)

/** Where the bytes end before, zeros count for them. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME)
  return hash
}
