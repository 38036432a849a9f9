import { isWhole, streamDecoder, type Bytes } from '../../json/bytes.ts'
import { MARK_BYTES, type Ring } from './ring.ts'

/** The most that is kept of one body, and the most pieces of a stream whose times are kept. */
export const BODY_BYTES = 1_048_576
export const BODY_PIECES = 2000

/** When a piece of a stream had come, in milliseconds of the exchange, and its end in the text. */
export type Mark = readonly [at: number, end: number]

/** A body as the page shows it: its text, where it is text, without secrets. */
export interface ShownBody {
  text?: string
  /** The size of the whole body, including what was not kept. */
  size: number
  cut?: true
  /** The pieces of a stream. */
  marks?: Mark[]
}

/** The beginning of a body, in a ring. Hundreds are kept, so one that came whole is no more than a few numbers. */
export class KeptBody {
  size = 0
  readonly #ring: Ring
  #kept = 0
  #first: number | undefined
  /** Of a stream, whose pieces lie apart: how many there are, and the place of the last, which leads to the others. */
  #pieces = 0
  #last = 0

  constructor(ring: Ring) {
    this.#ring = ring
  }

  /** How many bytes are kept. */
  get kept(): number {
    return this.#kept
  }

  /** The place of the first byte; undefined for an empty body. */
  get first(): number | undefined {
    return this.#first
  }

  /** A whole body. */
  hold(bytes: Bytes): void {
    if (isWhole(bytes)) this.#write(bytes)
    else for (const piece of bytes) this.#write(piece)
  }

  /** The same bytes as another whole body: they are kept once. */
  share(other: KeptBody): void {
    this.size = other.size
    this.#kept = other.#kept
    this.#first = other.#first
  }

  /** A whole text, encoded straight into the ring. */
  holdText(text: string): void {
    // A character of a string is at most three bytes.
    if (text.length * 3 > BODY_BYTES) return this.hold(ENCODER.encode(text))
    const from = this.#ring.next
    this.#kept = this.size = this.#ring.writeText(text)
    if (this.size > 0) this.#first = from
  }

  /** A piece of a stream. */
  add(piece: Uint8Array, at: number): void {
    this.size += piece.length
    if (this.#pieces >= BODY_PIECES) return
    const part = this.#fitting(piece)
    if (part.length === 0) return
    this.#last = this.#ring.writePiece(part, at, this.#last)
    // Counted from the end of the first piece, because before its mark there may be a gap.
    if (this.#pieces === 0) this.#first = this.#ring.next - part.length - MARK_BYTES
    this.#pieces += 1
    this.#kept += part.length
  }

  /** For the page. `type`: of a body that is no text only its size is shown. */
  shown(hide: (text: string) => string, type: string | null): ShownBody {
    const { size } = this
    const cut = size > this.#kept && { cut: true as const }
    if (!isText(type)) return { size, ...cut }
    const { text, marks } = this.#decoded()
    const shown = hide(text) === text ? { text, marks } : hiddenPieces(text, marks, hide)
    return { text: shown.text, ...(marks.length > 0 && { marks: shown.marks }), size, ...cut }
  }

  #write(piece: Uint8Array): void {
    this.size += piece.length
    const part = this.#fitting(piece)
    if (part.length === 0) return
    this.#first ??= this.#ring.next
    this.#ring.write(part)
    this.#kept += part.length
  }

  /** Keeps as much of a piece as there is room for. */
  #fitting(piece: Uint8Array): Uint8Array {
    const room = BODY_BYTES - this.#kept
    return piece.length > room ? piece.subarray(0, room) : piece
  }

  /** The text, and the pieces' ends counted in characters. */
  #decoded(): { text: string; marks: Mark[] } {
    const decode = streamDecoder()
    const marks: Mark[] = []
    if (this.#pieces === 0) {
      const text = decode(this.#ring.read(this.#first ?? 0, this.#kept))
      return { text: text + decode(), marks }
    }
    let text = ''
    // The ring may have been written over since: then none of the pieces are left.
    if (!this.#ring.holds(this.#first ?? 0)) return { text, marks }
    for (const { at, bytes } of this.#ring.pieces(this.#last, this.#pieces)) {
      text += decode(bytes)
      marks.push([at, text.length])
    }
    return { text: text + decode(), marks }
  }
}

const isText = (type: string | null): boolean =>
  type === null || /json|text|urlencoded|xml|event-stream/i.test(type)

/** Hides secrets inside each piece. Where a secret is spread over two pieces, the pieces are shown as one. */
function hiddenPieces(
  text: string,
  marks: readonly Mark[],
  hide: (text: string) => string,
): { text: string; marks: Mark[] } {
  let from = 0
  let shown = ''
  const moved = marks.map(([at, end]): Mark => {
    shown += hide(text.slice(from, end))
    from = end
    return [at, shown.length]
  })
  const hidden = hide(text)
  if (marks.length === 0) return { text: hidden, marks: [] }
  if (shown === hidden) return { text: shown, marks: moved }
  return { text: hidden, marks: [[marks.at(-1)?.[0] ?? 0, hidden.length]] }
}

const ENCODER = new TextEncoder()
