import { utf8Text, type Bytes } from '../../json/bytes.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { respelled, ScannedBody, type TextTest } from '../../json/scanned-body.ts'
import type { Slice } from '../../json/tokens.ts'
import type { BodyRules } from '../../ports.ts'
import { findStructure, type KnownBody, type MemberPlace } from './known-body.ts'

/** What is read of a body otherwise than as a whole. */
export interface BodyParts {
  parsed(): JsonObject
  /** `text`: the whole body. */
  holds(test: TextTest, text: () => string): boolean
}

/** A body whose parts are known by where they stand in its bytes. Each is decoded by itself, and the rest when asked. */
export class RecalledBody extends ScannedBody {
  readonly known: KnownBody
  readonly #rules: BodyRules
  readonly #parts: BodyParts
  #members: ReadonlyMap<string, Slice> | undefined
  #value: JsonObject | undefined

  constructor(known: KnownBody, rules: BodyRules, parts: BodyParts) {
    super(() => utf8Text(known.bytes))
    this.known = known
    this.#rules = rules
    this.#parts = parts
  }

  override get values(): number {
    return this.known.nodes
  }

  override get members(): ReadonlyMap<string, Slice> {
    return (this.#members ??= findStructure(this.text, this.#rules)?.members ?? new Map())
  }

  override memberText(name: string): string | undefined {
    const place = this.#placeOf(name)
    return place && this.#decoded(place.start, place.end)
  }

  override beginningOf(name: string, elements: number): string | undefined {
    const place = this.#placeOf(name)
    const ends = name === this.#rules.turns ? this.known.layout.turns?.ends : undefined
    return place && this.#decoded(place.start, ends?.[elements - 1] ?? place.end)
  }

  override parsed(): Json {
    return (this.#value ??= this.#parts.parsed())
  }

  override respelled(name: string, value: string): Bytes | undefined {
    const place = this.#placeOf(name)
    return place && respelled(this.known.bytes, place, value)
  }

  override holds(test: TextTest): boolean {
    const { absent } = this.known
    if (absent.has(test)) return false
    const isThere = this.#parts.holds(test, () => this.text)
    if (!isThere) absent.add(test)
    return isThere
  }

  #placeOf(name: string): MemberPlace | undefined {
    return this.known.layout.places.find((place) => place.name === name)
  }

  #decoded(start: number, end: number): string {
    return utf8Text(this.known.bytes.subarray(start, end))
  }
}
