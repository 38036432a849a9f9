import { VALUE_BYTES } from '../../json/bytes.ts'
import type { StructureLimits } from '../../json/structure.ts'
import type { KnownBody } from './known-body.ts'
import { bodyOpening, hashOf, namesOf, Openings, type BodyOpening } from './opening.ts'
import type { WrittenBody } from '../../json/written-body.ts'

/** The last request of a session. */
export interface RecalledSession {
  /** Where it is found again. */
  readonly place: string
  readonly limits: StructureLimits
  known: KnownBody
  opening: BodyOpening | undefined
  written?: WrittenBody
  /** A body of it was parsed, as the next one will be, too. */
  isParsed: boolean
}

/** The beginning of a body, by which it is found: in front of the first turn, which a client may send first. */
const BEGINNING_BYTES = 64
/** How many sessions may begin with the same bytes, as all those of a client do. */
const MOST_SIMILAR = 512
/** How many openings are noted; each takes some hundred bytes. */
const MOST_OPENINGS = 4096
/** How many of the last sessions are looked at where none is likely: one that was edited may be among them. */
export const MOST_UNLIKELY = 16
/**
 * What a session takes for each byte of its body: the bytes that came; and where it is translated those that went,
 * and what they spell, whose characters may take two bytes each.
 */
const PASSED_BYTES = 1.25
const TRANSLATED_BYTES = 5
/**
 * What it takes for each turn beside that: where it ends; and where it is translated its place in all the lists that
 * are made on the way (measured: up to 1,000 bytes for turns of a letter, messages to generate-content).
 */
const PASSED_TURN_BYTES = 16
const TRANSLATED_TURN_BYTES = 1000

/** The sessions that were seen last, as many as there is room for. */
export class SessionStore {
  /** With what they take, the oldest first. */
  readonly #sessions = new Map<RecalledSession, number>()
  #held = 0
  #mostBytes: number
  /** By owner and beginning. */
  readonly #places = new Map<string, Openings<RecalledSession>>()

  /** How the last new sessions opened. */
  readonly #openings = new Set<string>()

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get isOff(): boolean {
    return this.#mostBytes === 0
  }

  get held(): number {
    return this.#held
  }

  bound(mostBytes: number): void {
    if (mostBytes === this.#mostBytes) return
    this.#mostBytes = mostBytes
    this.#places.clear()
    this.#sessions.clear()
    this.#held = 0
  }

  /**
   * The sessions of an owner that a body may go on with, read within the same limits: those that open as it does, or
   * some of the last ones.
   */
  similar(
    owner: string,
    bytes: Uint8Array,
    { depth, nodes }: StructureLimits,
  ): readonly RecalledSession[] {
    const isWithin = ({ limits }: RecalledSession): boolean =>
      limits.depth === depth && limits.nodes === nodes
    const found = this.#places.get(placeOf(owner, bytes))
    if (!found) return []
    const similar = found.similar(bytes).filter(isWithin)
    return similar.length > 0 ? similar : found.list().filter(isWithin).slice(-MOST_UNLIKELY)
  }

  /**
   * Tells whether a body begins with the first turns of one that was noted; if not, notes it by all of its own first
   * turns together, because other sessions of the client may begin with some of the same.
   */
  noteOpening(owner: string, bytes: Uint8Array, turnEnds: readonly number[] | undefined): boolean {
    const names = namesOf(bodyOpening(bytes, turnEnds ?? []))
    const last = names.at(-1)
    // Without a first turn there is nothing by which to know it again.
    if (last === undefined) return true
    const place = placeOf(owner, bytes)
    if (names.some((name) => this.#openings.has(name + place))) return true
    this.#openings.add(last + place)
    if (this.#openings.size > MOST_OPENINGS) dropFirst(this.#openings)
    return false
  }

  /** Keeps a body as the last one of its session, or of a new one. */
  keep(
    before: RecalledSession | undefined,
    owner: string,
    known: KnownBody,
    limits: StructureLimits,
  ): RecalledSession {
    const session = before ?? {
      place: placeOf(owner, known.bytes),
      limits,
      known,
      opening: undefined,
      isParsed: false,
    }
    const similar = this.#places.get(session.place) ?? new Openings()
    this.#places.set(session.place, similar)
    similar.delete(session)
    // Asked only where there are too many: finding the oldest skips all that have moved to the end.
    const oldest = similar.size < MOST_SIMILAR ? undefined : similar.oldest
    if (oldest) this.#forget(oldest)
    session.isParsed ||= session.known.value !== undefined
    session.known = known
    session.opening = openingIn(known)
    similar.add(session)
    this.#count(session)
    return session
  }

  /** Counts anew what a session takes, unless it was pushed out since: then nothing would find it. */
  weigh(session: RecalledSession): void {
    if (this.#sessions.has(session)) this.#count(session)
  }

  /** Older ones go for what a session takes; it may be too much to stay itself. */
  #count(session: RecalledSession): void {
    const size = sizeOf(session)
    this.#uncount(session)
    if (size > this.#mostBytes) return this.#forget(session)
    this.#sessions.set(session, size)
    this.#held += size
    for (const oldest of this.#sessions.keys()) {
      if (this.#held <= this.#mostBytes) break
      this.#forget(oldest)
    }
  }

  /** Whether what its body becomes on its way has room, too. */
  hasRoom({ known }: RecalledSession): boolean {
    return translatedSize(known) <= this.#mostBytes
  }

  #uncount(session: RecalledSession): void {
    this.#held -= this.#sessions.get(session) ?? 0
    this.#sessions.delete(session)
  }

  #forget(session: RecalledSession): void {
    this.#uncount(session)
    const similar = this.#places.get(session.place)
    similar?.delete(session)
    if (similar?.size === 0) this.#places.delete(session.place)
  }
}

function dropFirst(names: Set<string>): void {
  for (const name of names) return void names.delete(name)
}

function sizeOf({ known, isParsed, written }: RecalledSession): number {
  const { bytes, turns } = known
  return isParsed || written !== undefined
    ? translatedSize(known)
    : Math.ceil(bytes.length * PASSED_BYTES) + turns * PASSED_TURN_BYTES
}

const translatedSize = ({ bytes, nodes, turns }: KnownBody): number =>
  bytes.length * TRANSLATED_BYTES + nodes * VALUE_BYTES + turns * TRANSLATED_TURN_BYTES

/** A hash is enough: what is found is compared byte for byte. */
const placeOf = (owner: string, bytes: Uint8Array): string =>
  `${hashOf(bytes, 0, BEGINNING_BYTES)}\0${owner}`

/** All of its first turns but the last one, which may change. */
function openingIn(known: KnownBody): BodyOpening | undefined {
  const ends = turnEndsOf(known)
  return ends?.length
    ? bodyOpening(known.bytes, ends.slice(0, Math.max(1, ends.length - 1)))
    : undefined
}

/** Where the turns end, if that is known. */
export const turnEndsOf = (known: KnownBody): readonly number[] | undefined =>
  known.isLaidOut ? known.layout.turns?.ends : undefined
