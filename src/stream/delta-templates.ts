import { parse, type Json } from '../json/json.ts'
import type { VerbatimPaths } from '../json/verbatim-paths.ts'
import { outline, type Path } from '../json/outline.ts'
import { endOfCount, endOfText, readString } from '../json/tokens.ts'

/** Where texts of a stream differ that are alike otherwise. */
export interface DeltaTemplate {
  verbatim?: VerbatimPaths
  /** A number that is asked for only of the last of such texts. */
  counts?: readonly Path[]
  /** What is not read. */
  noise?: readonly Path[]
}

type Take = (piece: string) => void

/** Larger texts are rarely alike. */
const MOST_CHARACTERS = 2048
/** A stream in which every text is another kind is not worth learning from. */
const MOST_LESSONS = 32
/** Texts that are alike begin alike. */
const SAME_CHARACTERS = 32

/**
 * Reads the texts of a stream, which are mostly alike: each brings the next piece of something, perhaps with a
 * count, and around it stands what stood around the one before. What was done with that one is then done
 * with this piece, and nothing is parsed.
 */
export class DeltaTemplates {
  readonly #template: DeltaTemplate
  #last = ''
  #place: Path = []
  #take: Take | undefined
  /** What is like the last text; null while that has not been looked at. */
  #row: Row | undefined | null
  #lessons = 0

  constructor(template: DeltaTemplate) {
    this.#template = template
  }

  /** Throws SyntaxError. */
  parse(text: string): Json {
    this.#take = undefined
    this.#last = text
    if (this.#row?.pieceOf(text) === undefined) this.#row = null
    return this.last()
  }

  /**
   * All that there was to do with the text parsed last was to take the string at a place; and what was to be
   * done with it, nothing but the text itself told.
   */
  repeat(place: Path, take: Take): void {
    if (place !== this.#place) this.#row = null
    this.#place = place
    this.#take = take
  }

  forget(): void {
    this.#take = undefined
  }

  /** Takes the piece of a text that is like the last one; false for any other text. */
  again(text: string): boolean {
    const take = this.#take
    if (!take) return false
    if (this.#row === null) this.#row = this.#learn(text)
    const piece = this.#row?.pieceOf(text)
    if (piece === undefined) return false
    this.#last = text
    take(piece)
    return true
  }

  /** The last text once more, for its counts. */
  last(): Json {
    return parse(this.#last, this.#template.verbatim)
  }

  #learn(text: string): Row | undefined | null {
    const last = this.#last
    if (last.length > MOST_CHARACTERS || this.#lessons >= MOST_LESSONS) return undefined
    if (last.slice(0, SAME_CHARACTERS) !== text.slice(0, SAME_CHARACTERS)) return null
    this.#lessons += 1
    return makeRow(last, this.#place, this.#template)
  }
}

type LargeLiteral = 'piece' | 'count' | 'noise'

/** Undefined for a text without a string at `place`, or one that is not looked through. */
function makeRow(text: string, place: Path, template: DeltaTemplate): Row | undefined {
  const around: string[] = []
  const literals: LargeLiteral[] = []
  let from = 0
  for (const { start, end, path } of outline(text, template.verbatim) ?? []) {
    const literal = isSame(path, place) ? 'piece' : literalAt(path, template)
    if (!literal || (literal === 'count') === (text[start] === '"')) continue
    literals.push(literal)
    around.push(text.slice(from, start))
    from = end
  }
  return literals.includes('piece') ? new Row([...around, text.slice(from)], literals) : undefined
}

function literalAt(
  path: Path,
  { counts = [], noise = [] }: DeltaTemplate,
): LargeLiteral | undefined {
  if (counts.some((place) => isSame(place, path))) return 'count'
  return noise.some((place) => isSame(place, path)) ? 'noise' : undefined
}

const isSame = (one: Path, other: Path): boolean =>
  one.length === other.length && one.every((key, at) => key === other[at])

/** Texts that differ in nothing but what stands in their holes. */
class Row {
  /** One part more than there are holes. */
  readonly #around: readonly string[]
  readonly #literals: readonly LargeLiteral[]

  constructor(around: readonly string[], literals: readonly LargeLiteral[]) {
    this.#around = around
    this.#literals = literals
  }

  /** Undefined for a text of another row. */
  pieceOf(text: string): string | undefined {
    let piece: string | undefined
    let at = 0
    for (let index = 0; index < this.#around.length; index += 1) {
      const part = this.#around[index] ?? ''
      // Cheaper than `startsWith`, which goes from character to character.
      if (text.slice(at, at + part.length) !== part) return undefined
      at += part.length
      const literal = this.#literals[index]
      if (!literal) break
      const end = literal === 'count' ? endOfCount(text, at) : endOfText(text, at)
      if (end === undefined) return undefined
      if (literal !== 'count') {
        const value = stringBetween(text, at, end)
        if (value === undefined) return undefined
        if (literal === 'piece') piece = value
      }
      at = end
    }
    return at === text.length ? piece : undefined
  }
}

/** Undefined where JSON.parse would refuse it. */
function stringBetween(text: string, start: number, end: number): string | undefined {
  try {
    return readString(text, start, end)
  } catch {
    return undefined
  }
}
