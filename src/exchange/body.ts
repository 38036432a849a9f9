import { fillLiterals, liftLiterals, type LiftedText } from '../json/large-literals.ts'
import { invalid } from '../model/problem.ts'
import { encoded, joinBytes, NOTHING, piecesIn, sizeOf, type Bytes } from '../json/bytes.ts'

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** The body of a request. */
export interface Body {
  readonly bytes: Bytes
  /** Without its long data; throws ProblemError when it is no text. */
  readonly text: string
  /** With the data that was left out of the body, in what has been made of its text. */
  filled(text: string): string
  /** The same as bytes, in one piece or several. */
  encoded(text: string): Bytes
  /** Of the bytes that came, also of those that have been let go since. */
  readonly size: number
  /** It will not be looked at again, but what was left out of its text may still have to be filled in. */
  leave(): void
  /** Nothing of it is wanted any more. */
  drop(): void
}

export const createBody = (bytes: Bytes): Body => new ReadBody(bytes)

class ReadBody implements Body {
  readonly size: number
  #bytes: Bytes
  #known: LiftedText | undefined

  constructor(bytes: Bytes) {
    this.#bytes = bytes
    this.size = sizeOf(bytes)
  }

  get bytes(): Bytes {
    return this.#bytes
  }

  get text(): string {
    return (this.#known ??= liftLiterals(piecesIn(this.#bytes), decodedText)).text
  }

  /** Bytes are joined and become text once: to join long texts takes several times as long. */
  filled(text: string): string {
    const pieces = pieced(text, this.#known?.literals)
    return pieces.length > 1 ? LENIENT.decode(joinBytes(pieces)) : text
  }

  encoded(text: string): Bytes {
    const { literals = [] } = this.#known ?? {}
    return literals.length > 0 ? pieced(text, literals) : encoded(text)
  }

  leave(): void {
    this.#bytes = NOTHING
    if (this.#known) this.#known = { ...this.#known, text: '' }
  }

  drop(): void {
    this.#bytes = NOTHING
    this.#known = undefined
  }
}

function decodedText(pieces: readonly Uint8Array[]): string {
  try {
    return STRICT.decode(joinBytes(pieces))
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })

const pieced = (text: string, literals: LiftedText['literals'] = []): Uint8Array[] =>
  literals.length === 0
    ? []
    : fillLiterals(text, literals).map((piece) =>
        typeof piece === 'string' ? encoded(piece) : piece,
      )
