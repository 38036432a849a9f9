import type { Frame } from '../../../adapters/contract.ts'
import type { Event } from '../../model/events.ts'
import type { FrameReader } from '../../stream/codec.ts'

/** A frame, and what a reader found in it. */
export interface ReadFrame {
  readonly frame: Frame
  readonly events: Event[]
}

/** The first frames of a stream, and the reader that has read them one after the other, and no other. */
export interface ReadFrames {
  readonly reader: FrameReader
  readonly frames: readonly ReadFrame[]
}

/**
 * Reads a stream whose first frames have been read already, and does not read them twice. `anew`: for a stream that
 * goes on with another frame after all.
 */
export function readBehind(first: ReadFrames, anew: () => FrameReader): FrameReader {
  let reader = first.reader
  // Released as they come: a first frame may repeat the whole request, and a stream may go on for an hour.
  let known = first.frames
  const readOne = (frame: Frame): Event[] => {
    const [next, ...others] = known
    known = others
    if (!next) return reader.read(frame)
    if (frame.data === next.frame.data && frame.event === next.frame.event) return next.events
    known = []
    reader = anew()
    return reader.read(frame)
  }
  return {
    body: (json, text) => reader.body(json, text),
    read: (frame) => (known.length > 0 ? readOne(frame) : reader.read(frame)),
    end: () => reader.end(),
  }
}
