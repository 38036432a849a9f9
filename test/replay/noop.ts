import type { Json, JsonObject } from '../../src/json/json.ts'

/**
 * Members of a request that say nothing to a foreign upstream, so that a change of them may leave no trace.
 * Every entry says why; `*` is any one index or key, `**` any number of them. Nothing else may vanish without
 * a report.
 */
export interface NoOp {
  /** The caller's. */
  dialect: string
  /** Towards this one only. */
  upstream?: string
  path: string
  /** Only for these values, or where this holds of the value; any value when both are absent. */
  values?: readonly Json[]
  when?: (value: Json | undefined, body: Json) => boolean
  /** The same holds of everything in it. */
  below?: true
  /** Only where the members beside it say so, or what is around those. */
  beside?: (parent: JsonObject, around: JsonObject) => boolean
  why: string
}

/** Without the dialect, where a table is of one. */
export type Entry = Omit<NoOp, 'dialect'>

/** The entries of one dialect's table. */
export const of = (dialect: string, entries: Entry[]): NoOp[] =>
  entries.map((entry) => ({ dialect, ...entry }))

/** Beside a `type` that is one of these. */
export const isType =
  (...types: string[]) =>
  (parent: JsonObject): boolean =>
    types.some((type) => parent['type'] === type)

/** Beside at least one of these members. */
export const has =
  (...keys: string[]) =>
  (parent: JsonObject): boolean =>
    keys.some((key) => Object.hasOwn(parent, key))

/** A schema in a dialect that has no JSON Schema, or not all of it. */
export const SCHEMA: Entry[] = [
  { path: '**.$schema', why: 'says which words are used, not what they say' },
  { path: '**.additionalProperties', values: [false, true], why: 'nobody makes members up' },
  { path: '**.type', beside: has('enum'), why: 'the choices say what type they have' },
  { path: '**.type.*', beside: (_, around) => has('enum')(around), why: 'the choices say it' },
  {
    path: '**.type',
    values: ['string'],
    beside: has('minLength', 'maxLength', 'pattern', 'format'),
    why: 'only strings have a length or a format',
  },
  { path: '**.type', values: ['array'], beside: has('items'), why: 'only arrays have items' },
  {
    path: '**.type',
    values: ['number'],
    beside: has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
    why: 'only numbers have bounds',
  },
  { path: '**.type', values: ['object'], beside: has('properties'), why: 'only objects have them' },
  {
    path: '**.items',
    values: [{ type: 'string' }],
    why: 'the elements of an array of which nothing is said',
  },
]
