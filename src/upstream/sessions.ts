import type { RouteSettings } from '../config/settings.ts'
import { sha256Hex } from '../json/sha256.ts'

/** The home of a session. */
export interface SessionHome {
  route: RouteSettings
  member: string
  account: string
}

interface Bound extends SessionHome {
  until: number
}

const DIGITS = 16
/** Bounded, because callers choose the names of models. */
const MOST_PLACES = 16

/** One session of one caller, and the members that have served it. */
export class Session {
  readonly #text: string
  #hash: string | undefined
  #main: Bound | undefined
  readonly #own = new Map<string, Bound>()

  constructor(text: string) {
    this.#text = text
  }

  /** The beginning of the SHA-256 of its text, as the log shows it. */
  get hash(): string {
    return (this.#hash ??= sha256Hex(this.#text).slice(0, DIGITS))
  }

  /** `own`: the part of the session. Without it, the place of the session itself. */
  placeOf(own: string | undefined, now: number): SessionHome | undefined {
    const bound = own === undefined ? this.#main : this.#own.get(own)
    return bound !== undefined && bound.until > now ? bound : undefined
  }

  /** `isMain`: parts without a place of their own go there too. */
  bind(own: string, isMain: boolean, { route, member, account }: SessionHome, until: number): void {
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

/** Bounded, because callers choose their sessions. */
const MOST_SESSIONS = 10_000

/** By the id that its client names, or by a hash of how its conversation begins. */
export type SessionName = string | number

/** Finds the session that a name tells from others of its owner. */
export type FindSession = (owner: string, name: SessionName) => Session

/** Those not seen for long are forgotten. */
export function createSessions(): FindSession {
  let recent = new Generation()
  let before = new Generation()
  return (owner, name) => {
    const known = recent.find(owner, name)
    if (known) return known
    const session = before.find(owner, name) ?? new Session([owner, typeof name, name].join('\0'))
    if (recent.size >= MOST_SESSIONS) {
      before = recent
      recent = new Generation()
    }
    recent.add(owner, name, session)
    return session
  }
}

/** Every request looks, and to join what it looks for into one key would take longer than to look. */
class Generation {
  size = 0
  readonly #owners = new Map<string, Map<SessionName, Session>>()

  find(owner: string, name: SessionName): Session | undefined {
    return this.#owners.get(owner)?.get(name)
  }

  add(owner: string, name: SessionName, session: Session): void {
    const own = this.#owners.get(owner) ?? new Map<SessionName, Session>()
    this.#owners.set(owner, own)
    // A text may be a slice of a body, which it would keep.
    own.set(typeof name === 'string' ? JSON.parse(JSON.stringify(name)) : name, session)
    this.size += 1
  }
}
