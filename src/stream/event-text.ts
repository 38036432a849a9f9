import { stringify, type Json } from '../json/json.ts'
import type { Frame } from './codec.ts'
import { DeltaEvent } from './pieces/template.ts'
import type { WireEvent } from './wire-events.ts'

/** An event that is serialised once although its text is wanted several times. */
class OnceWritten implements WireEvent {
  readonly name: string | undefined
  readonly data: Json
  #text: string | undefined

  constructor({ name, data }: WireEvent) {
    this.name = name
    this.data = data
  }

  get text(): string {
    return (this.#text ??= stringify(this.data))
  }
}

/** Makes an event serialise only once. */
export const writtenOnce = (event: WireEvent): WireEvent =>
  event instanceof DeltaEvent ? event : new OnceWritten(event)

/** The data of an event as text. */
export function eventText(event: WireEvent): string {
  if (event instanceof DeltaEvent) return event.template.write(event.text, event.number)
  return event instanceof OnceWritten ? event.text : stringify(event.data)
}

/** The event with its data as text. */
export const eventFrame = (event: WireEvent): Frame => ({
  event: event.name,
  data: eventText(event),
})

/** The text in which an event differs from the one before; undefined where more may differ. */
export const pieceBeyond = (before: WireEvent | undefined, event: WireEvent): string | undefined =>
  event instanceof DeltaEvent && before instanceof DeltaEvent && event.template === before.template
    ? event.text
    : undefined
