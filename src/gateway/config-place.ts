/** A place in a document, as people spell it: `routes[1].upstream`. */
export function placeOf(path: readonly PropertyKey[]): string {
  let place = ''
  for (const segment of path) {
    if (typeof segment === 'number') place += `[${segment}]`
    else if (/^[\w$-]+$/.test(String(segment))) place += `${place && '.'}${String(segment)}`
    else place += `[${JSON.stringify(String(segment))}]`
  }
  return place
}

/** The value at a place, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const segment of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment))
      return undefined
    found = Object.getOwnPropertyDescriptor(found, segment)?.value
  }
  return found
}
