import type { RouteSettings } from '../config/settings.ts'
import { sha256Hex } from '../json/sha256.ts'
import { type EntryName, SharedTable } from './shared-table.ts'

/** Where a session was served last: the next request of it goes there again. */
export interface SessionPlace {
  route: RouteSettings
  member: string
  account: string
}

interface Bound extends SessionPlace {
  until: number
}

const DIGITS = 16
/** Bounded, because callers choose the names of models. */
const MOST_PLACES = 16

/** One session of one caller, and the members that have served it. */
export class Session {
  readonly identity: string
  readonly name: SessionName
  #hash: string | undefined
  #main: Bound | undefined
  readonly #own = new Map<string, Bound>()

  constructor(identity: string, name: SessionName) {
    this.identity = identity
    this.name = owned(name)
  }

  /** The beginning of the SHA-256 of whose it is and its name, as the log shows it. */
  get hash(): string {
    const { identity, name } = this
    return (this.#hash ??= sha256Hex([identity, typeof name, name].join('\0')).slice(0, DIGITS))
  }

  /** `own`: the part of the session. Without it, the place of the session itself. */
  placeOf(own: string | undefined, now: number): SessionPlace | undefined {
    const bound = own === undefined ? this.#main : this.#own.get(own)
    return bound !== undefined && bound.until > now ? bound : undefined
  }

  /** `isMain`: parts without a place of their own go there too. */
  bind(
    own: string,
    isMain: boolean,
    { route, member, account }: SessionPlace,
    until: number,
  ): void {
    const known = this.#own.get(own)
    const isSame = known?.member === member && known.route === route
    const bound = isSame ? known : { route, member, account, until }
    bound.until = until
    if (isMain) this.#main = bound
    if (isSame) return
    if (this.#own.size >= MOST_PLACES) this.#own.clear()
    this.#own.set(own, bound)
  }
}

/** A text may be a slice of a body, which it would keep. */
const owned = (name: SessionName): SessionName =>
  typeof name === 'string' ? JSON.parse(JSON.stringify(name)) : name

/** Bounded, because callers choose their sessions. */
const MOST_SESSIONS = 20_000

/** The id that its client names, or a hash of how its conversation begins. */
export type SessionName = EntryName

/** The sessions that members have served. */
export class Sessions {
  readonly #known = new SharedTable<Session>(MOST_SESSIONS)

  /** The session that a name tells from others of its caller. To look for one that is new keeps nothing of it. */
  find(identity: string, name: SessionName): Session {
    return this.#known.get(identity, name) ?? new Session(identity, name)
  }

  /** Keeps a session; returns the one that another request of it has brought before, if any. */
  kept(session: Session): Session {
    const { identity, name } = session
    const known = this.#known.get(identity, name) ?? session
    this.#known.set(identity, name, known)
    return known
  }
}
