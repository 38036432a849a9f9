/** The path of a value in a document: names of members and indexes of entries. */
export type DocumentPath = readonly PropertyKey[]

/** A path as people write it: `routes[1].upstream`. */
export function spellPlace(path: DocumentPath): string {
  let place = ''
  for (const segment of path) {
    if (typeof segment === 'number') place += `[${segment}]`
    else if (/^[\w$-]+$/.test(String(segment))) place += `${place && '.'}${String(segment)}`
    else place += `[${JSON.stringify(String(segment))}]`
  }
  return place
}

/** The value at a place, or undefined. */
export function valueAt(value: unknown, path: DocumentPath): unknown {
  let found = value
  for (const segment of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment))
      return undefined
    found = Object.getOwnPropertyDescriptor(found, segment)?.value
  }
  return found
}

/** The text at a place, or undefined. */
export function textAt(value: unknown, path: DocumentPath): string | undefined {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : undefined
}

/** The members of the object at a path; none for any other value. */
export function membersAt(value: unknown, path: DocumentPath): [string, unknown][] {
  const found = valueAt(value, path)
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? Object.entries(found)
    : []
}

/** The entries of the list at a path; none for any other value. */
export function entriesAt(value: unknown, path: DocumentPath): readonly unknown[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : []
}
