import type { Frame } from '../../../adapters/contract.ts'
import type { Event } from '../../model/events.ts'
import type { Usage } from '../../model/request.ts'
import { type Tokens, tokensIn } from '../../observe/entry.ts'
import type { ReplyFrames } from '../../stream/reply-events.ts'
import type { PieceCount } from '../../stream/sse.ts'

/** What has been heard of a reply: its tokens, and what they are estimated by where the upstream has not counted. */
export interface HeardSoFar {
  readonly usage: Tokens | undefined
  /** How much had been heard when the upstream counted the last time. */
  readonly counted: number
  /** It has come to its end. */
  readonly isOver: boolean
  /** Grows with all that is said; 0 where nothing is. */
  readonly progress: number
  /** How many characters have been said. */
  readonly characters: number
  /** The reply comes to no end: what it has counted may stand in no event. */
  breakOff(): void
}

export class HeardReply implements HeardSoFar {
  usage: Tokens | undefined
  counted = -1
  isOver = false
  readonly #frames: Pick<ReplyFrames, 'counts'> | undefined
  readonly #readAlone: ((piece: Frame) => readonly Event[]) | undefined
  #said = 0
  /** The bytes of a body that has not been read: it is read only when it is complete. */
  came = 0
  /** How long the data of the pieces is that have not been read and say something new, and what those of blocks before say. */
  #all = 0
  #before = 0
  /** Those of the last block, which are alike: how many, how long their data is in all and at least, and the last one. */
  #pieces = 0
  #size = 0
  #least = Infinity
  #last: Frame | undefined
  #name: string | undefined
  #isNew = true

  /** `readAlone`: what a piece says that was not read. */
  constructor(
    frames?: Pick<ReplyFrames, 'counts'>,
    readAlone?: (piece: Frame) => readonly Event[],
  ) {
    this.#frames = frames
    this.#readAlone = readAlone
  }

  add(events: readonly Event[]): void {
    if (events.length === 0) return
    if (this.#last && events.some(({ type }) => type === 'block-start')) this.#endBlock()
    this.#said += saidIn(events)
    for (const event of events) {
      if (event.type === 'usage') this.#count(event.usage)
      if (event.type === 'finish') this.isOver = true
    }
    if (this.came > 0 && events.some(({ type }) => type !== 'error')) this.came = 0
  }

  /** Pieces that are not read, and the last one. Those whose name is no delta repeat what others have said. */
  skip(piece: Frame, { count, size, least }: PieceCount): void {
    if (piece.event !== this.#name) {
      this.#name = piece.event
      this.#isNew = piece.event?.endsWith('delta') ?? true
    }
    if (!this.#isNew) return
    this.#pieces += count
    this.#size += size
    this.#all += size
    if (least < this.#least) this.#least = least
    this.#last = piece
  }

  breakOff(): void {
    const usage = this.#frames?.counts()
    if (usage) this.#count(usage)
  }

  #count(usage: Usage): void {
    // A count that is not said again, or cannot be true, is not known any more.
    const { input: _, output: __, ...beside } = this.usage ?? {}
    this.usage = { ...beside, ...tokensIn(usage) }
    this.counted = this.progress
  }

  get progress(): number {
    return this.#said + this.#all
  }

  get characters(): number {
    // The last event of `responses` says again what the pieces have said.
    if (this.#all > 0) return Math.max(this.#said, this.#before + this.#inBlock())
    return this.#said === 0 ? this.came : this.#said
  }

  #endBlock(): void {
    this.#before += this.#inBlock()
    this.#pieces = 0
    this.#size = 0
    this.#least = Infinity
    this.#last = undefined
  }

  /** What the pieces of the last block say. */
  #inBlock(): number {
    return this.#last ? Math.max(this.#pieces, this.#size - this.#pieces * this.#around()) : 0
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
