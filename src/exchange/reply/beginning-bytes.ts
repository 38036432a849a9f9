import { Pile, streamDecoder, utf8Text, wholeBytes } from '../../json/bytes.ts'
import { guessKind } from '../../stream/reply-events.ts'
import { eventShape } from '../../stream/whole-events.ts'

/** The beginning of a stream. Each byte is looked at once, however small the pieces are. */
export class BeginningBytes {
  kind: ReturnType<typeof guessKind>
  size = 0
  readonly #all = new Pile()
  readonly #shape = eventShape(Infinity)
  readonly #decode = { kind: streamDecoder(), events: streamDecoder() }
  /** Whole events that have not been asked for, and how many bytes have. */
  readonly #whole = new Pile()
  #told = 0
  #isOver = false

  /** Undefined at the end. */
  add(bytes: Uint8Array | undefined): void {
    this.kind ??= guessKind(this.#decode.kind(bytes))
    if (!bytes) {
      this.#isOver = true
      return
    }
    this.size += bytes.length
    this.#all.add(bytes)
    this.#whole.add(this.#shape.push(bytes))
  }

  get bytes(): Uint8Array {
    const bytes = wholeBytes(this.#all.take())
    this.#all.add(bytes)
    return bytes
  }

  get text(): string {
    return utf8Text(this.bytes)
  }

  /**
   * The events since they were asked for. Half an event cannot be judged before the end: it would count as one that the
   * caller is to see.
   */
  events(): string {
    const { events: decode } = this.#decode
    const whole = wholeBytes(this.#whole.take())
    if (this.#isOver) return decode(this.bytes.subarray(this.#told)) + decode()
    this.#told += whole.length
    return decode(whole)
  }
}
