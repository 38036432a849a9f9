import { objectIn, isObject, pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { Ext, OpaqueBlock } from '../../src/model/request.ts'

export const DIALECT = 'responses'

/** The leftover that keeps how something was spelled: ids, statuses, defaults written out. */
const FORM = '#form'

/**
 * The members of one object, taken out one by one; what nobody takes is left over. A member of an
 * unexpected type is not taken, so it is left over too.
 */
export class Members {
  readonly #value: JsonObject
  readonly #taken = new Set<string>()
  readonly #form: [string, Json][] = []
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

  /** Takes members that say nothing of the conversation; they are only written back. */
  spell(...keys: string[]): void {
    for (const key of keys) {
      const value = this.peek(key)
      if (value !== undefined) this.note(key, this.#take(key, value))
    }
  }
  /** Takes a member that says no more than its default does. */
  spellDefault(key: string, ...defaults: Json[]): void {
    const value = this.peek(key)
    if (value !== undefined && defaults.includes(value)) this.spell(key)
  }
  /** Remembers a spelling. */
  note(key: string, value: Json): void {
    this.#form.push([key, value])
  }

  /** Leaves over what of a taken member nobody can say elsewhere. */
  leave(key: string, value: Json): void {
    this.#left.push([key, value])
  }

  rest(): JsonObject {
    const entries = Object.entries(this.#value).filter(([key]) => !this.#taken.has(key))
    return Object.fromEntries([...entries, ...this.#left])
  }
  ext(): Ext | undefined {
    return extWith(this.rest(), Object.fromEntries(this.#form))
  }

  #take<T extends Json>(key: string, value: T): T {
    this.#taken.add(key)
    return value
  }
}

export function extWith(rest: JsonObject, form: JsonObject): Ext | undefined {
  const fields = Object.keys(form).length > 0 ? { ...rest, [FORM]: form } : rest
  return Object.keys(fields).length > 0 ? { [DIALECT]: fields } : undefined
}

/** What only this dialect knows, whole. */
export const opaque = (value: JsonObject): OpaqueBlock => ({
  kind: 'opaque',
  dialect: DIALECT,
  value,
})

interface Extended {
  ext?: Ext
}

/** An item or a part as it came, without an id that was made here. */
export function withoutMinted(value: JsonObject): JsonObject {
  if (!isMinted(value['id'])) return value
  const { id: _, ...rest } = value
  return rest
}

/** Own leftovers of a node, to be spread back. */
export function ownLeftovers(node: Extended): JsonObject {
  const { [FORM]: _, ...rest } = node.ext?.[DIALECT] ?? {}
  return rest
}

/** How this dialect spelled a node. */
export function wireForm(node: Extended): JsonObject {
  const form = node.ext?.[DIALECT]?.[FORM]
  return objectIn(form)
}

/** Members of the spelling that are spread back as they are; an id that was made here is known to nobody else. */
export function spelled(node: Extended, ...keys: string[]): JsonObject {
  const form = wireForm(node)
  const entries: [string, Json][] = []
  for (const key of keys) {
    const value = form[key]
    if (value !== undefined && !(key === 'id' && isMinted(value))) entries.push([key, value])
  }
  return Object.fromEntries(entries)
}

/** A table's entry for a word from outside, which may be the name of anything. */
export const lookup = <T>(
  table: Readonly<Record<string, T>>,
  key: Json | undefined,
): T | undefined => (typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined)

export { listOf, objectIn, objectsOf } from '../../src/json/json.ts'
export const textIn = (value: JsonObject, key: string): string | undefined => {
  const member = value[key]
  return typeof member === 'string' ? member : undefined
}
/** A number of something. */
export const countIn = (value: JsonObject, key: string): number | undefined => {
  const member = value[key]
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0
    ? member
    : undefined
}

/** The members besides those that are known, as far as they say something. */
export function leftoversBeyond(value: JsonObject, known: readonly string[]): Ext | undefined {
  const left = pickMembers(
    value,
    (key, one) => !known.includes(key) && one !== null && !(Array.isArray(one) && !one.length),
  )
  return extWith(left, {})
}
