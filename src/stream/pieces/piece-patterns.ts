import { exactly } from '../../check/exactly.ts'

/** Each service has a few. */
const MOST_PATTERNS = 16
/** A pattern remembers each character of a string while it looks for its end. */
const MOST_CHARACTERS = 65_536

/**
 * Patterns of events that surely bring only a piece. To compile one costs as much as it saves in hundreds of events, so
 * it serves the streams that follow, too: it says nothing of what is another in each, such as ids and counts.
 */
export class PiecePatterns {
  /** The one that was found last comes first. */
  #known: readonly RegExp[] = []

  /** One for the event that begins there. */
  find(text: string, from: number): RegExp | undefined {
    const found = this.#known.find((pattern) => endOfMatch(pattern, text, from) > from)
    if (found && found !== this.#known[0]) this.#putFirst(found)
    return found
  }

  /** From the text of an event: what stands before its piece, with the quote, and behind the quote that ends it. */
  make(before: string, behind: string): RegExp {
    const made = new RegExp(`${alike(before)}(?!")${IN_STRING}"${alike(behind)}`, 'y')
    this.#putFirst(made)
    return made
  }

  #putFirst(first: RegExp): void {
    const others = this.#known.filter((pattern) => pattern !== first)
    this.#known = [first, ...others.slice(0, MOST_PATTERNS - 1)]
  }
}

/** The index behind what a pattern matches at a place; that place itself where it matches nothing. */
export function endOfMatch(pattern: RegExp, text: string, from: number): number {
  if (text.length > MOST_CHARACTERS) return from
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

/** What may stand between the quotes of a string, and of an id. */
const IN_STRING = String.raw`[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*`
const IN_ID = String.raw`[^"\\\x00-\x1f]*`

/** The pattern of texts that differ in numbers and ids. It ends outside of a string, or with a quote. */
const alike = (text: string): string =>
  text.replace(TOKEN, (token, string, colon) =>
    string !== undefined && colon === undefined && ID.test(string)
      ? `"${IN_ID}"`
      : exactly(token).replace(/\d+/g, String.raw`\d+`),
  )

/** A string, and the colon behind it where it is a name; a number; or a sign. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\d+|\W/g

/** Rather an id than a word of a dialect: it has a digit, or is longer than those are. */
const ID = /^"(?=[^"]*\d|.{20})[^\\]{8,}"$/
