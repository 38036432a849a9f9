import { Verbatim, type Json, type JsonObject } from '../json/json.ts'
import type { Path } from '../json/outline.ts'
import type { Event } from '../model/events.ts'
import { DeltaEvent, Template } from './template.ts'

/** One event of a stream, as a dialect reads and writes it: an object, and its name where it has one. */
export interface WireEvent {
  readonly name?: string | undefined
  /** Asked for once, before the next event is written, or not at all. */
  readonly data: Json
}

/** The word that ends the streams of some dialects, which is no JSON. */
export const DONE = new Verbatim('[DONE]')

/** What of an event is not read, where all that there is to do with it is to take a string. */
export interface Unread {
  /** Numbers of which only the last one of all such events holds. */
  readonly counts?: readonly Path[]
  /** Strings that say nothing of a reply. */
  readonly noise?: readonly Path[]
}

/**
 * What a reader says of the event that it has just read: that there was nothing to do with it but to take the string
 * at a place. The next ones that differ in nothing else are not parsed, and only their strings are handed on. A hint,
 * never a contract: a reader that does not give it reads the same, only slower.
 */
export class DeltaHint {
  readonly unread: Unread
  /** Hears of the last event of which only the string was taken, for its counts. */
  readonly last: ((data: Json) => void) | undefined
  #place: Path = []
  #take: ((text: string) => Event[]) | undefined

  constructor(unread: Unread = {}, last?: (data: Json) => void) {
    this.unread = unread
    this.last = last
  }

  /** `place`: the same list for all events of one kind. `take` does all that is to be done with another string. */
  give(place: Path, take: (text: string) => Event[]): void {
    this.#place = place
    this.#take = take
  }

  /** What was said since the last time, by the reader of events. */
  taken(): { place: Path; take: (text: string) => Event[] } | undefined {
    const take = this.#take
    this.#take = undefined
    return take && { place: this.#place, take }
  }
}

/**
 * Events of one kind, that differ in one text and perhaps in one number. They are events like any other, only
 * that what is around the text is serialised once for all of them. `write` must give the same for the same.
 */
export function deltaEvents(
  name: string | undefined,
  write: (text: string, number: number) => JsonObject,
): (text: string, number?: number) => WireEvent {
  const template = new Template(write)
  return (text, number) => new DeltaEvent(name, template, text, number)
}

/** An event that takes time to make, and is made when it is asked for: of a reply that leaves as one body none is. */
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

/** What a writer has said and not handed over. */
export class Outbox {
  #events: WireEvent[] = []

  /** A list that is made with one member takes a fraction of the room of one that grows, and most have one. */
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
