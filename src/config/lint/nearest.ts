const MOST_LETTERS = 64

/** The known word that was probably meant; undefined when none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  if (wanted === '' || wanted.length > MOST_LETTERS) return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    // If every letter would have to change, it is another word and not a misspelling.
    if (distance < Math.min(least, wanted.length)) [best, least] = [candidate, distance]
  }
  return best ?? known.find((candidate) => isPart(wanted, candidate.toLowerCase()))
}

/** Matches parts of names, such as `apiKey` for `key` and `baseUrl` for `url`. */
const isPart = (wanted: string, known: string): boolean =>
  (known.length > 2 && wanted.includes(known)) || (wanted.length > 2 && known.includes(wanted))

/** The edit distance: letters to replace, insert, delete, or exchange with their neighbour. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const now = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1
      const costs = [
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
      ]
      if (row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        costs.push((before[column - 2] ?? 0) + 1)
      now.push(Math.min(...costs))
    }
    before = last
    last = now
  }
  return last[to.length] ?? 0
}

/** ` did you mean "x"?` for the end of a sentence, or nothing. */
export function hint(word: string, known: readonly string[]): string {
  const found = nearest(word, known)
  return found === undefined ? '' : `; did you mean "${found}"?`
}
