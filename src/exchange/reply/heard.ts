import type { Frame } from '../../../adapters/contract.ts'
import type { Event } from '../../model/events.ts'
import type { PieceTally } from '../../stream/pieces/pieces.ts'

/** What has been heard of a reply, for an estimate of its tokens where the upstream has not counted. */
export interface HeardSoFar {
  /** Grows with all that is said; 0 where nothing is. */
  readonly progress: number
  /** How many characters have been said. */
  readonly characters: number
}

export class HeardReply implements HeardSoFar {
  #said = 0
  /** The bytes of a body that has not been read: it is read only when it is complete. */
  came = 0

  add(events: readonly Event[]): void {
    this.#said += saidIn(events)
    if (this.came > 0 && events.some(({ type }) => type !== 'error')) this.came = 0
  }

  get progress(): number {
    return this.#said
  }

  get characters(): number {
    return this.#said === 0 ? this.came : this.#said
  }
}

/** How many characters events say. */
function saidIn(events: readonly Event[]): number {
  let size = 0
  for (const event of events) {
    const said = event.type === 'candidate' ? event.event : event
    if (said.type === 'block-delta') size += said.text.length
  }
  return size
}

/** A stream that passes; most events that are only a piece are not read. */
export class HeardStream extends HeardReply {
  readonly #pieces: PieceTally
  readonly #readAlone: (piece: Frame) => readonly Event[]

  constructor(pieces: PieceTally, readAlone: (piece: Frame) => readonly Event[]) {
    super()
    this.#pieces = pieces
    this.#readAlone = readAlone
  }

  override get progress(): number {
    return super.progress + this.#pieces.size
  }

  override get characters(): number {
    const { count, size } = this.#pieces
    if (count === 0) return super.characters
    // The last event of `responses` says again what the pieces have said.
    return Math.max(super.progress, count, size - count * this.#around())
  }

  /** What stands around the text of a piece: about as much in all, since they are alike. */
  #around(): number {
    const { last, least } = this.#pieces
    const said = last ? saidIn(this.#readAlone(last)) : 0
    return last && said > 0 ? last.data.length - said : least - 1
  }
}
