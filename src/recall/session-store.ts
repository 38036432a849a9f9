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
  written?: WrittenBody
  /** What its pieces became on their way. */
  readonly trail: Trail
}

/** The beginning of a body, by which it is found. */
const BEGINNING_BYTES = 256
/** So many sessions may begin with the same bytes, as all those of a client do that has long instructions. */
const MOST_ALIKE = 256
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

  /** The sessions of an owner whose bodies begin as this one does, and were read within the same limits. */
  alike(
    owner: string,
    bytes: Uint8Array,
    { depth, nodes }: StructureLimits,
  ): readonly RecalledSession[] {
    const found = this.#places.get(placeOf(owner, bytes)) ?? []
    return found.filter(({ limits }) => limits.depth === depth && limits.nodes === nodes)
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
      trail: new Trail(),
    }
    session.known = known
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
function placeOf(owner: string, bytes: Uint8Array): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < BEGINNING_BYTES; at += 1)
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return `${hash}\0${owner}`
}
