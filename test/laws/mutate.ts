import { isObject, type Json } from '../../src/json/json.ts'

export type Path = readonly (string | number)[]

/** The paths of all values in a document, the outer ones first. */
export function pathsOf(value: Json, at: Path = [], paths: Path[] = []): Path[] {
  paths.push(at)
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) pathsOf(item, [...at, index], paths)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) pathsOf(item, [...at, key], paths)
  return paths
}

export function valueAt(value: Json, path: Path): Json | undefined {
  let inner: Json | undefined = value
  for (const key of path) {
    if (Array.isArray(inner)) inner = inner[Number(key)]
    else inner = isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  }
  return inner
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
