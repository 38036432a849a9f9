import { utf8Text } from '../../json/bytes.ts'
import { restored, type Json, type JsonObject } from '../../json/json.ts'
import { holdsLiterals } from '../../json/large-literals.ts'
import type { KeptText, Structure } from '../../json/structure.ts'
import { endOfSpace } from '../../json/tokens.ts'
import type { BodyRules } from '../../ports.ts'
import { findStructure, learnBody } from './known-body.ts'
import { RecalledBody } from './recalled-body.ts'

/** What a platform does at once with bytes that the language goes through one by one. */
export interface NativeBytes {
  isAscii(bytes: Uint8Array): boolean
  isUtf8(bytes: Uint8Array): boolean
  /** The bytes as a text with a character for each. */
  latin1(bytes: Uint8Array): string
}

/**
 * Reads a body with characters outside of ASCII from its bytes, because all that is structure in JSON is ASCII: a text
 * of all of it would take two bytes for each character because of a few, and with it whatever is copied from it.
 * Undefined where it has none, and where it is read as a text: because it is no UTF-8 or no JSON, or too unusual, or
 * because long data is to be left out of it.
 */
export function readFresh(
  bytes: Uint8Array,
  rules: BodyRules,
  native: NativeBytes,
): RecalledBody | undefined {
  if (native.isAscii(bytes) || !native.isUtf8(bytes)) return undefined
  const latin1 = native.latin1(bytes)
  const structure = holdsLiterals(bytes) ? undefined : findStructure(latin1, rules)
  if (!structure || ![...structure.members.keys()].every(isUsual)) return undefined
  const known = learnBody(bytes, latin1, structure, rules.turns)
  const reader = new PartReader(bytes, latin1, native)
  return (
    known &&
    new RecalledBody(known, rules, {
      parsed: () => reader.members(structure, rules.turns),
      holds: (test) => test(latin1),
    })
  )
}

const USUAL_NAME = /^[ -~]*$/
const isUsual = (name: string): boolean => USUAL_NAME.test(name)

/** Parses a body by its parts. Its structure was found in `latin1`, which has a character for each byte. */
class PartReader {
  readonly #bytes: Uint8Array
  readonly #latin1: string
  readonly #native: NativeBytes

  constructor(bytes: Uint8Array, latin1: string, native: NativeBytes) {
    this.#bytes = bytes
    this.#latin1 = latin1
    this.#native = native
  }

  members({ ends, members, kept }: Structure, turns: string): JsonObject {
    const body: JsonObject = {}
    for (const [name, { start, end }] of members) {
      const part = partOf(kept, name)
      const isLong = name === turns && ends.length > 0
      body[name] = isLong ? this.#list(start, ends, part) : this.#part(start, end, part)
    }
    return body
  }

  /** The text between two places in the bytes. */
  slice(start: number, end: number): string {
    const bytes = this.#bytes.subarray(start, end)
    return this.#native.isAscii(bytes) ? this.#latin1.slice(start, end) : utf8Text(bytes)
  }

  #list(start: number, ends: readonly number[], kept: KeptText | undefined): Json[] {
    let before = start
    return ends.map((end, index) => {
      // A bracket or a comma stands before each element.
      const from = endOfSpace(this.#latin1, before) + 1
      before = end
      return this.#part(from, end, partOf(kept, index))
    })
  }

  #part(start: number, end: number, kept: KeptText | undefined): Json {
    return restored(JSON.parse(this.slice(start, end)), kept, this)
  }
}

const partOf = (kept: KeptText | undefined, key: string | number): KeptText | undefined =>
  kept instanceof Map ? kept.get(key) : undefined
