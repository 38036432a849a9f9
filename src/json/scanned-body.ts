import type { Bytes } from './bytes.ts'
import { isObject, parse, restored, type Json, type JsonObject } from './json.ts'
import { scalarIn } from './slices.ts'
import type { Structure } from './structure.ts'
import type { Slice } from './tokens.ts'
import type { VerbatimPaths } from './verbatim-paths.ts'

/** A quick look at a text, which sees what it looks for in some member or element of it, or nowhere. */
export type Glance = (text: string) => boolean

/** A body that was scanned within its limits, without its long literals, so that parsing it is safe. */
export interface ScannedBody {
  readonly text: string
  /** How many values it holds, as far as it was scanned. */
  readonly values: number
  /** The members of the top level: where their values stand in the text, of a repeated one the last. */
  readonly members: ReadonlyMap<string, Slice>
  /** The text of a value at the top level. */
  memberText(name: string): string | undefined
  /** The same, or of a list at least so many of its first elements, where to read them alone is cheaper. */
  beginningOf?(name: string, elements: number): string | undefined
  /** Parses it. Throws SyntaxError for what is no JSON. What is parsed is shared and must not be changed. */
  parsed(): Json
  holds(glance: Glance): boolean
  /** The bytes with another string in the place of one; where it is absent the text has to be edited. */
  respelled?(name: string, value: string): Bytes | undefined
}

/** A body whose scan is not repeated. */
export class ScannedText implements ScannedBody {
  readonly text: string
  readonly structure: Structure

  constructor(text: string, structure: Structure) {
    this.text = text
    this.structure = structure
  }

  get members(): ReadonlyMap<string, Slice> {
    return this.structure.members
  }

  get values(): number {
    return this.structure.nodes
  }

  memberText(name: string): string | undefined {
    const slice = this.members.get(name)
    return slice && this.text.slice(slice.start, slice.end)
  }

  parsed(): Json {
    return restored(JSON.parse(this.text), this.structure.kept, this.text)
  }

  /** A body that has members is an object. */
  parsedObject(): JsonObject {
    const value = this.parsed()
    if (isObject(value)) return value
    throw new SyntaxError('no object')
  }

  holds(glance: Glance): boolean {
    return glance(this.text)
  }
}

/** A body that may be anything. */
export class UnscannedText implements ScannedBody {
  readonly text: string
  readonly values = 0
  readonly members: ReadonlyMap<string, Slice> = new Map()
  readonly #paths: VerbatimPaths

  constructor(text: string, paths: VerbatimPaths) {
    this.text = text
    this.#paths = paths
  }

  memberText(): undefined {
    return undefined
  }

  parsed(): Json {
    return parse(this.text, this.#paths)
  }

  holds(glance: Glance): boolean {
    return glance(this.text)
  }
}

/** A string or boolean at the top level of a body. */
export function memberOf(
  scanned: ScannedBody | undefined,
  name: string | undefined,
): string | boolean | undefined {
  const text = name === undefined ? undefined : scanned?.memberText(name)
  return text === undefined ? undefined : scalarIn(text)
}
