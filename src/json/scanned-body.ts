import { byteOffsets, encoded, joinBytes, LARGEST_BLOCK_BYTES, type Bytes } from './bytes.ts'
import { parse, restored, type Json } from './json.ts'
import { scalarIn } from './slices.ts'
import type { Structure } from './structure.ts'
import type { Slice } from './tokens.ts'
import type { VerbatimPaths } from './verbatim-paths.ts'

/** Whether a text has something in it: then one of its members or elements has it, too. */
export type TextTest = (text: string) => boolean

/** How a text is read, where there is more to say of it than its structure. */
interface Reading {
  /** What stays text, where no structure tells. */
  readonly verbatim?: VerbatimPaths
  /** Its bytes as a text with a character for each: what is looked for is ASCII. */
  readonly latin1?: string
  /** Its bytes, where the session knows them from now on, and the tests that find nothing in them. */
  readonly known?: { readonly bytes: Uint8Array; readonly absent: Set<TextTest> }
}

/**
 * A body as JSON: scanned within its limits, without its long literals, so that parsing it is safe. Without a structure
 * its text may be anything.
 */
export class ScannedBody {
  #text: string | (() => string)
  readonly #structure: Structure | undefined
  readonly #reading: Reading
  #value: Json | undefined

  constructor(text: string | (() => string), structure?: Structure, reading: Reading = {}) {
    this.#text = text
    this.#structure = structure
    this.#reading = reading
  }

  get text(): string {
    if (typeof this.#text !== 'string') this.#text = this.#text()
    return this.#text
  }

  /** How many values it holds, as far as it was scanned. */
  get values(): number {
    return this.#structure?.nodes ?? 0
  }

  /** The members of the top level: where their values stand in the text, of a repeated one the last. */
  get members(): ReadonlyMap<string, Slice> {
    return this.#structure?.members ?? NO_MEMBERS
  }

  /** The text of a value at the top level. */
  memberText(name: string): string | undefined {
    const slice = this.#structure?.members.get(name)
    return slice && this.text.slice(slice.start, slice.end)
  }

  /** The same, or of a list at least so many of its first elements, where to read them alone is cheaper. */
  beginningOf?(name: string, elements: number): string | undefined

  /**
   * Parses it. Throws SyntaxError for what is no JSON. What is parsed is shared and must not be changed. Only what is
   * kept anyway is kept here.
   */
  parsed(): Json {
    return this.#reading.known ? (this.#value ??= this.#parse()) : this.#parse()
  }

  holds(test: TextTest): boolean {
    const { known, latin1 } = this.#reading
    const isThere = test(latin1 ?? this.text)
    if (!isThere) known?.absent.add(test)
    return isThere
  }

  /** The bytes with another string in the place of one; where it is absent the text has to be edited. */
  respelled(name: string, value: string): Bytes | undefined {
    const { known } = this.#reading
    const slice = this.members.get(name)
    if (!known || !slice) return undefined
    const at = byteOffsets(this.text, known.bytes.length === this.text.length)
    return respelled(known.bytes, { start: at(slice.start), end: at(slice.end) }, value)
  }

  #parse(): Json {
    if (!this.#structure) return parse(this.text, this.#reading.verbatim)
    return restored(JSON.parse(this.text), this.#structure.kept, this.text)
  }
}

const NO_MEMBERS: ReadonlyMap<string, Slice> = new Map()

const QUOTE = 34

/** The bytes with another string in the place of one. */
export function respelled(bytes: Uint8Array, { start, end }: Slice, value: string): Bytes {
  if (bytes[start] !== QUOTE) return bytes
  const before = joinBytes([bytes.subarray(0, start), encoded(JSON.stringify(value))])
  const behind = bytes.subarray(end)
  return bytes.length < LARGEST_BLOCK_BYTES ? joinBytes([before, behind]) : [before, behind]
}

/** A string or boolean at the top level of a body. */
export function memberOf(
  scanned: ScannedBody | undefined,
  name: string | undefined,
): string | boolean | undefined {
  const text = name === undefined ? undefined : scanned?.memberText(name)
  return text === undefined ? undefined : scalarIn(text)
}
