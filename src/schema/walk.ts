import { isObject, type Json, type JsonObject } from '../json/json.ts'
import { mapMembers } from './source.ts'

/**
 * The one way through a schema. What a service takes of it is its profile: which keywords, what becomes of the
 * others, how much of it.
 */
export interface SchemaRules<State = undefined> {
  readonly bounds?: Bounds
  /** A schema as the service takes it. What is inside of it goes through `walk` as well. */
  write(schema: JsonObject, place: SchemaPlace, walk: Walk<State>): Json
  /** What is no object; as it came, where a profile says nothing of it. */
  writeOther?(source: Json, place: SchemaPlace, walk: Walk<State>): Json
  /** What is beyond the bounds; as it came, where a profile says nothing of it. */
  writeBeyond?(source: Json, walk: Walk<State>): Json
}

/** What is not said has no bound but the stack's. */
export interface Bounds {
  readonly depth?: number
  /** Schemas visited: references may unfold a small text without end. */
  readonly nodes?: number
  /** How much may be written again, which a small text can ask for at thousands of places. */
  readonly repeated?: number
}

export interface SchemaPlace {
  readonly depth: number
  /** References on the way here: meeting one again is a cycle. */
  readonly references: readonly string[]
}

const TOP: SchemaPlace = { depth: 0, references: [] }

export class Walk<State = undefined> {
  readonly root: Json
  /** What the profile gathers on the way. */
  readonly state: State
  /** Keywords that no longer say the same. */
  readonly lost = new Set<string>()
  nodes = 0
  /** Characters of schemas that stand at more than one place. */
  repeated = 0
  readonly #profile: SchemaRules<State>

  constructor(profile: SchemaRules<State>, root: Json, state: State) {
    this.#profile = profile
    this.root = root
    this.state = state
  }

  /** All of it. */
  run(): Json {
    return this.schema(this.root, TOP)
  }

  get isSpent(): boolean {
    const { nodes = Infinity, repeated = Infinity } = this.#profile.bounds ?? {}
    return this.nodes > nodes || this.repeated > repeated
  }

  /** One schema at its place. */
  schema(source: Json, place: SchemaPlace): Json {
    const profile = this.#profile
    if (place.depth > (profile.bounds?.depth ?? Infinity) || this.isSpent)
      return profile.writeBeyond ? profile.writeBeyond(source, this) : source
    if (isObject(source)) return profile.write(source, place, this)
    return profile.writeOther ? profile.writeOther(source, place, this) : source
  }

  /** The same schema with every schema right inside of it written. */
  inside(
    schema: JsonObject,
    { depth, references }: SchemaPlace,
    where: Keywords = PLACES,
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

/** Keywords under which schemas stand, and how; anywhere else (`enum`, `default`) a member is data. */
export type Keywords = ReadonlyMap<string, Kind>
type Kind = 'one' | 'list' | 'map'

const places = (kind: Kind, keywords: string): [string, Kind][] =>
  keywords.split(' ').map((keyword) => [keyword, kind])

export const PLACES: Keywords = new Map([
  ...places('one', 'items additionalProperties not contains propertyNames'),
  ...places('list', 'anyOf oneOf allOf prefixItems'),
  ...places('map', 'properties $defs definitions patternProperties'),
])

/**
 * What becomes of a keyword: it is written, or by rules of its own; it goes into the description, as a loss or
 * without one; it is left out, as it says nothing to a model; or for it the whole schema is refused.
 */
const FATES = ['written', 'special', 'told', 'mentioned', 'silent', 'refused'] as const
export type KeywordFate = (typeof FATES)[number]

/** What becomes of each keyword in a service's hands. */
export type FateOf = (keyword: string, value: Json) => KeywordFate

/** `others`: all that the table does not name. A rule of its own looks at the value. */
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
