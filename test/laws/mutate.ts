import { isObject, type Json } from '../../src/json/json.ts'

export type Path = readonly (string | number)[]

/** The paths of all values in a document, the outer ones first. */
export function pathsOf(value: Json, at: Path = []): Path[] {
  if (Array.isArray(value))
    return [at, ...value.flatMap((item, index) => pathsOf(item, [...at, index]))]
  if (!isObject(value)) return [at]
  return [at, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...at, key]))]
}

export function valueAt(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)]
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  }, value)
}

/** The document with another value at a path, or without it; what is not touched is shared. */
export function mutate(value: Json, path: Path, replacement: Json | undefined): Json {
  const [key, ...rest] = path
  if (key === undefined) return replacement ?? null
  const inner = (old: Json | undefined): Json | undefined =>
    rest.length === 0 ? replacement : mutate(old ?? null, rest, replacement)
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const next = index === key ? inner(item) : item
      return next === undefined ? [] : [next]
    })
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, item]) => [
    name,
    name === key ? inner(item) : item,
  ])
  return Object.fromEntries(members.filter(([, item]) => item !== undefined))
}
