import type { LossPath } from './loss-names.ts'

/** What became of something that could not be carried as it was. */
export type LossCode = 'dropped' | 'approximated' | 'defaulted' | 'reordered'

export interface Loss {
  code: LossCode
  /** The canonical place, `sampling.topK` or `turns.3.blocks.0.seal`. */
  path: string
  detail?: string
  /** How many places it stands for, where it is not one of its own. */
  count?: number
}

/** Returns undefined, so that `return lose(...)` is the whole idiom. A misspelled name does not compile. */
export type Lose = <const Path extends string>(
  code: LossCode,
  path: LossPath<Path>,
  detail?: string,
) => undefined

/** For those whom it is no use to tell. */
export const nothingLost: Lose = () => undefined

export const lossKey = ({ code, path }: Loss): string => `${code} ${path}`

export interface LossList {
  readonly lose: Lose
  readonly losses: readonly Loss[]
}

/**
 * So many losses are told one by one, and of all others their number: a body of a few megabytes may hold hundreds of
 * thousands, and each is told in several places.
 */
export const LOSSES_LISTED = 1000

/** The place of losses that are told by their number alone. */
const OTHERS = 'others'

/** Collects losses, each code and place once. `hide`: secrets, where an upstream chooses words of them. */
export function lossList(hide = (words: string): string => words): LossList {
  const losses: Loss[] = []
  // Most lists stay empty, and three are made for each exchange.
  let seen: Set<string> | undefined
  const lose: Lose = (code, place, detail) => {
    const size = seen?.size ?? 0
    seen = (seen ?? new Set()).add(`${code} ${place}`)
    if (seen.size === size) return undefined
    if (size >= LOSSES_LISTED) return countOther(losses, code)
    const path = hide(place)
    losses.push(detail === undefined ? { code, path } : { code, path, detail: hide(detail) })
    return undefined
  }
  return { lose, losses }
}

/** Of those that are not told one by one there is one for each code. */
function countOther(losses: Loss[], code: LossCode): undefined {
  let other = losses.slice(LOSSES_LISTED).find((each) => each.code === code)
  if (!other) losses.push((other = { code, path: OTHERS, count: 0 }))
  other.count = (other.count ?? 0) + 1
  other.detail = `${other.count} more`
}

const countOf = ({ count = 1 }: Loss): number => count

/** How many losses a list tells of. */
export const lossCount = (losses: readonly Loss[]): number =>
  losses.reduce((sum, loss) => sum + countOf(loss), 0)

const HEADER_CHARACTERS = 1024

/**
 * `3; dropped sampling.topK, approximated reasoning.effort, …`: visible ASCII, at most 1 kB. `ellipsis`: as
 * the platform takes it, by default as its three UTF-8 bytes; asked for only where it is needed.
 */
export function lossHeader(
  losses: readonly Loss[],
  ellipsis: () => string = () => ELLIPSIS,
): string | undefined {
  if (losses.length === 0) return undefined
  let header = `${lossCount(losses)}; `
  for (const [index, loss] of losses.entries()) {
    const entry = `${index > 0 ? ', ' : ''}${loss.code} ${loss.path.replace(/[^\x21-\x7e]|[,;]/g, '_')}`
    if (header.length + entry.length > HEADER_CHARACTERS - ELLIPSIS.length)
      return header + ellipsis()
    header += entry
  }
  return header
}

export const ELLIPSIS = '\xe2\x80\xa6'

/** Losses that change what the caller asked for; a filled-in default does not. */
export const isRefusable = (loss: Loss): boolean =>
  loss.code === 'dropped' || loss.code === 'approximated'
