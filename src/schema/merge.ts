import { isObject, stringify, type Json, type JsonObject } from '../json/json.ts'
import { asList } from './source.ts'

/**
 * Gathers schemas that must hold together into one. Each is looked at once: what was gathered is not copied or
 * compared as a whole at every step, so the work is linear.
 */
export interface Conjunction {
  /** `conflict` is called with keywords that cannot be merged; of these the first value stays. */
  add(schema: JsonObject, conflict: (keyword: string) => void): void
  schema(): JsonObject
}

export function conjunction(first: JsonObject): Conjunction {
  const gathered = new Map<string, Gathered>()
  const add: Conjunction['add'] = (schema, conflict) => {
    for (const [keyword, value] of Object.entries(schema)) {
      const known = gathered.get(keyword)
      if (!known) gathered.set(keyword, (GATHERERS.get(keyword) ?? unchanged)(value))
      else if (!known.take(value)) conflict(keyword)
    }
  }
  add(first, () => undefined)
  return {
    add,
    schema: () =>
      Object.fromEntries([...gathered].map(([keyword, { value }]) => [keyword, value()])),
  }
}

/** The merged value of one keyword. */
interface Gathered {
  /** Adds a value; false when it excludes the values before. */
  take(value: Json): boolean
  value(): Json
}
type Gather = (first: Json) => Gathered

/** A text that is equal for equal values. */
export const toKey = (value: Json): string =>
  typeof value === 'string' ? `"${value}` : stringify(value)

function unchanged(first: Json): Gathered {
  let key: string | undefined
  return {
    take: (value) => value === first || (key ??= toKey(first)) === toKey(value),
    value: () => first,
  }
}

/** Of keywords that only inform the model, or that are already as strict as possible, the first value stays. */
const firstWins: Gather = (first) => ({ take: () => true, value: () => first })

/** Merges two schemas for the same value. */
function both(first: Json): Gathered {
  const schemas = [first]
  let keys: Set<string> | undefined
  return {
    take(value) {
      keys ??= new Set([toKey(first)])
      const key = toKey(value)
      if (!keys.has(key)) schemas.push(value)
      keys.add(key)
      return true
    },
    value: () => (schemas.length === 1 ? first : { allOf: schemas }),
  }
}

function properties(first: Json): Gathered {
  if (!isObject(first)) return unchanged(first)
  const members = new Map<string, Gathered>()
  const take = (value: Json): boolean => {
    if (!isObject(value)) return false
    for (const [name, one] of Object.entries(value)) {
      const known = members.get(name)
      if (known) known.take(one)
      else members.set(name, both(one))
    }
    return true
  }
  take(first)
  return {
    take,
    value: () => Object.fromEntries([...members].map(([name, one]) => [name, one.value()])),
  }
}

/** Every element that one of the lists has; a single list stays as it came. */
function union(first: Json): Gathered {
  const known = new Set(asList(first))
  let isOne = true
  return {
    take(value) {
      isOne = false
      for (const one of asList(value)) known.add(one)
      return true
    },
    value: () => (isOne ? first : [...known]),
  }
}

/** The elements that all lists have. `mayBeEmpty`: whether an empty list is a value too, and not a conflict. */
function intersection(first: Json, mayBeEmpty: boolean): Gathered {
  let value = first
  let keys: Map<string, Json> | undefined
  return {
    take(other) {
      keys ??= new Map(asList(first).map((one) => [toKey(one), one]))
      const wanted = new Set(asList(other).map(toKey))
      // Whether the lists exclude each other is seen from the new list alone.
      const isShared = [...wanted].some((key) => keys?.has(key))
      if (!isShared && !mayBeEmpty) return false
      if (isShared && wanted.size === keys.size && [...wanted].every((key) => keys?.has(key)))
        return true
      keys = new Map(isShared ? [...keys].filter(([key]) => wanted.has(key)) : [])
      value = [...keys.values()]
      return true
    },
    value: () => value,
  }
}

function lists(first: Json): Gathered {
  const all = asList(first).slice()
  return {
    take(value) {
      for (const one of asList(value)) all.push(one)
      return true
    },
    value: () => all,
  }
}

function bound(choose: (a: number, b: number) => number): Gather {
  return (first) => {
    let value = first
    return {
      take(other) {
        if (value === other) return true
        if (typeof value !== 'number' || typeof other !== 'number') return false
        value = choose(value, other)
        return true
      },
      value: () => value,
    }
  }
}

function nullable(first: Json): Gathered {
  let value = first
  return {
    take(other) {
      if (value !== other) value = false
      return true
    },
    value: () => value,
  }
}

const each = (keywords: string, gather: Gather): [string, Gather][] =>
  keywords.split(' ').map((keyword) => [keyword, gather])

const GATHERERS: ReadonlyMap<string, Gather> = new Map<string, Gather>([
  ...each('properties $defs definitions', properties),
  ...each('required', union),
  ...each('enum', (first) => intersection(first, true)),
  ...each('type', (first) => intersection(first, false)),
  ...each('nullable', nullable),
  ...each('minimum exclusiveMinimum minLength minItems minProperties', bound(Math.max)),
  ...each('maximum exclusiveMaximum maxLength maxItems maxProperties', bound(Math.min)),
  ...each('items', both),
  ...each('allOf', lists),
  ...each('description title default examples', firstWins),
])
