/** Matches a glob in which `*` stands for any text, in linear time for every glob. */
export function matchesGlob(glob: string, name: string): boolean {
  const star = glob.indexOf('*')
  if (star < 0) return name === glob
  if (!name.startsWith(glob.slice(0, star))) return false
  let at = star
  let from = star + 1
  for (let next = glob.indexOf('*', from); next >= 0; next = glob.indexOf('*', from)) {
    const part = glob.slice(from, next)
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
    from = next + 1
  }
  return name.length - (glob.length - from) >= at && name.endsWith(glob.slice(from))
}

/** What the one `*` of a glob stands for in a name; undefined where the name does not match. */
function starredPart(glob: string, name: string): string | undefined {
  const star = glob.indexOf('*')
  return star >= 0 && matchesGlob(glob, name)
    ? name.slice(star, name.length - (glob.length - star - 1))
    : undefined
}

/**
 * A name that matches one glob, as it is by another one: what the `*` of the first stands for takes the place of the
 * `*` of the second, which may be a plain name. Undefined where the name does not match.
 */
export function renamed(from: string, to: string, name: string): string | undefined {
  if (!to.includes('*')) return matchesGlob(from, name) ? to : undefined
  const part = starredPart(from, name)
  return part === undefined ? undefined : to.replace('*', () => part)
}
