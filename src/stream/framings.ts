import { arrayCutter } from './array-frames.ts'
import type { Framing } from './codec.ts'
import { eventText } from './event-text.ts'
import { oneLine } from './one-line.ts'
import { sseCutter, sseEvents, type FrameCutter } from './sse.ts'
import type { WireEvent } from './wire-events.ts'

/** Writes events as the text of a body. */
export interface Framer {
  readonly contentType: string
  write(events: readonly WireEvent[]): string
  end(): string
}

/** Changes a text. */
export type Change = (text: string) => string

/** All that differs by framing: a new one does not compile until it is answered here. */
export interface FramingRules {
  /** Whether the body as a whole is JSON, so that nothing may stand between the events but what JSON has there. */
  readonly isJson: boolean
  /** What ends a body, without which nothing of it can be read; empty where nothing has to. */
  readonly end: string
  /** `begun`: the body has been begun already and is continued. */
  framer(begun: boolean): Framer
  /** Cuts a body that passes. */
  cutter(mostCharacters: number): FrameCutter
  /** The text of a frame with its JSON changed. */
  withData(text: string, change: Change): string
  /** The text of a frame with everything changed that may hold words. */
  withValues(text: string, change: Change): string
  /** The text of a frame without what clients may stumble over that expect data alone. */
  dataOnly(text: string): string
}

export const framingOf = (framing: Framing = 'sse'): FramingRules => FRAMINGS[framing]

/** `begun`: the body has been begun already and is continued. */
export const framer = (framing: Framing = 'sse', begun = false): Framer =>
  FRAMINGS[framing].framer(begun)

const FRAMINGS = {
  sse: {
    isJson: false,
    end: '',
    framer: eventFramer,
    cutter: sseCutter,
    withData: (text, change) => text.replace(DATA, (lines) => withLinesJoined(lines, change)),
    withValues: (text, change) =>
      text.replace(LINE, (_, name: string, value: string) => name + change(value)),
    dataOnly: (text) => (ONE_LINE.test(text) ? text : text.replace(OTHER_LINES, '')),
  },
  'json-array': {
    isJson: true,
    end: ']',
    framer: arrayFramer,
    cutter: arrayCutter,
    withData(text, change) {
      const start = text.indexOf('{')
      return start < 0 ? text : text.slice(0, start) + change(text.slice(start))
    },
    withValues: (text, change) => change(text),
    dataOnly: (text) => text,
  },
} satisfies Record<Framing, FramingRules>

function eventFramer(): Framer {
  const textOf = sseEvents()
  return {
    contentType: 'text/event-stream; charset=utf-8',
    write(events) {
      let text = ''
      for (const event of events) text += textOf(event)
      return text
    },
    end: () => '',
  }
}

function arrayFramer(begun: boolean): Framer {
  let opener = begun ? ',\n' : '['
  return {
    contentType: 'application/json',
    write(events) {
      let text = ''
      for (const event of events) {
        text += opener + oneLine(eventText(event))
        opener = ',\n'
      }
      return text
    },
    end: () => (opener === '[' ? '[]' : ']'),
  }
}

/** The lines that make up the data of one event. */
const DATA = /(?:^\u{feff}?data:[^\r\n]*(?:\r\n|[\n\r]|$))+/gmu
const DATA_LINE = /(\u{feff}?data:)([^\r\n]*)(\r\n|[\n\r]|$)/gu
/** A line without the name of a field is a value, too. */
const LINE = /^((?:(?:data|event|id|retry)?: ?)?)([^\r\n]+)/gm

/** Most events are. */
const ONE_LINE = /^data:[^\r\n]*[\r\n]*$/
const OTHER_LINES = /(?<=^|[\r\n])(?!\u{feff}?data:|[\r\n])[^\r\n]+(?:\r\n|[\r\n])/gu

/** JSON may span several lines; the changed data keeps their number. */
function withLinesJoined(lines: string, change: Change): string {
  const found = [...lines.matchAll(DATA_LINE)]
  const rest = change(found.map(([, , data = '']) => data).join('\n')).split('\n')
  return found
    .map(([, field = '', , end = ''], index) => field + (rest[index] ?? '') + end)
    .join('')
}
