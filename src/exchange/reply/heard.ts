import type { Frame } from '../../../adapters/contract.ts'
import type { Event } from '../../model/events.ts'

/** What has been heard of a reply, for an estimate of its tokens where the upstream has not counted. */
export interface HeardSoFar {
  /** Grows with all that is said; 0 where nothing is. */
  readonly progress: number
  /** How many characters have been said. */
  readonly characters: number
}

export class HeardReply implements HeardSoFar {
  readonly #readAlone: ((piece: Frame) => readonly Event[]) | undefined
  #said = 0
  /** The bytes of a body that has not been read: it is read only when it is complete. */
  came = 0
  /** Of the pieces that have not been read and say something new: how many, and how long their data is. */
  #pieces = 0
  #size = 0
  /** What they said in the blocks before. */
  #before = 0
  /** Those of the last block, which are alike: where they begin, how long their data is at least, and the last one. */
  #from = { pieces: 0, size: 0 }
  #least = Infinity
  #last: Frame | undefined
  #name: string | undefined
  #isNew = true

  /** `readAlone`: what a piece says that was not read. */
  constructor(readAlone?: (piece: Frame) => readonly Event[]) {
    this.#readAlone = readAlone
  }

  add(events: readonly Event[]): void {
    if (events.length === 0) return
    if (this.#last && events.some(({ type }) => type === 'block-start')) this.#endBlock()
    this.#said += saidIn(events)
    if (this.came > 0 && events.some(({ type }) => type !== 'error')) this.came = 0
  }

  /** A piece that is not read. One whose name is no delta repeats what others have said. */
  skip(piece: Frame): void {
    if (piece.event !== this.#name) {
      this.#name = piece.event
      this.#isNew = piece.event?.endsWith('delta') ?? true
    }
    if (!this.#isNew) return
    this.#pieces += 1
    this.#size += piece.data.length
    if (piece.data.length < this.#least) this.#least = piece.data.length
    this.#last = piece
  }

  get progress(): number {
    return this.#said + this.#size
  }

  get characters(): number {
    if (this.#pieces > 0)
      // The last event of `responses` says again what the pieces have said.
      return Math.max(this.#said, this.#pieces, this.#before + this.#inBlock())
    return this.#said === 0 ? this.came : this.#said
  }

  #endBlock(): void {
    this.#before += this.#inBlock()
    this.#from = { pieces: this.#pieces, size: this.#size }
    this.#least = Infinity
    this.#last = undefined
  }

  /** What the pieces of the last block say. */
  #inBlock(): number {
    const { pieces, size } = this.#from
    return this.#last ? this.#size - size - (this.#pieces - pieces) * this.#around() : 0
  }

  /** What stands around the text of a piece: about as much in all, since they are alike. */
  #around(): number {
    const last = this.#last
    const said = last && this.#readAlone ? saidIn(this.#readAlone(last)) : 0
    return last && said > 0 ? last.data.length - said : this.#least - 1
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
