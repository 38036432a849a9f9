const SEED_CHARACTERS = 16

/** Ids of an exchange: unlike those of any other, and the same position by position. */
export function idSource(random: () => string): (prefix: string) => string {
  let seed: string | undefined
  let count = 0
  return (prefix) => {
    seed ??= random().slice(0, SEED_CHARACTERS)
    count += 1
    return prefix + seed + count.toString(16).padStart(8, '0')
  }
}

const MINTED = /^[a-z]{1,16}_([0-9a-f]{16})[0-9a-f]{8}$/

/** What all ids of one exchange have in common; undefined for an id that was not made here. */
export const readSeed = (id: string): string | undefined => MINTED.exec(id)?.[1]

/** The id that another service gave a search for tools, behind the prefix that such items have here. */
const PREFIXED = /^ts[co]_srvtoolu_/

/** Whether an id was made here: no service knows it. */
export const isMinted = (id: unknown): boolean =>
  typeof id === 'string' && (readSeed(id) !== undefined || PREFIXED.test(id))

const NAMED = /"id"\s*:\s*"(?:[a-z]{1,16}_[0-9a-f]{24}"|ts[co]_srvtoolu_)/

/** Whether JSON text may hold an object with such an id: a quick look, before anything is parsed. */
export const mayHoldMinted = (json: string): boolean => NAMED.test(json)
