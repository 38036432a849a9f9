import type { Frame } from '../../adapters/contract.ts'
import type { Event } from '../model/events.ts'
import type { FrameReader } from '../stream/codec.ts'

/** A frame, the reader that has read it alone, and what it found; no events where it cannot read the frame. */
export interface ReadFrame {
  readonly frame: Frame
  readonly reader: FrameReader
  readonly events: Event[] | undefined
}

/**
 * Reads a stream whose first frame has been read already, and does not read it twice. `anew`: for a stream that begins
 * with another frame after all, because the first one had been seen in part.
 */
export function readBehind(first: ReadFrame, anew: () => FrameReader): FrameReader {
  let reader = first.reader
  // Released when it has come: a first frame may repeat the whole request, and a stream may go on for an hour.
  let read: ReadFrame | undefined = first
  const firstEvents = (frame: Frame, { frame: known, events }: ReadFrame): Event[] => {
    read = undefined
    if (events && frame.data === known.data && frame.event === known.event) return events
    reader = anew()
    return reader.read(frame)
  }
  return {
    body: (json, text) => reader.body(json, text),
    read: (frame) => (read ? firstEvents(frame, read) : reader.read(frame)),
    end: () => reader.end(),
  }
}
