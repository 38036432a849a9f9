import { LRUCache } from 'lru-cache'
import type { StructureLimits } from '../json/structure.ts'
import { Trail } from '../model/trail.ts'
import type { KnownBody } from './known-body.ts'
import type { WrittenBody } from './written-body.ts'

/** The last request of a session. */
export interface RecalledSession {
  /** Where it is found again. */
  readonly place: string
  readonly limits: StructureLimits
  known: KnownBody
  opening: Opening | undefined
  written?: WrittenBody
  /** What its pieces became on their way. */
  readonly trail: Trail
}

/** Where the first turn of a body ends, and a number for what stands before: there the sessions of a client differ. */
interface Opening {
  readonly end: number
  readonly hash: number
}

const OPENING_BYTES = 128
/** The beginning of a body, by which it is found: in front of the first turn, which a client may send first. */
const BEGINNING_BYTES = 64
/** So many sessions may begin with the same bytes, as all those of a client do. */
const MOST_ALIKE = 512
/** So many openings are noted, each in some hundred bytes. */
const MOST_OPENINGS = 4096
/** So many of the last sessions are looked at where none is likely: one that was edited may be among them. */
export const MOST_UNLIKELY = 16
/**
 * What a session takes for each byte of its body: the bytes that came; and where it is translated those that went,
 * and what they spell, whose characters may take two bytes each.
 */
const PASSED_BYTES = 1.25
const TRANSLATED_BYTES = 5
/** What it takes for each value of a body that is translated: as it was read, in the model, and as it was written. */
const VALUE_BYTES = 160

/** The sessions that were seen last, as many as there is room for. */
export class SessionStore {
  /** With what they take: a value that stays the same would keep its size. */
  #sessions: LRUCache<RecalledSession, number>
  /** By owner and beginning, the last ones behind. */
  readonly #places = new Map<string, RecalledSession[]>()

  /** How the last new sessions opened. */
  readonly #openings = new LRUCache<string, true>({ max: MOST_OPENINGS })

  constructor(mostBytes: number) {
    this.#sessions = this.#made(mostBytes)
  }

  get isOff(): boolean {
    return this.#sessions.maxSize <= 1
  }

  get held(): number {
    return this.#sessions.calculatedSize
  }

  bound(mostBytes: number): void {
    if (mostBytes === this.#sessions.maxSize) return
    this.#places.clear()
    this.#sessions = this.#made(mostBytes)
  }

  /**
   * The sessions of an owner that a body may go on with, read within the same limits: those that open as it does, or
   * some of the last ones.
   */
  alike(
    owner: string,
    bytes: Uint8Array,
    { depth, nodes }: StructureLimits,
  ): readonly RecalledSession[] {
    const opens = opener(bytes)
    const found = (this.#places.get(placeOf(owner, bytes)) ?? []).filter(
      ({ limits }) => limits.depth === depth && limits.nodes === nodes,
    )
    const alike = found.filter(({ opening }) => !opening || opens(opening))
    return alike.length > 0 ? alike : found.slice(-MOST_UNLIKELY)
  }

  /** Notes that the first turn of a body ends here, and tells whether one that opens so had been noted. */
  noteOpening(owner: string, bytes: Uint8Array, end: number | undefined): boolean {
    // Without a first turn there is nothing by which to know it again.
    if (end === undefined) return true
    const name = `${end}\0${hashBefore(bytes, end)}\0${placeOf(owner, bytes)}`
    if (this.#openings.has(name)) return true
    this.#openings.set(name, true)
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
      trail: new Trail(),
    }
    session.known = known
    session.opening = openingOf(known)
    const others = (this.#places.get(session.place) ?? []).filter((each) => each !== session)
    const [oldest] = others
    if (oldest && others.length >= MOST_ALIKE) this.#sessions.delete(oldest)
    const stay = others.slice(1 - MOST_ALIKE)
    this.#places.set(session.place, [...stay, session])
    this.weigh(session)
    return session
  }

  /** Counts what a session takes, which may be too much to stay. */
  weigh(session: RecalledSession): void {
    const size = sizeOf(session)
    this.#sessions.set(session, size, { size })
    if (!this.#sessions.has(session)) this.#forget(session)
  }

  #made(mostBytes: number): LRUCache<RecalledSession, number> {
    return new LRUCache<RecalledSession, number>({
      maxSize: Math.max(1, mostBytes),
      dispose: (_, session, reason) => reason === 'set' || this.#forget(session),
    })
  }

  #forget(session: RecalledSession): void {
    const left = (this.#places.get(session.place) ?? []).filter((each) => each !== session)
    if (left.length > 0) this.#places.set(session.place, left)
    else this.#places.delete(session.place)
  }
}

function sizeOf({ known: { bytes, nodes, value }, written }: RecalledSession): number {
  const isTranslated = value !== undefined || written !== undefined
  return isTranslated
    ? bytes.length * TRANSLATED_BYTES + nodes * VALUE_BYTES
    : Math.ceil(bytes.length * PASSED_BYTES)
}

/** A hash is enough: what is found is compared byte for byte. */
const placeOf = (owner: string, bytes: Uint8Array): string =>
  `${hashOf(bytes, 0, BEGINNING_BYTES)}\0${owner}`

function openingOf(known: KnownBody): Opening | undefined {
  const end = endOfOpening(known)
  return end === undefined ? undefined : { end, hash: hashBefore(known.bytes, end) }
}

/** Where the first turn ends, if that is known. */
export const endOfOpening = (known: KnownBody): number | undefined =>
  known.isLaidOut ? known.layout.turns?.ends[0] : undefined

/** Whether a body opens as another one does. Most of the others' first turns end at a few places. */
function opener(bytes: Uint8Array): (opening: Opening) => boolean {
  const hashes = new Map<number, number>()
  return ({ end, hash }) => {
    const own = hashes.get(end) ?? hashBefore(bytes, end)
    hashes.set(end, own)
    return own === hash
  }
}

const hashBefore = (bytes: Uint8Array, end: number): number =>
  hashOf(bytes, Math.max(0, end - OPENING_BYTES), end)

/** Where the bytes end before, zeros count for them. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return hash
}
