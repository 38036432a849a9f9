import type { Frame, SameSide } from '../../../adapters/contract.ts'
import type { Mirror } from '../../memory/mirror.ts'
import type { Event } from '../../model/events.ts'
import type { FrameReader } from '../../stream/codec.ts'
import { frameReader } from '../../stream/event-reader.ts'
import { pieceFinder, type PieceTally } from '../../stream/pieces/pieces.ts'
import type { StoredExchange } from '../exchange.ts'
import { readBehind, type ReadFrames } from './first-read.ts'
import type { HeardReply } from './heard.ts'
import { isDone } from '../../stream/reply-events.ts'
import { unreadRequest, type PassPlan } from '../request/plan.ts'

/**
 * Reads along with the bytes, for the log and to know how a stream ends. `first`: have been read already; `tally`: of
 * pieces that are not read.
 */
export function tapReader(
  exchange: StoredExchange,
  plan: PassPlan,
  mirror: Mirror | undefined,
  first?: ReadFrames,
  tally?: PieceTally,
): FrameReader {
  const { same } = plan.destination.adapter
  const anew = () => freshReader(exchange, plan)
  const reader = first ? readBehind(first, anew) : anew()
  const heard = mirror ? mirror.listen(reader) : reader
  return withoutPieces(heard, same, tally)
}

/** A reader that has read nothing. */
export function freshReader({ newId }: StoredExchange, plan: PassPlan): FrameReader {
  const { adapter, target } = plan.destination
  const { server } = target.facts
  const request = unreadRequest(plan)
  return frameReader(adapter.upstream.reader({ request, server, lose: () => undefined, newId }))
}

/** Skips frames that only bring a piece of text, but reads the last one: its chunk may hold the usage. */
function withoutPieces(
  reader: FrameReader,
  { pieces }: SameSide,
  tally: PieceTally | undefined,
): FrameReader {
  const found = pieceFinder(pieces)
  let skipped: Frame | undefined
  return {
    body: (json, text) => reader.body(json, text),
    read(frame) {
      skipped = found.has(frame.event, frame.data) ? frame : undefined
      if (skipped) {
        tally?.add(frame.event, frame.data.length)
        tally?.ended(frame)
        return []
      }
      // A reply that is not complete at this mark was cut off.
      return isDone(frame) ? reader.end() : reader.read(frame)
    },
    end: () => [...(skipped ? reader.read(skipped) : []), ...reader.end()],
  }
}

export function observe(
  { journal }: StoredExchange,
  { sent }: PassPlan,
  events: readonly Event[],
  heard: HeardReply,
): void {
  heard.add(events)
  for (const event of events) {
    if (event.type === 'usage') journal.count(event.usage)
    if (event.type === 'finish') journal.note({ finish: event.reason })
    if (event.type === 'error') journal.note({ error: sent.veil.hide(event.problem.message) })
  }
}
