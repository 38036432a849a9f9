import { stringify, type JsonObject } from '../json/json.ts'
import { fillLiterals, liftLiterals, type LiftedText } from '../json/large-literals.ts'
import { LEAST_BYTES, writeParts } from '../json/written-body.ts'
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

/**
 * What was received as the body of a request: bytes, which need be no JSON, and their text with long data set aside. It
 * is released step by step, while what was read of it (`ScannedBody`) goes with who has read it.
 */
export class Received {
  /** The number of bytes that came, including those that have been released since. */
  readonly size: number
  #bytes: Bytes
  #known: LiftedText | undefined
  #characters = 0
  /** Of long data, which is left out of the text. */
  #media = { count: 0, size: 0 }

  constructor(bytes: Bytes) {
    this.#bytes = bytes
    this.size = sizeOf(bytes)
  }

  /** The number of characters of the text, once it was asked for, and even when it has been released. */
  get characters(): number {
    return this.#characters
  }

  /** About how many tokens it holds. */
  get tokens(): number {
    const { count, size } = this.#media
    return (this.size - size) / CHARACTERS_PER_TOKEN + count * TOKENS_PER_MEDIUM
  }

  get bytes(): Bytes {
    return this.#bytes
  }

  /** The text without long data. Throws ProblemError for bytes that are no text. */
  get text(): string {
    this.#known ??= this.#lifted()
    return this.#known.text
  }

  /** Whether long data was left out of the text. */
  get isLifted(): boolean {
    return (this.#known?.literals.length ?? 0) > 0
  }

  /**
   * Puts the long data back into a text that was made from `text`. Joins bytes and decodes them once: joining long texts
   * takes several times as long.
   */
  filled(text: string): string {
    const pieces = pieced(text, this.#known?.literals)
    return pieces.length > 1 ? utf8Text(joinBytes(pieces)) : text
  }

  /** The same as bytes, in one or several pieces. */
  encoded(text: string): Bytes {
    const { literals = [] } = this.#known ?? {}
    return literals.length > 0 ? pieced(text, literals) : encoded(text)
  }

  /** The bytes of a body that was made of it. */
  written(body: JsonObject): Bytes {
    // What was not read as a text was read from its bytes because of wide characters.
    const { literals = [], isWide = true } = this.#known ?? {}
    return isWide && this.size >= LEAST_BYTES
      ? writeParts(body, literals)
      : this.encoded(stringify(body))
  }

  /** Releases the text; long data stays, because it may still have to be filled in. */
  leave(): void {
    this.#bytes = NOTHING
    if (this.#known) this.#known = { ...this.#known, text: '' }
  }

  /** Releases everything. */
  drop(): void {
    this.#bytes = NOTHING
    this.#known = undefined
  }

  #lifted(): LiftedText {
    const lifted = liftLiterals(piecesIn(this.#bytes), decodedText)
    this.#characters = lifted.text.length
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
