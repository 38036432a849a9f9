import type { Glance, ScannedBody } from '../../json/scanned-body.ts'
import { parse, type Json } from '../../json/json.ts'
import { likelyValue } from '../../json/slices.ts'
import { holdsLiterals } from '../../json/large-literals.ts'
import { endOfSpace, endOfValue, SIGN, type Slice } from '../../json/tokens.ts'
import type { NativeBytes } from './fresh-body.ts'
import type { BodyRules } from '../../ports.ts'
import { MOST_TURNS } from './opening.ts'

const DECODER = new TextDecoder()

/**
 * A body that is only looked at for what must not pass, in its bytes: what is sought is ASCII. It is neither scanned nor
 * decoded.
 */
class PassingBody implements ScannedBody {
  readonly bytes: Uint8Array
  readonly values = 0
  /** Where its first turns end. */
  readonly firstEnds: readonly number[]
  readonly members: ReadonlyMap<string, Slice> = new Map()
  readonly #signs: string
  readonly #rules: BodyRules
  #text: string | undefined

  constructor(bytes: Uint8Array, signs: string, rules: BodyRules) {
    this.bytes = bytes
    this.#signs = signs
    this.#rules = rules
    this.firstEnds = firstEnds(signs, rules.turns)
  }

  get text(): string {
    return (this.#text ??= DECODER.decode(this.bytes))
  }

  memberText(): undefined {
    return undefined
  }

  parsed(): Json {
    return parse(this.text, this.#rules.verbatim)
  }

  holds(glance: Glance): boolean {
    return glance(this.#signs)
  }
}

/** Undefined for bytes that are no text, and where long data is to be left out of it. */
export const readPassing = (
  bytes: Uint8Array,
  rules: BodyRules,
  { isAscii, isUtf8, signs }: NativeBytes,
): PassingBody | undefined =>
  (isAscii(bytes) || isUtf8(bytes)) && !holdsLiterals(bytes)
    ? new PassingBody(bytes, signs(bytes), rules)
    : undefined

/** Where the first elements end of what looks like the list of this name. */
function firstEnds(text: string, name: string): number[] {
  const ends: number[] = []
  try {
    let at = likelyValue(text, name) ?? text.length
    if (text.charCodeAt(at) !== SIGN.openBracket) return ends
    do {
      const start = endOfSpace(text, at + 1)
      const end = endOfValue(text, start)
      if (end > start) ends.push(end)
      at = endOfSpace(text, end)
    } while (ends.length < MOST_TURNS && text.charCodeAt(at) === SIGN.comma)
  } catch {
    // It is no JSON, which the upstream says.
  }
  return ends
}
