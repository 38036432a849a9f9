import { createParser } from 'eventsource-parser'
import type { Frame } from '../../adapters/adapter.ts'
import { PieceFrame } from '../canonical/late-frame.ts'
import { oneLine } from '../canonical/one-line.ts'
import type { Template, Write } from '../canonical/template.ts'

/** Text in, frames out, in any chunking. */
export interface FrameParser {
  push(text: string): Frame[]
  /** The text is over: an event without its final blank line counts. */
  end(): Frame[]
  /** A frame was too large: nothing more can be read. */
  readonly overflowed: boolean
}

export function sseParser(maxEventCharacters: number): FrameParser {
  let frames: Frame[] = []
  let stray = ''
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: (event) =>
      frames.push(event.event ? { event: event.event, data: event.data } : { data: event.data }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') frameParser.overflowed = true
      // Some upstreams end a broken stream with a bare JSON error; it comes here line by line.
      if (error.line !== undefined && stray.length < maxEventCharacters) stray += `${error.line}\n`
    },
  })
  const take = (): Frame[] => {
    const taken = frames
    frames = []
    return taken
  }
  const frameParser = {
    overflowed: false,
    push(text: string) {
      parser.feed(text)
      return take()
    },
    end() {
      if (!frameParser.overflowed) parser.feed('\n\n')
      const taken = take()
      return stray.trimStart().startsWith('{') || stray.trimStart().startsWith('[')
        ? [...taken, { data: stray }]
        : taken
    },
  }
  return frameParser
}

/** One event as text. Its data is JSON; whatever is in it, it leaves on one line. */
export const sseFrame = ({ event, data }: Frame): string => headOf(event) + oneLine(data) + END

const headOf = (event: string | undefined): string =>
  event === undefined ? 'data: ' : `event: ${event}\ndata: `
const END = '\n\n'

/** The same for the frames of one stream: what those of a row have in common is put together once. */
export function sseFrames(): (frame: Frame) => string {
  let known: { row: Template; write: Write } | undefined
  return (frame) => {
    if (!(frame instanceof PieceFrame)) return sseFrame(frame)
    const { event, row, text, number } = frame
    if (known?.row !== row) known = { row, write: row.within(headOf(event), END) }
    return known.write(text, number)
  }
}

export const SSE_COMMENT = ': ping\n\n'
