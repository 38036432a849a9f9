import type { ByteSource } from '../../stream/source.ts'
import type { SharedReads } from '../store/shared-reads.ts'

/** How many bytes one exchange may hold before its upstream is paused. */
const BUFFERED_BYTES = 64 * 1024
/** What a piece takes beside its bytes, in memory and in work: an upstream may send each byte as a chunk of its own. */
const PIECE_BYTES = 64

/** What a body does to its connection. */
export interface FlowControl {
  pause(): void
  resume(): void
  /** Closes the connection. */
  abort(): void
}

/**
 * A body as it arrives. A read returns all bytes since the last one: upstreams that send every event in a packet of
 * its own would otherwise cost one pass through the proxy for each.
 */
export class UpstreamBody implements ByteSource {
  readonly #flow: FlowControl
  readonly #reads: SharedReads
  #pieces: Uint8Array[] = []
  #size = 0
  #paused = false
  #ended = false
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(flow: FlowControl, reads: SharedReads) {
    this.#flow = flow
    this.#reads = reads
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#isWaiting()) await new Promise<void>((resolve) => (this.#wake = resolve))
    const turn = this.#reads.turn(this.#weight)
    if (turn) await turn
    if (this.#size > 0) return this.#take()
    if (this.#error) throw this.#error
    return undefined
  }

  cancel(): void {
    if (this.#ended || this.#error) return
    this.#settle()
    this.#drop()
    this.#flow.abort()
  }

  push(piece: Uint8Array): void {
    if (this.#ended || this.#error) return
    this.#pieces.push(piece)
    this.#size += piece.length
    if (this.#weight() >= BUFFERED_BYTES && !this.#paused) {
      this.#paused = true
      this.#flow.pause()
    }
    this.#rouse()
  }

  end(): void {
    this.#settle()
  }

  /** With `end` the bytes before it can still be read; with `once` they are dropped. */
  fail(error: Error, { at = 'end' }: { at?: 'end' | 'once' } = {}): void {
    if (this.#ended || this.#error) return
    this.#error = error
    if (at === 'once') this.#drop()
    this.#rouse()
  }

  #isWaiting(): boolean {
    return this.#size === 0 && !this.#ended && !this.#error
  }

  readonly #weight = (): number => this.#size + this.#pieces.length * PIECE_BYTES

  #take(): Uint8Array {
    const [first] = this.#pieces
    // An upstream sends each event as a chunk: to join hundreds of them here takes half as long as elsewhere.
    const bytes =
      this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces, this.#size)
    this.#drop()
    if (this.#paused) {
      this.#paused = false
      this.#flow.resume()
    }
    return bytes
  }

  #drop(): void {
    this.#pieces = []
    this.#size = 0
  }

  #settle(): void {
    this.#ended = true
    this.#rouse()
  }

  /** Wakes the reader after everything that came in the same turn is here. */
  #rouse(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
