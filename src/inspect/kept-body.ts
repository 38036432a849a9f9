import { isWhole, type Bytes } from '../json/bytes.ts'

/** The most that is kept of one body, and of how many pieces of a stream it is known when they came. */
export const BODY_BYTES = 1_048_576
export const BODY_PIECES = 2000

const BLOCK_BYTES = 4096
const LARGEST_BLOCK_BYTES = 65_536

/** When a piece had come, in milliseconds of the exchange, and where in the text it ends. */
export type Mark = readonly [at: number, end: number]

/** What is left of a body: its text, where it is one, without what must not be shown. */
export interface ShownBody {
  text?: string
  /** All of it, also what was not kept. */
  size: number
  cut?: true
  /** Of a stream. */
  marks?: Mark[]
}

/** A body, or its beginning. What is kept is copied where it would hold more memory than its own. */
export class KeptBody {
  size = 0
  #kept = 0
  #pieces: Uint8Array[] = []
  #block: Uint8Array | undefined
  #used = 0
  #marks: Mark[] = []
  #masked: { text: string; marks: Mark[] } | undefined

  /** How many bytes of it are kept. */
  get kept(): number {
    return this.#kept
  }

  /** A whole body; the result is how many more bytes are kept. */
  hold(bytes: Bytes): number {
    const before = this.#kept
    for (const piece of isWhole(bytes) ? [bytes] : bytes) {
      this.size += piece.length
      const room = BODY_BYTES - this.#kept
      if (room <= 0) continue
      this.#kept += Math.min(room, piece.length)
      this.#pieces.push(piece.length > room || isLoose(piece) ? piece.slice(0, room) : piece)
    }
    return this.#kept - before
  }

  /** A piece of a stream. */
  add(piece: Uint8Array, at: number): number {
    this.size += piece.length
    const room = BODY_BYTES - this.#kept
    if (room <= 0 || this.#marks.length >= BODY_PIECES) return 0
    const part = piece.length > room ? piece.subarray(0, room) : piece
    this.#copy(part)
    this.#kept += part.length
    this.#marks.push([at, this.#kept])
    return part.length
  }

  /** It is over, and nothing more comes: what must not be kept is put out of it for good. */
  seal(hide: (text: string) => string, mayHide: (bytes: Uint8Array) => boolean): void {
    this.#flush()
    if (!this.#pieces.some(mayHide) && (this.#pieces.length < 2 || !mayHide(this.#joined()))) return
    const { text, marks } = this.#decoded()
    this.#masked = hiddenPieces(text, marks, hide)
    this.#pieces = []
    this.#marks = []
  }

  /** For the page. `type`: of what is no text only the size is told. */
  shown(hide: (text: string) => string, type: string | null): ShownBody {
    const { size } = this
    const cut = size > this.#kept && { cut: true as const }
    if (!isText(type)) return { size, ...cut }
    const { text, marks } = this.#masked ?? this.#decoded()
    const shown = hide(text) === text ? { text, marks } : hiddenPieces(text, marks, hide)
    return { text: shown.text, ...(marks.length > 0 && { marks: shown.marks }), size, ...cut }
  }

  #copy(part: Uint8Array): void {
    let from = 0
    while (from < part.length) {
      if (!this.#block || this.#used === this.#block.length) {
        this.#flush()
        const length = Math.min(LARGEST_BLOCK_BYTES, Math.max(BLOCK_BYTES, this.#kept))
        this.#block = new Uint8Array(length)
      }
      const room = this.#block.length - this.#used
      const now = part.subarray(from, from + room)
      this.#block.set(now, this.#used)
      this.#used += now.length
      from += now.length
    }
  }

  #flush(): void {
    if (this.#block) this.#pieces.push(this.#block.slice(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }

  #joined(): Uint8Array {
    const whole = new Uint8Array(this.#kept)
    let at = 0
    for (const piece of [...this.#pieces, ...this.#open()]) {
      whole.set(piece, at)
      at += piece.length
    }
    return whole
  }

  #open(): Uint8Array[] {
    return this.#block ? [this.#block.subarray(0, this.#used)] : []
  }

  /** The places of the marks, in characters. */
  #decoded(): { text: string; marks: Mark[] } {
    const bytes = this.#joined()
    if (this.#marks.length === 0) return { text: new TextDecoder().decode(bytes), marks: [] }
    const decoder = new TextDecoder()
    let text = ''
    let from = 0
    const marks = this.#marks.map(([at, end]): Mark => {
      text += decoder.decode(bytes.subarray(from, end), { stream: true })
      from = end
      return [at, text.length]
    })
    return { text, marks }
  }
}

/** Most of the memory that it holds is not its own. */
const isLoose = ({ length, buffer }: Uint8Array): boolean => buffer.byteLength > length * 2

const isText = (type: string | null): boolean =>
  type === null || /json|text|urlencoded|xml|event-stream/i.test(type)

/** A secret in one piece is hidden there; of one that came in two, the pieces are no longer told apart. */
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
