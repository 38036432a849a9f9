import { parse, type Json } from '../../json/json.ts'
import type { Unread } from '../wire-events.ts'
import type { VerbatimPaths } from '../../json/verbatim-paths.ts'
import { outline, type Path, type Scalar } from '../../json/outline.ts'
import {
  endOfCount,
  endOfPlainString,
  endOfString,
  readShortString,
  type ReadString,
} from '../../json/tokens.ts'

/** Larger texts rarely match the one before. */
const MOST_CHARACTERS = 2048
/** A stream that has needed so many templates is not worth learning from. */
const MOST_LESSONS = 32
/** Texts of one template begin alike, so this much is compared first. */
const SAME_CHARACTERS = 32

/**
 * Recognises texts of a stream that match the one before: most differ only in one piece, and perhaps in a count. Of
 * such a text only the piece is parsed.
 */
export class DeltaTemplates {
  readonly #verbatim: VerbatimPaths | undefined
  readonly #unread: Unread
  #last = ''
  #place: Path | undefined
  /** The template of the last text; null while it has not been made. */
  #template: DeltaTemplate | undefined | null
  #lessons = 0

  constructor(verbatim?: VerbatimPaths, unread: Unread = {}) {
    this.#verbatim = verbatim
    this.#unread = unread
  }

  /** Throws SyntaxError. A text that brings no piece is not kept while the stream waits. */
  parse(text: string): Json {
    this.#last = ''
    if (!this.#template?.matches(text, 0, text.length)) this.#template = null
    return parse(text, this.#verbatim)
  }

  /** Matches texts that differ from this one only in the string at `place`. */
  lookAt(place: Path, text: string): void {
    if (place !== this.#place) this.#template = null
    this.#place = place
    this.#last = text
  }

  /** The piece of a text that matches the last one; undefined for any other text. */
  pieceOf(text: string): string | undefined {
    if (!this.matches(text, 0, text.length) || !this.#template) return undefined
    const { start, end, value } = this.#template
    return value ?? text.slice(start + 1, end - 1)
  }

  /** Whether what stands between two places of a text matches the last text. */
  matches(text: string, start: number, end: number): boolean {
    if (this.#template === null) this.#template = this.#learn(text.slice(start, end))
    if (!this.#template?.matches(text, start, end)) return false
    this.#last = text.slice(start, end)
    return true
  }

  /** The last text, parsed whole for its counts. */
  last(): Json {
    return parse(this.#last, this.#verbatim)
  }

  #learn(text: string): DeltaTemplate | undefined | null {
    const last = this.#last
    if (!this.#place || last.length > MOST_CHARACTERS || this.#lessons >= MOST_LESSONS)
      return undefined
    if (last.slice(0, SAME_CHARACTERS) !== text.slice(0, SAME_CHARACTERS)) return null
    this.#lessons += 1
    const scalars = outline(last, this.#verbatim) ?? []
    return makeTemplate(last, scalars, (path) => this.#partAt(path))
  }

  #partAt(path: Path): Part | undefined {
    const { counts = [], noise = [] } = this.#unread
    if (this.#place && isSame(path, this.#place)) return 'piece'
    if (counts.some((place) => isSame(place, path))) return 'count'
    return noise.some((place) => isSame(place, path)) ? 'noise' : undefined
  }
}

type Part = 'piece' | 'count' | 'noise'

/** Undefined for a text without a piece. */
function makeTemplate(
  text: string,
  scalars: readonly Scalar[],
  partAt: (path: Path) => Part | undefined,
): DeltaTemplate | undefined {
  const around: string[] = []
  const parts: Part[] = []
  let from = 0
  for (const { start, end, path } of scalars) {
    const part = partAt(path)
    if (!part || (part === 'count') === (text[start] === '"')) continue
    parts.push(part)
    around.push(text.slice(from, start))
    from = end
  }
  if (!parts.includes('piece')) return undefined
  return new DeltaTemplate([...around, text.slice(from)], parts)
}

const isSame = (one: Path, other: Path): boolean =>
  one.length === other.length && one.every((key, at) => key === other[at])

/** The constant parts of texts that differ only in some literals. */
class DeltaTemplate {
  /** One more than there are literals. */
  readonly #around: readonly string[]
  readonly #parts: readonly Part[]
  /** Where the piece stands in the text that has matched last, and its value where it is spelled otherwise. */
  start = 0
  end = 0
  value: string | undefined

  constructor(around: readonly string[], parts: readonly Part[]) {
    this.#around = around
    this.#parts = parts
  }

  matches(text: string, start: number, end: number): boolean {
    let at = start
    for (let index = 0; index < this.#around.length; index += 1) {
      const around = this.#around[index] ?? ''
      // Cheaper than `startsWith`, which compares character by character.
      if (text.slice(at, at + around.length) !== around) return false
      at += around.length
      const part = this.#parts[index]
      if (!part) break
      const from = at
      const plain = part === 'count' ? endOfCount(text, at) : endOfPlainString(text, at)
      const isSpelled = plain === undefined && part !== 'count'
      const escaped = isSpelled ? (readShortString(text, at) ?? escapedString(text, at)) : undefined
      at = plain ?? escaped?.end ?? end + 1
      if (at > end) return false
      if (part !== 'piece') continue
      this.start = from
      this.end = at
      this.value = escaped?.value
    }
    return at === end
  }
}

/** Undefined for any other value, and for what JSON.parse would refuse. */
function escapedString(text: string, start: number): ReadString | undefined {
  try {
    const end = endOfString(text, start)
    return { value: String(JSON.parse(text.slice(start, end))), end }
  } catch {
    return undefined
  }
}
