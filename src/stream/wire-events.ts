import { Verbatim, type Json, type JsonObject } from '../json/json.ts'
import type { Path } from '../json/outline.ts'
import type { Event } from '../model/events.ts'
import { DeltaEvent, Template } from './pieces/template.ts'

/** One event of a stream in a dialect: an object, and a name where it has one. */
export interface WireEvent {
  readonly name?: string | undefined
  /** Read once, before the next event is written, or never. */
  readonly data: Json
}

/** The end mark of a stream in some dialects; it is not JSON. */
export const DONE = new Verbatim('[DONE]')

/** The members of an event that a reader ignores while it only takes a string. */
export interface Unread {
  /** Numbers of which only the last one counts. */
  readonly counts?: readonly Path[]
  /** Strings without meaning for a reply. */
  readonly noise?: readonly Path[]
}

/**
 * A reader's hint about the event that it has just read: nothing but the string at a place was needed. Later events
 * that differ only in that string are not parsed; only their strings are handed on. It is a hint and no contract:
 * without it a reader yields the same, only slower.
 */
export class DeltaHint {
  readonly unread: Unread
  /** Called with the last event of which only the string was taken, for its counts. */
  readonly last: ((data: Json) => void) | undefined
  #place: Path = []
  #take: ((text: string) => Event[]) | undefined

  constructor(unread: Unread = {}, last?: (data: Json) => void) {
    this.unread = unread
    this.last = last
  }

  /** `place`: the same list for all events of one kind. `take` does everything that another string requires. */
  give(place: Path, take: (text: string) => Event[]): void {
    this.#place = place
    this.#take = take
  }

  /** The hint since the last call, for the reader of events. */
  taken(): { place: Path; take: (text: string) => Event[] } | undefined {
    const take = this.#take
    this.#take = undefined
    return take && { place: this.#place, take }
  }
}

/**
 * Events of one kind that differ in one text and perhaps one number. They are ordinary events, but their constant
 * part is serialised once. `write` must be deterministic.
 */
export function deltaEvents(
  name: string | undefined,
  write: (text: string, number: number) => JsonObject,
): (text: string, number?: number) => WireEvent {
  const template = new Template(write)
  return (text, number) => new DeltaEvent(name, template, text, number)
}

/** An event that is expensive to make and is made only on request: for a reply in one body it never is. */
export const lateEvent = (name: string | undefined, make: () => Json): WireEvent =>
  new LateEvent(name, make)

class LateEvent implements WireEvent {
  readonly name: string | undefined
  readonly #make: () => Json

  constructor(name: string | undefined, make: () => Json) {
    this.name = name
    this.#make = make
  }

  get data(): Json {
    return this.#make()
  }
}

/** Events that a writer has written and not yet handed over. */
export class Outbox {
  #events: WireEvent[] = []

  /** An array made with one member takes a fraction of the memory of one that grows, and most have one. */
  add(event: WireEvent): void {
    if (this.#events.length === 0) this.#events = [event]
    else this.#events.push(event)
  }

  drain(): WireEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }
}
