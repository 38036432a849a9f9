import { isObject, setMember, type Json, type JsonObject } from '../json/json.ts'
import type { DialectName, Ext, OpaqueBlock, Origin } from './request.ts'

/** What a dialect keeps with a node besides what the model names. */
export interface Kept {
  ext?: Ext
  origin?: Origin
}

/** What a reader says of a node besides its members. */
export interface Circumstance<Facts> {
  /** The facts for the dialect's own writer. */
  facts?: Facts | false | undefined
}

/** How one dialect takes the known members of an object and keeps the rest. */
export interface Codec<Facts> {
  /** The rest and the facts, to be spread into the node; without either there are no members. */
  keep(rest: object, circumstance?: Circumstance<Facts>): Kept
  /** The rest of a node that was read in this dialect, to be spread back into the wire's object. */
  restOf(node: Kept | undefined): JsonObject
  factsOf(node: Kept | undefined): Partial<Facts>
  isOrigin(node: Kept): boolean
  /** A whole block that only this dialect knows. */
  opaque(value: JsonObject): OpaqueBlock
}

const NOTHING: Readonly<JsonObject> = {}

export function createCodec<Facts extends object>(dialect: DialectName): Codec<Facts> {
  return {
    keep(rest, circumstance) {
      const fields = definedMembers(rest)
      const origin = circumstance && createOrigin(dialect, circumstance)
      return { ...(fields && { ext: { [dialect]: fields } }), ...(origin && { origin }) }
    },
    restOf: (node) => node?.ext?.[dialect] ?? NOTHING,
    factsOf: (node) =>
      // Only its own reader writes a dialect's facts, which the types cannot express.
      node?.origin?.dialect === dialect ? ((node.origin.facts ?? NOTHING) as Partial<Facts>) : {},
    isOrigin: (node) => node.origin?.dialect === dialect,
    opaque: (value) => ({ kind: 'opaque', dialect, value }),
  }
}

function createOrigin<Facts extends object>(
  dialect: DialectName,
  { facts }: Circumstance<Facts>,
): Origin | undefined {
  return facts && Object.keys(facts).length > 0 ? { dialect, facts } : undefined
}

/** The members that are defined; undefined without any, as in most places. */
function definedMembers(fields: object): JsonObject | undefined {
  let found: JsonObject | undefined
  for (const key of Object.keys(fields) as (keyof typeof fields)[]) {
    const value: Json | undefined = fields[key]
    if (value !== undefined) setMember((found ??= {}), key, value)
  }
  return found
}

/** The members beyond the known ones; undefined without any, as in nearly every chunk of a stream. */
export function membersBeside(
  value: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  let found: JsonObject | undefined
  for (const key of Object.keys(value))
    if (!known.has(key)) setMember((found ??= {}), key, value[key] ?? null)
  return found
}

/**
 * The members of one object, taken out one by one; what is not taken is the rest. A member of an unexpected type
 * is not taken, so it stays in the rest too.
 */
export class Members {
  readonly #value: JsonObject
  readonly #taken = new Set<string>()
  readonly #left: [string, Json][] = []

  constructor(value: JsonObject) {
    this.#value = value
  }

  /** Looks without taking. */
  peek(key: string): Json | undefined {
    return Object.hasOwn(this.#value, key) ? this.#value[key] : undefined
  }
  text(key: string): string | undefined {
    const value = this.peek(key)
    return typeof value === 'string' ? this.#take(key, value) : undefined
  }
  number(key: string): number | undefined {
    const value = this.peek(key)
    return typeof value === 'number' ? this.#take(key, value) : undefined
  }
  flag(key: string): boolean | undefined {
    const value = this.peek(key)
    return typeof value === 'boolean' ? this.#take(key, value) : undefined
  }
  object(key: string): JsonObject | undefined {
    const value = this.peek(key)
    return isObject(value) ? this.#take(key, value) : undefined
  }
  list(key: string): Json[] | undefined {
    const value = this.peek(key)
    return Array.isArray(value) ? this.#take(key, value) : undefined
  }
  any(key: string): Json | undefined {
    const value = this.peek(key)
    return value === undefined ? undefined : this.#take(key, value)
  }

  /** Takes members that say nothing of the conversation. */
  pass(...keys: string[]): void {
    for (const key of keys) this.any(key)
  }
  /** Takes a member that only names its default. */
  passDefault(key: string, ...defaults: Json[]): void {
    const value = this.peek(key)
    if (value !== undefined && defaults.includes(value)) this.#take(key, value)
  }

  /** Puts into the rest the part of a taken member that no other dialect can express. */
  leave(key: string, value: Json): void {
    this.#left.push([key, value])
  }

  rest(): JsonObject {
    const rest: JsonObject = {}
    for (const key of Object.keys(this.#value)) {
      const value = this.#taken.has(key) ? undefined : this.#value[key]
      if (value !== undefined) setMember(rest, key, value)
    }
    for (const [key, value] of this.#left) setMember(rest, key, value)
    return rest
  }

  #take<T extends Json>(key: string, value: T): T {
    this.#taken.add(key)
    return value
  }
}
