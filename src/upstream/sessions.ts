import type { RouteSettings } from '../config/settings.ts'
import { sha256Hex } from '../json/sha256.ts'

/** Where a session is at home. */
export interface Place {
  route: RouteSettings
  member: string
  account: string
}

interface Bound extends Place {
  until: number
}

const DIGITS = 16
/** Names of models are the callers' to choose. */
const MOST_PLACES = 16

/** One session of one caller, and where it was served. */
export class Session {
  readonly #text: string
  #hash: string | undefined
  #main: Bound | undefined
  readonly #own = new Map<string, Bound>()

  constructor(text: string) {
    this.#text = text
  }

  /** SHA-256, as far as the log shows it. */
  get hash(): string {
    return (this.#hash ??= sha256Hex(this.#text).slice(0, DIGITS))
  }

  /** `own`: what of the session is about the same. Without it, the place of the session itself. */
  placeOf(own: string | undefined, now: number): Place | undefined {
    const bound = own === undefined ? this.#main : this.#own.get(own)
    return bound !== undefined && bound.until > now ? bound : undefined
  }

  /** `isMain`: what has no place of its own goes there too. */
  bind(own: string, isMain: boolean, { route, member, account }: Place, until: number): void {
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

/** Sessions are the callers' to choose as well. */
const MOST_SESSIONS = 10_000

/** Sessions by what tells them apart. Those that were not seen for long are forgotten. */
export function createSessions(): (text: string) => Session {
  let recent = new Map<string, Session>()
  let before = new Map<string, Session>()
  return (text) => {
    const known = recent.get(text)
    if (known) return known
    const session = before.get(text) ?? new Session(text)
    if (recent.size >= MOST_SESSIONS) {
      before = recent
      recent = new Map()
    }
    recent.set(text, session)
    return session
  }
}
