/** Beyond so many characters everything is forgotten, and learned anew. */
const MOST_CHARACTERS = 1_000_000

/**
 * The same function, which knows what it said to a text before: an agent brings the same tools with every
 * request. What it gives is shared and must not be changed.
 */
export function memoize<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  let characters = 0
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    // A part of a text holds all of it in memory, which may be a whole request.
    const copy: string = JSON.parse(JSON.stringify(text))
    const result = work(copy)
    characters += text.length
    if (characters > MOST_CHARACTERS) {
      known.clear()
      characters = text.length
    }
    if (text.length <= MOST_CHARACTERS) known.set(copy, result)
    return result
  }
}
