import { bracketed, type Key } from '../model/paths.ts'
import { pickMembers, type JsonObject } from '../json/json.ts'
import { lazily } from '../json/memoize.ts'
import { tell, type Lose } from '../model/loss.ts'
import type { Shape } from './shape.ts'

/**
 * What becomes of one member of a dialect's request: its reader puts it into the conversation (otherwise it is left
 * over, for the same dialect alone), the configuration may say that a model refuses it (otherwise there is no request
 * without it), the service's counter of tokens takes it. It may bind: a service of another dialect could not keep to
 * it, and without it the request would be another one (`refuseUnkept`).
 */
type Use = 'read' | 'drop' | 'count' | 'bind'

/** One row of a dialect's table of members, which says all that is to be said of one by its name. */
export interface Field<T = unknown> {
  readonly uses: readonly Use[]
  /** What it may be; anything where absent. */
  readonly shape?: Shape<T>
  /** Where it belongs in a canonical request, if not by its own name. */
  readonly place?: string
}

export type Fields = Readonly<Record<string, Field>>

/** `uses` in one string, with spaces between: the tables are long. */
export const field = <T = unknown>(uses: string, shape?: Shape<T>, place?: string): Field<T> => ({
  // An unknown word has no effect.
  uses: uses.split(' ') as Use[],
  ...(shape && { shape }),
  ...(place !== undefined && { place }),
})

type ShapesOf<F> = { [K in keyof F]: F[K] extends Field<infer T> ? Shape<T> : never }

/** What each member may be, as `object` takes it. */
export const fieldShapes = <F extends Fields>(fields: F): ShapesOf<F> =>
  // Each name keeps the type of its own row, which `fromEntries` does not know.
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, { shape }]) => (shape ? [[key, shape]] : [])),
  ) as ShapesOf<F>

/** The members of one use. */
export const namesFor = (use: Use, fields: Fields): ReadonlySet<string> =>
  new Set(Object.keys(fields).filter((key) => fields[key]?.uses.includes(use)))

export type PlaceOf = (key: string) => string

/** Where a member belongs in a canonical request; one without a row is named as it came, behind `prefix`. */
export const placesIn = (fields: Fields, prefix = ''): PlaceOf => {
  const places = lazily(
    () => new Map(Object.entries(fields).map(([key, { place }]) => [key, place])),
  )
  return (key) => places().get(key) ?? prefix + key
}

/** All names of the members that a configuration may say a model refuses: those of the dialect first. */
export function droppable(fields: Fields, placeOf: PlaceOf): readonly string[] {
  const keys = [...namesFor('drop', fields)]
  return [...new Set([...keys, ...keys.flatMap((key) => namesOf(key, placeOf))])]
}

/**
 * What is sent, without the parameters that the configuration says the model refuses. It may name one as the
 * dialect does, by its place in a canonical request, or by the last part of that.
 */
export function withoutRefused(
  body: JsonObject,
  refused: readonly string[] = [],
  placeOf: PlaceOf,
  lose: Lose,
): JsonObject {
  const isRefused = (key: string): boolean =>
    namesOf(key, placeOf).some((name) => refused.includes(name))
  const out = refused.length === 0 ? [] : Object.keys(body).filter(isRefused)
  for (const key of out) tell(lose, { code: 'dropped', path: placeOf(key) })
  return out.length === 0 ? body : pickMembers(body, (key) => !out.includes(key))
}

/** What is sent to a server that refuses what it does not know. */
export function withoutOthers(
  body: JsonObject,
  taken: readonly string[],
  placeOf: PlaceOf,
  lose: Lose,
): JsonObject {
  const out = Object.keys(body).filter((key) => !taken.includes(key))
  for (const key of out) tell(lose, { code: 'dropped', path: placeOf(key) })
  return out.length === 0 ? body : pickMembers(body, (key) => taken.includes(key))
}

function namesOf(key: string, placeOf: PlaceOf): string[] {
  const place = placeOf(key)
  return [key, place, place.slice(place.lastIndexOf('.') + 1)]
}

/** What a dialect calls the places of a canonical request, and where its members belong in one. */
export interface FieldNames {
  /** Of a member, or of something in it; undefined for what the dialect has alone. */
  placeOf(name: string): string | undefined
  nameOf(place: string): string | undefined
  /** A place in the lists of a request, as errors of the dialect write it. */
  spell(path: readonly Key[]): string
}

/** `within`: the member in which those of a table stand; such a table comes before the one with that member. */
export function fieldNames(...tables: readonly { fields: Fields; within?: string }[]): FieldNames {
  const rows = lazily(() =>
    tables.flatMap(({ fields, within }) =>
      Object.entries(fields).map(([key, { place = key }]) => ({
        name: within === undefined ? key : `${within}.${key}`,
        place,
      })),
    ),
  )
  return {
    placeOf(name) {
      const plain = plainName(name)
      return rows().find((row) => {
        const own = plainName(row.name)
        return plain === own || plain.startsWith(`${own}.`) || own.endsWith(`.${plain}`)
      })?.place
    },
    nameOf: (place) => rows().find((row) => row.place === place)?.name,
    spell: bracketed,
  }
}

/** One service has two spellings of everything, and places in lists are told in either of two ways. */
const plainName = (name: string): string =>
  name.toLowerCase().replaceAll('_', '').replaceAll('[', '.').replaceAll(']', '')
