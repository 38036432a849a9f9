/** Beyond so many characters everything is forgotten, and learned anew. */
const MOST_CHARACTERS = 1_000_000

/**
 * The same function, which knows what it said to a text before: an agent brings the same tools with every
 * request. What it gives is shared, so nobody may change it.
 */
export function habit<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  let characters = 0
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = work(text)
    characters += text.length
    if (characters > MOST_CHARACTERS) {
      known.clear()
      characters = text.length
    }
    if (text.length <= MOST_CHARACTERS) known.set(text, result)
    return result
  }
}
