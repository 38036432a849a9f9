import type { Event } from '../../model/events.ts'
import { MASK, TELLING_CHARACTERS, type SecretForms } from '../../upstream/spellings.ts'

/**
 * Removes credentials that the upstream was sent from its events, because its model may have seen them. A text
 * comes in pieces, so the end of a piece is held back while it may be the beginning of a credential.
 */
export function secretHider(
  forms: SecretForms | undefined,
): (events: readonly Event[]) => readonly Event[] {
  if (!forms) return (events) => events
  const pieces = new Pieces(forms)
  // Log probabilities tell a text again, so they wait for it; what stands within it keeps its place.
  let waiting: Event[] = []
  const behind = (events: readonly Event[]) => [...waiting.splice(0), ...events]
  const others = new Map<number, ReturnType<typeof secretHider>>()
  const hideIn = (event: Event): readonly Event[] => {
    if (event.type === 'candidate') {
      const { index } = event
      const other = others.get(index) ?? secretHider(forms)
      others.set(index, other)
      return other([event.event]).map((shown) => ({ type: 'candidate', index, event: shown }))
    }
    if (event.type === 'block-delta') {
      const text = pieces.take(event.text)
      if (pieces.hides) waiting = []
      const passing = text === event.text ? [event] : delta(text)
      return pieces.held === '' ? behind(passing) : passing
    }
    const shown = event.type === 'error' ? event : changed(event, forms.hide)
    if (event.type === 'logprobs' || (event.type === 'citation' && pieces.held !== '')) {
      waiting.push(shown)
      return []
    }
    return behind([...delta(pieces.end()), shown])
  }
  const hideInRun = (run: readonly Event[]): readonly Event[] => {
    if (pieces.takeHarmless(run)) return waiting.length > 0 ? behind(run) : run
    const [only] = run
    return run.length === 1 && only ? hideIn(only) : run.flatMap(hideIn)
  }
  return (events) => {
    if (waiting.length === 0 && pieces.takeHarmless(events)) return events
    const shown: Event[] = []
    for (let from = 0; from < events.length;) {
      const to = endOfRun(events, from)
      if (to - from === events.length) return hideInRun(events)
      for (const event of hideInRun(events.slice(from, to))) shown.push(event)
      from = to
    }
    return shown
  }
}

/** The index behind the pieces of text that begin at `from`, or behind one event of another kind. */
function endOfRun(events: readonly Event[], from: number): number {
  let end = from
  while (events[end]?.type === 'block-delta') end += 1
  return Math.max(end, from + 1)
}

const delta = (text: string): Event[] => (text === '' ? [] : [{ type: 'block-delta', text }])

class Pieces {
  readonly #forms: SecretForms
  /** The text that was passed on last, from behind the last hidden place. */
  #passed = ''
  /** The end of the text, where it may be the beginning of a secret. */
  held = ''
  /** Whether something was hidden in the last piece. */
  hides = false

  constructor(forms: SecretForms) {
    this.#forms = forms
  }

  /**
   * Takes pieces that follow each other with one search, and returns true; or returns false where each of them has
   * to be searched, or one of them is no piece.
   */
  takeHarmless(run: readonly Event[]): boolean {
    if (this.held !== '') return false
    let text = this.#passed
    for (const event of run) {
      if (event.type !== 'block-delta') return false
      text += event.text
    }
    if (this.#forms.isLikely(text)) return false
    this.#passed = text.slice(-TELLING_CHARACTERS)
    return true
  }

  take(piece: string): string {
    const text = this.#passed + this.held + piece
    let start = this.#passed.length
    let [shown, floor] = ['', 0]
    let at = this.#forms.isLikely(text) ? this.#forms.next(text, 0) : -1
    while (at >= 0) {
      const end = this.#forms.end(text, at)
      if (end === 'open') break
      if (end === undefined) at += 1
      else {
        shown += text.slice(start, Math.max(start, at)) + MASK
        // Nothing in a hidden place is searched again.
        floor = start = at = end
      }
      at = this.#forms.next(text, at)
    }
    const until = at < 0 ? text.length : Math.max(start, at)
    this.hides = floor > 0
    this.held = text.slice(until)
    this.#passed = text.slice(Math.max(floor, until - TELLING_CHARACTERS), until)
    return shown + text.slice(start, until)
  }

  /** Returns the text that is still held back. What completes a secret behind it is hidden all the same. */
  end(): string {
    const held = this.held
    this.held = ''
    this.#passed += held
    return held
  }
}

/** Returns the same value where no text in it changes; copies are made of what changes alone. */
function changed<T>(value: T, change: (text: string) => string): T
function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return changedList(value, change)
  return isPlain(value) ? changedMembers(value, change) : value
}

function changedList(list: readonly unknown[], change: (text: string) => string): unknown {
  let made: unknown[] | undefined
  for (const [index, item] of list.entries()) {
    const other = changed(item, change)
    if (other !== item) (made ??= [...list])[index] = other
  }
  return made ?? list
}

function changedMembers(members: object, change: (text: string) => string): unknown {
  let made: Map<string, unknown> | undefined
  for (const name of Object.keys(members) as (keyof typeof members)[]) {
    const member: unknown = members[name]
    // Most members are words or numbers.
    const other = typeof member === 'string' ? change(member) : changed(member, change)
    if (other !== member) (made ??= new Map(Object.entries(members))).set(name, other)
  }
  return made ? Object.fromEntries(made) : members
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype
