import { fillLiterals, liftLiterals, type LiftedText } from '../json/large-literals.ts'
import { CHARACTERS_PER_TOKEN, TOKENS_PER_MEDIUM } from '../rules/estimate.ts'
import { invalid } from '../model/problem.ts'
import {
  encoded,
  joinBytes,
  NOTHING,
  piecesIn,
  sizeOf,
  utf8Text,
  type Bytes,
} from '../json/bytes.ts'

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** The body of a request. */
export interface Body {
  readonly bytes: Bytes
  /** The text without long data. Throws ProblemError for bytes that are no text. */
  readonly text: string
  /** Whether long data was left out of the text. */
  readonly isLifted: boolean
  /** Puts the long data back into a text that was made from `text`. */
  filled(text: string): string
  /** The same as bytes, in one or several pieces. */
  encoded(text: string): Bytes
  /** The number of bytes that came, including those that have been released since. */
  readonly size: number
  /** About how many tokens it holds. */
  readonly tokens: number
  /** The number of characters of the text, once it was asked for, and even when it has been released. */
  readonly characters: number
  /** Releases the text; long data stays, because it may still have to be filled in. */
  leave(): void
  /** Releases everything. */
  drop(): void
}

export const createBody = (bytes: Bytes): Body => new ReadBody(bytes)

class ReadBody implements Body {
  readonly size: number
  characters = 0
  #bytes: Bytes
  #known: LiftedText | undefined
  /** Of long data, which is left out of the text. */
  #media = { count: 0, size: 0 }

  constructor(bytes: Bytes) {
    this.#bytes = bytes
    this.size = sizeOf(bytes)
  }

  get tokens(): number {
    const { count, size } = this.#media
    return (this.size - size) / CHARACTERS_PER_TOKEN + count * TOKENS_PER_MEDIUM
  }

  get bytes(): Bytes {
    return this.#bytes
  }

  get text(): string {
    this.#known ??= this.#lifted()
    return this.#known.text
  }

  get isLifted(): boolean {
    return (this.#known?.literals.length ?? 0) > 0
  }

  /** Joins bytes and decodes them once: joining long texts takes several times as long. */
  filled(text: string): string {
    const pieces = pieced(text, this.#known?.literals)
    return pieces.length > 1 ? utf8Text(joinBytes(pieces)) : text
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

  #lifted(): LiftedText {
    const lifted = liftLiterals(piecesIn(this.#bytes), decodedText)
    this.characters = lifted.text.length
    const { literals } = lifted
    const size = literals.reduce((sum, pieces) => sum + sizeOf([...pieces]), 0)
    this.#media = { count: literals.length, size }
    return lifted
  }
}

function decodedText(pieces: readonly Uint8Array[]): string {
  try {
    return STRICT.decode(joinBytes(pieces))
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

const pieced = (text: string, literals: LiftedText['literals'] = []): Uint8Array[] =>
  literals.length === 0
    ? []
    : fillLiterals(text, literals).map((piece) =>
        typeof piece === 'string' ? encoded(piece) : piece,
      )
