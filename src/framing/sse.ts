import { createParser } from 'eventsource-parser'
import type { Frame } from '../../adapters/adapter.ts'

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
  let overflowed = false
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: (event) =>
      frames.push(event.event ? { event: event.event, data: event.data } : { data: event.data }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflowed = true
      // Some upstreams end a broken stream with a bare JSON error; it comes here line by line.
      if (error.line !== undefined && stray.length < maxEventCharacters) stray += `${error.line}\n`
    },
  })
  const take = (): Frame[] => {
    const taken = frames
    frames = []
    return taken
  }
  return {
    push(text) {
      parser.feed(text)
      return take()
    },
    end() {
      if (!overflowed) parser.feed('\n\n')
      const taken = take()
      return stray.trimStart().startsWith('{') || stray.trimStart().startsWith('[')
        ? [...taken, { data: stray }]
        : taken
    },
    get overflowed() {
      return overflowed
    },
  }
}

/** One event as text. `data` is one line: it was serialised, so no line end is left in it. */
export function sseFrame(frame: Frame): string {
  return frame.event === undefined
    ? `data: ${frame.data}\n\n`
    : `event: ${frame.event}\ndata: ${frame.data}\n\n`
}

export const SSE_COMMENT = ': ping\n\n'
