import { joinBytes } from '../../json/bytes.ts'
import type { Event } from '../../model/events.ts'
import type { ReadFrame } from '../../stream/reply-events.ts'
import { SILENT, timespan } from '../../stream/time.ts'
import type { Piece } from '../../upstream/call.ts'

/** What a piece has brought. `isBetween`: no frame had begun before it. */
export interface HeardPiece {
  readonly frames: readonly ReadFrame[]
  readonly piece: Piece
  readonly isBetween: boolean
}

interface Sources {
  /** How long deltas wait for others. */
  ms: number
  /** Never rejects. */
  read(): Promise<Piece>
  hear(piece: Piece): HeardPiece
}

/** So many bytes are worth a write of their own. */
const MOST_BYTES = 65_536

/**
 * Hands on together the deltas that come within a time, for a runtime in which a write costs more than what is done
 * for it (docs/decisions/0023-gathered-deltas.md). The first ones of a reply do not wait, and what is no delta waits
 * for nothing, nor do those that wait before it.
 */
export class Gathering {
  readonly #sources: Sources
  #hasBegun = false
  /** Asked for in vain while deltas waited. */
  #asked: Promise<Piece> | undefined
  #askedAt = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  #ask(): Promise<Piece> {
    this.#askedAt = performance.now()
    return (this.#asked = this.#sources.read())
  }

  #hear(piece: Piece): HeardPiece {
    this.#asked = undefined
    return this.#sources.hear(piece)
  }

  /** What has come next. */
  async next(): Promise<HeardPiece> {
    const heard = this.#hear(await (this.#asked ?? this.#ask()))
    if (!isWaiting(heard)) return heard
    const isFirst = !this.#hasBegun
    this.#hasBegun ||= heard.frames.length > 0
    return isFirst || this.#isSlow() ? heard : this.#gathered(heard)
  }

  /** Whether the next piece would come too late, as this one did: then to wait for it brings only the delay. */
  #isSlow(): boolean {
    return performance.now() - this.#askedAt > this.#sources.ms
  }

  async #gathered(first: HeardPiece): Promise<HeardPiece> {
    const all = [first]
    let size = lengthOf(first)
    const span = timespan(this.#sources.ms)
    for (let last = first; size < MOST_BYTES && isWaiting(last); size += lengthOf(last)) {
      const piece = await span.wait(this.#asked ?? this.#ask())
      // An end or a failure is told by the next read.
      if (piece === SILENT || !piece?.bytes) break
      last = this.#hear(piece)
      all.push(last)
    }
    span.end()
    return joined(all, first)
  }
}

const lengthOf = ({ piece }: HeardPiece): number => piece?.bytes?.length ?? 0

/** Half a frame shows nothing yet, so it does not end the wait of those before it. */
const isWaiting = ({ frames, piece }: HeardPiece): boolean =>
  piece?.bytes !== undefined &&
  frames.every(({ events, pieces }) => pieces !== undefined || bringDelta(events))

/** Some services count with every delta. */
const bringDelta = (events: readonly Event[]): boolean =>
  events.some(isDelta) && events.every((event) => event.type === 'usage' || isDelta(event))

/** What comes with a delta and before it is one, too. */
function isDelta(event: Event): boolean {
  if (event.type === 'candidate') return isDelta(event.event)
  return event.type === 'block-delta' || event.type === 'logprobs'
}

/** What came in several pieces, as if it had come in one. */
function joined(all: readonly HeardPiece[], first: HeardPiece): HeardPiece {
  if (all.length === 1) return first
  const bytes = joinBytes(all.flatMap(({ piece }) => piece?.bytes ?? []))
  const frames = all.flatMap((heard) => heard.frames)
  return { frames, piece: { bytes }, isBetween: first.isBetween }
}
