import type { Json, JsonObject } from '../json/json.ts'
import { wordsIn } from '../problems/error-words.ts'
import type { Event } from '../model/events.ts'
import type { Frame, FrameReader, Reader } from './codec.ts'
import { DeltaTemplates } from './pieces/delta-templates.ts'
import type { Problem } from '../model/problem.ts'
import type { Usage } from '../model/request.ts'
import { NO_JSON_EVENT } from '../problems/failures.ts'
import { DONE, type DeltaHint } from './wire-events.ts'

/** Reads frames for a reader of events. */
export const frameReader = (reader: Reader): FrameReader => new EventReader(reader)

class EventReader implements FrameReader {
  readonly #reader: Reader
  readonly #hint: DeltaHint | undefined
  readonly #texts: DeltaTemplates
  /** Takes the piece of a frame that matches the last one. */
  #take: ((text: string) => Event[]) | undefined
  /** The name of the last event. */
  #name: string | undefined
  /** Of the last frame only the piece has been read. */
  #isUnread = false

  /** The reply has ended, or an event came that is none: there is no telling what it would have said. */
  #isOver = false

  skips(name: string | undefined, text: string, start: number, end: number): boolean {
    if (!this.#take || name !== this.#name) return false
    if (!this.#texts.matches(text, start, end)) return false
    this.#isUnread = true
    return true
  }

  constructor(reader: Reader) {
    this.#reader = reader
    this.#hint = reader.hint
    this.#texts = new DeltaTemplates(reader.verbatim, reader.hint?.unread)
  }

  body(json: Json): Event[] {
    return this.#reader.body(json)
  }

  read(frame: Frame): Event[] {
    if (this.#isOver) return []
    const take = frame.event === this.#name ? this.#take : undefined
    const piece = take && this.#texts.pieceOf(frame.data)
    if (take === undefined || piece === undefined) {
      const events = this.#readWhole(frame)
      const last = events[events.length - 1]
      this.#isOver = last?.type === 'finish' || last?.type === 'error'
      return events
    }
    this.#isUnread = true
    return take(piece)
  }

  end(): Event[] {
    if (this.#isOver) return []
    this.#readLast()
    return this.#reader.end()
  }

  counts(): Usage | undefined {
    this.#readLast()
    return this.#reader.counts?.()
  }

  #readWhole({ event: name, data }: Frame): Event[] {
    this.#readLast()
    this.#name = name
    this.#take = undefined
    const text = data.trim()
    if (text === '') return []
    if (text === '[DONE]') return this.#reader.push({ name, data: DONE })
    let json: Json
    try {
      json = this.#texts.parse(text)
    } catch {
      const failure = failureInWords({ event: name, data: text })
      if (failure) return this.#reader.push({ name, data: failure })
      if (name !== undefined && LIFE.has(name)) return []
      return [{ type: 'error', problem: noJson(text) }]
    }
    const events = this.#reader.push({ name, data: json })
    const said = this.#hint?.taken()
    if (said) this.#texts.lookAt(said.place, text)
    this.#take = said?.take
    return events
  }

  /** Parses the last frame for its counts, where only its piece was read. */
  #readLast(): void {
    if (!this.#isUnread) return
    this.#isUnread = false
    this.#hint?.last?.(this.#texts.last())
  }
}

/** Signs of life are no part of a reply, whatever stands in them. */
const LIFE: ReadonlySet<string> = new Set(['ping', 'keepalive'])

/** JSON may be words of the conversation, so it is not told. */
const noJson = (text: string): Problem =>
  BEGINS_JSON.test(text) ? NO_JSON_EVENT : { ...NO_JSON_EVENT, said: text.replace(/\{.*/s, '') }
const BEGINS_JSON = /^\s*[[{]/

/**
 * The failure in an event that is named one and says why in plain words, as gateways send it; undefined for any other
 * event, and for JSON that was cut.
 */
export function failureInWords({ event, data }: Frame): JsonObject | undefined {
  const message = event === 'error' && !BEGINS_JSON.test(data) ? wordsIn(data) : undefined
  return message === undefined ? undefined : { error: { code: 502, message } }
}
