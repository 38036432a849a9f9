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
