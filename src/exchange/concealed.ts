import type { Event } from '../model/events.ts'

const MASK = '***'
/** So much of a secret gives nothing away, and stands in no other text by chance. */
const TELLING = 6

/**
 * Events without the credentials that their upstream was sent, which it may have let its model see. A text comes in
 * pieces, so the end of a piece is held back for as long as it may be the beginning of one.
 */
export function concealer(
  secrets: readonly string[],
): (events: readonly Event[]) => readonly Event[] {
  if (secrets.length === 0) return (events) => events
  const pieces = new Pieces(secrets)
  const without = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text)
  const conceal = (event: Event): Event[] => {
    if (event.type === 'block-delta') {
      const text = pieces.take(event.text)
      return text === event.text ? [event] : delta(text)
    }
    const rest = delta(pieces.end())
    return [...rest, event.type === 'error' ? event : changed(event, without)]
  }
  return (events) => events.flatMap(conceal)
}

const delta = (text: string): Event[] => (text === '' ? [] : [{ type: 'block-delta', text }])

class Pieces {
  readonly #secrets: readonly string[]
  readonly #beginnings: readonly string[]
  /** What was passed on last. */
  #passed = ''
  #held = ''

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
    this.#beginnings = secrets.map((secret) => secret.slice(0, TELLING))
  }

  take(piece: string): string {
    const text = this.#passed + this.#held + piece
    let start = this.#passed.length
    let shown = ''
    this.#held = ''
    for (let at = this.#next(text, 0); at >= 0; at = this.#next(text, at)) {
      const secret = this.#secrets.find((one) => text.startsWith(one, at))
      if (secret !== undefined) {
        shown += text.slice(start, Math.max(start, at)) + MASK
        start = at + secret.length
        at = start
      } else if (this.#secrets.some((one) => one.startsWith(text.slice(at)))) {
        shown += text.slice(start, Math.max(start, at))
        this.#held = text.slice(Math.max(start, at))
        this.#passed = text.slice(0, text.length - this.#held.length).slice(1 - TELLING)
        return shown
      } else at += 1
    }
    this.#passed = text.slice(1 - TELLING)
    return shown + text.slice(start)
  }

  /** What was held back after all. */
  end(): string {
    const held = this.#held
    this.#held = ''
    this.#passed = ''
    return held
  }

  /** Where the next secret may begin. */
  #next(text: string, from: number): number {
    let next = -1
    for (const beginning of this.#beginnings) {
      const at = text.indexOf(beginning, from)
      if (at >= 0 && (next < 0 || at < next)) next = at
    }
    return next
  }
}

/** The same value where nothing in it changes. */
function changed<T>(value: T, change: (text: string) => string): T
function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  const entries = Object.entries(value)
  const made = entries.map(([name, member]) => [name, changed(member, change)] as const)
  if (made.every(([, member], index) => member === entries[index]?.[1])) return value
  return Array.isArray(value) ? made.map(([, member]) => member) : Object.fromEntries(made)
}

const isPlain = (value: object): boolean =>
  Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
