import { isObject, pickMembers, type Json, type JsonObject } from '../json/json.ts'
import { mapMembers, words } from './source.ts'

/**
 * The rules of one service, for the one walk through a schema: which keywords it takes, what becomes of the others,
 * and how much it takes.
 */
export interface SchemaRules<State = undefined> {
  readonly bounds?: Bounds
  /** Writes a schema as the service takes it. Schemas inside of it are written by `walk`. */
  write(schema: JsonObject, place: SchemaPlace, walk: Walk<State>): Json
  /** Writes a value that is no object; without this rule it stays as it came. */
  writeOther?(source: Json, place: SchemaPlace, walk: Walk<State>): Json
  /** Writes a schema beyond the bounds; without this rule it stays as it came. */
  writeBeyond?(source: Json, walk: Walk<State>): Json
}

/** A bound that is absent is infinite, but for the stack's. */
export interface Bounds {
  readonly depth?: number
  /** How many schemas are visited: references can unfold a small text without end. */
  readonly nodes?: number
  /**
   * How many characters may be written at further places: a small text can refer to a long schema at thousands of
   * places.
   */
  readonly repeated?: number
}

export interface SchemaPlace {
  readonly depth: number
  /** The references on the way here. Meeting one of them again means a cycle. */
  readonly references: readonly string[]
}

const TOP: SchemaPlace = { depth: 0, references: [] }

export class Walk<State = undefined> {
  readonly root: Json
  /** What the rules gather on the way. */
  readonly state: State
  /** Keywords whose meaning is not kept. */
  readonly lost = new Set<string>()
  nodes = 0
  /** How many characters were written at further places. */
  repeated = 0
  readonly #profile: SchemaRules<State>

  constructor(profile: SchemaRules<State>, root: Json, state: State) {
    this.#profile = profile
    this.root = root
    this.state = state
  }

  /** Writes the whole schema. */
  run(): Json {
    return this.schema(this.root, TOP)
  }

  get isSpent(): boolean {
    const { nodes = Infinity, repeated = Infinity } = this.#profile.bounds ?? {}
    return this.nodes > nodes || this.repeated > repeated
  }

  /** Writes one schema at its place. */
  schema(source: Json, place: SchemaPlace): Json {
    const profile = this.#profile
    if (place.depth > (profile.bounds?.depth ?? Infinity) || this.isSpent)
      return profile.writeBeyond ? profile.writeBeyond(source, this) : source
    if (isObject(source)) return profile.write(said(source), place, this)
    return profile.writeOther ? profile.writeOther(source, place, this) : source
  }

  /** A copy of a schema with all schemas directly inside of it written. */
  inside(
    schema: JsonObject,
    { depth, references }: SchemaPlace,
    where: Keywords = SCHEMA_PLACES,
  ): JsonObject {
    const inner = { depth: depth + 1, references }
    const write = (source: Json) => this.schema(source, inner)
    return mapMembers(schema, (key, value) => {
      const kind = where.get(key)
      if (kind === 'one') return write(value)
      if (kind === 'list' && Array.isArray(value)) return value.map(write)
      return kind === 'map' && isObject(value) ? mapMembers(value, (_, one) => write(one)) : value
    })
  }
}

/** Keywords to which null is a value. */
const DATA = words('default const example')

/** A schema without the keywords that are null: Go writes so what was never set, and ProtoJSON reads it as that. */
export const said = (schema: JsonObject): JsonObject =>
  Object.values(schema).includes(null)
    ? pickMembers(schema, (keyword, value) => value !== null || DATA.has(keyword))
    : schema

/** The keywords that hold schemas, and in which form. Members of anything else (`enum`, `default`) are data. */
export type Keywords = ReadonlyMap<string, Kind>
type Kind = 'one' | 'list' | 'map'

const places = (kind: Kind, keywords: string): [string, Kind][] =>
  keywords.split(' ').map((keyword) => [keyword, kind])

export const SCHEMA_PLACES: Keywords = new Map([
  ...places('one', 'items additionalProperties not contains propertyNames'),
  ...places('list', 'anyOf oneOf allOf prefixItems'),
  ...places('map', 'properties $defs definitions patternProperties'),
])

/**
 * What becomes of a keyword. `written`: as it is; `special`: by a rule of its own; `told`: into the description,
 * reported as lost; `mentioned`: into the description, not reported; `silent`: left out, because it tells a model
 * nothing; `refused`: the whole schema is refused.
 */
const FATES = ['written', 'special', 'told', 'mentioned', 'silent', 'refused'] as const
export type KeywordFate = (typeof FATES)[number]

/** What becomes of a keyword with this value at one service. */
export type FateOf = (keyword: string, value: Json) => KeywordFate

/** `others`: the fate of keywords that the table does not name. A function decides by the value. */
export function fates(
  others: KeywordFate,
  table: Readonly<Partial<Record<KeywordFate, string>>>,
  rules: Readonly<Record<string, (value: Json) => KeywordFate>> = {},
): FateOf {
  const known = new Map<string, KeywordFate | ((value: Json) => KeywordFate)>(Object.entries(rules))
  for (const fate of FATES)
    for (const keyword of table[fate]?.split(' ') ?? []) known.set(keyword, fate)
  return (keyword, value) => {
    const fate = known.get(keyword) ?? others
    return typeof fate === 'string' ? fate : fate(value)
  }
}
