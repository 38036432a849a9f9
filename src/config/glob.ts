/** Matches a glob in which `*` stands for any text, in linear time for every glob. */
export function matchesGlob(glob: string, name: string): boolean {
  const [head = '', ...rest] = glob.split('*')
  const tail = rest.pop()
  if (tail === undefined) return name === glob
  if (!name.startsWith(head)) return false
  let at = head.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - tail.length >= at && name.endsWith(tail)
}
