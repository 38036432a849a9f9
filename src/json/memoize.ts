/** What is made when it is first asked for, and kept: a Worker pays for each table that is made while it starts. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** With more characters than this everything is forgotten. */
const MOST_CHARACTERS = 1_000_000

/**
 * Remembers what a function returned for a text: an agent sends the same tools with every request. The result is
 * shared and must not be changed.
 */
export function memoize<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  let characters = 0
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    // A slice of a string keeps the whole string in memory, which may be a whole request. This makes a real copy.
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
