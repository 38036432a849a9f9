import type { Bytes } from '../../json/bytes.ts'
import { restored, type Json, type JsonObject } from '../../json/json.ts'
import { holdsLiterals } from '../../json/large-literals.ts'
import type { Glance, ScannedBody, ScannedText } from '../../json/scanned-body.ts'
import type { KeptText, Structure } from '../../json/structure.ts'
import { endOfSpace, type Slice } from '../../json/tokens.ts'
import type { BodyRules } from '../../ports.ts'
import { findStructure, learnBody, respelled, type KnownBody } from './known-body.ts'

/** What a platform does at once with bytes that the language goes through one by one. */
export interface NativeBytes {
  isAscii(bytes: Uint8Array): boolean
  isUtf8(bytes: Uint8Array): boolean
  /** A text with a character for each byte, its number. */
  signs(bytes: Uint8Array): string
}

/**
 * Reads a body with characters outside of ASCII. Undefined where it has none, and where it is read as a text: because
 * it is no UTF-8 or no JSON, or too unusual, or because long data is to be left out of it.
 */
export function readFresh(
  bytes: Uint8Array,
  rules: BodyRules,
  native: NativeBytes,
): FreshBody | undefined {
  if (native.isAscii(bytes) || !native.isUtf8(bytes)) return undefined
  const text = native.signs(bytes)
  const structure = holdsLiterals(bytes) ? undefined : findStructure(text, rules)
  if (!structure || ![...structure.members.keys()].every(isUsual)) return undefined
  const signs = { text, structure }
  const known = learnBody(bytes, signs, rules.turns)
  return known && new FreshBody(known, signs, rules, native)
}

const USUAL_NAME = /^[ -~]*$/
const isUsual = (name: string): boolean => USUAL_NAME.test(name)

/** The text with a character for each byte, and what was found in it. */
type Signs = Pick<ScannedText, 'text' | 'structure'>

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * A body whose structure was found in its bytes, because all that is structure in JSON is ASCII. Each part of it is
 * decoded by itself: a text of all of it would take two bytes for each character because of a few, and with it
 * whatever is copied from it.
 */
class FreshBody implements ScannedBody {
  readonly known: KnownBody
  readonly #signs: string
  readonly #structure: Structure
  readonly #rules: BodyRules
  readonly #native: NativeBytes
  #text: string | undefined
  #members: ReadonlyMap<string, Slice> | undefined
  #value: JsonObject | undefined

  constructor(known: KnownBody, signs: Signs, rules: BodyRules, native: NativeBytes) {
    this.known = known
    this.#signs = signs.text
    this.#structure = signs.structure
    this.#rules = rules
    this.#native = native
  }

  get text(): string {
    return (this.#text ??= DECODER.decode(this.known.bytes))
  }

  get values(): number {
    return this.known.nodes
  }

  get members(): ReadonlyMap<string, Slice> {
    return (this.#members ??= findStructure(this.text, this.#rules)?.members ?? new Map())
  }

  /** The text between two places in the bytes. */
  slice(start: number, end: number): string {
    const bytes = this.known.bytes.subarray(start, end)
    return this.#native.isAscii(bytes) ? this.#signs.slice(start, end) : DECODER.decode(bytes)
  }

  memberText(name: string): string | undefined {
    const place = this.#structure.members.get(name)
    return place && this.slice(place.start, place.end)
  }

  beginningOf(name: string, elements: number): string | undefined {
    const { ends, members } = this.#structure
    const place = members.get(name)
    const end = name === this.#rules.turns ? ends[elements - 1] : undefined
    return place && this.slice(place.start, end ?? place.end)
  }

  respelled(name: string, value: string): Bytes | undefined {
    const place = this.#structure.members.get(name)
    return place && respelled(this.known.bytes, place, value)
  }

  holds(glance: Glance): boolean {
    const isThere = glance(this.#signs)
    if (!isThere) this.known.blind.add(glance)
    return isThere
  }

  parsed(): Json {
    return (this.#value ??= this.#parsedMembers())
  }

  #parsedMembers(): JsonObject {
    const { ends, members, kept } = this.#structure
    const body: JsonObject = {}
    for (const [name, { start, end }] of members) {
      const part = partOf(kept, name)
      const isLong = name === this.#rules.turns && ends.length > 0
      body[name] = isLong ? this.#parsedList(start, part) : this.#parsedPart(start, end, part)
    }
    return body
  }

  #parsedList(start: number, kept: KeptText | undefined): Json[] {
    let before = start
    return this.#structure.ends.map((end, index) => {
      // A bracket or a comma stands before each element.
      const from = endOfSpace(this.#signs, before) + 1
      before = end
      return this.#parsedPart(from, end, partOf(kept, index))
    })
  }

  #parsedPart(start: number, end: number, kept: KeptText | undefined): Json {
    return restored(JSON.parse(this.slice(start, end)), kept, this)
  }
}

const partOf = (kept: KeptText | undefined, key: string | number): KeptText | undefined =>
  kept instanceof Map ? kept.get(key) : undefined
