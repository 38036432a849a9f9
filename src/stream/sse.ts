import { createParser } from 'eventsource-parser'
import type { Frame } from './codec.ts'
import { eventFrame } from './event-text.ts'
import { oneLine } from './one-line.ts'
import { DeltaEvent, type Template, type Write } from './template.ts'
import type { WireEvent } from './wire-events.ts'

/** Text in, frames out, in any chunking. */
export interface FrameParser {
  push(text: string): Frame[]
  /** Ends the text: an event without its final blank line counts too. */
  end(): Frame[]
  /** A frame was too large, so nothing more can be read. */
  readonly overflowed: boolean
  /** A bare JSON text has begun, with which some upstreams end a broken stream. No event follows it. */
  readonly strayed: boolean
}

export function sseParser(maxEventCharacters: number): FrameParser {
  let frames: Frame[] = []
  let stray = ''
  let atLineStart = true
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: (event) =>
      frames.push(event.event ? { event: event.event, data: event.data } : { data: event.data }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') frameParser.overflowed = true
    },
  })
  const take = (): Frame[] => {
    const taken = frames
    frames = []
    return taken
  }
  /** Keeps the text from `start` on here: the parser would keep nothing of it where it comes in small pieces. */
  const feedBefore = (text: string, start: number) => {
    frameParser.strayed = true
    parser.feed(text.slice(0, start))
    if (stray.length < maxEventCharacters) stray += text.slice(start)
  }
  const frameParser = {
    overflowed: false,
    strayed: false,
    push(text: string) {
      const start = frameParser.strayed ? 0 : strayIn(text, atLineStart)
      atLineStart = text === '' ? atLineStart : /[\r\n]$/.test(text)
      if (start < 0) parser.feed(text)
      else feedBefore(text, start)
      return take()
    },
    end() {
      if (!frameParser.overflowed) parser.feed('\n\n')
      const taken = take()
      return stray.trimStart().startsWith('{') || stray.trimStart().startsWith('[')
        ? [...taken, { data: stray, bare: true }]
        : taken
    },
  }
  return frameParser
}

/** The place of a line that begins like JSON and not like a field; -1 for none. */
function strayIn(text: string, atLineStart: boolean): number {
  if (atLineStart && (text.startsWith('{') || text.startsWith('['))) return 0
  const before = text.search(/[\r\n][{[]/)
  return before < 0 ? -1 : before + 1
}

/** One event as text. JSON is written on one line. */
export const sseFrame = ({ event, data }: Frame): string => eventHead(event) + oneLine(data) + END

const eventHead = (event: string | undefined): string =>
  event === undefined ? 'data: ' : `event: ${event}\ndata: `
const END = '\n\n'

/** Writes the events of one stream; what deltas have in common is put together once. */
export function sseEvents(): (event: WireEvent) => string {
  let known: { template: Template; write: Write } | undefined
  return (event) => {
    if (!(event instanceof DeltaEvent)) return sseFrame(eventFrame(event))
    const { name, template, text, number } = event
    if (known?.template !== template)
      known = { template, write: template.within(eventHead(name), END) }
    return known.write(text, number)
  }
}

export const SSE_COMMENT = ': ping\n\n'
