import type { ListName, LossName, LostPart } from './loss-names.ts'

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

/**
 * Tells what is lost of a request or a reply as a whole. Returns undefined, so that `return lose(...)` is the whole
 * idiom. A misspelled name does not compile.
 */
export type Lose = (code: LossCode, path: LossName, detail?: string) => undefined

/** The same of an element, which does not know where it stands: `''` is all of it, `.seal` what belongs to it. */
export interface LoseOf {
  (code: LossCode, path: LossName | LostPart, detail?: string): undefined
  /** Its place, to be noted where something may be lost of it later. */
  place(): NotedPlace
}

/** Places the element that is treated next: by its number or name in a list, or where it was noted to stand. */
export type At = (list: ListName | NotedPlace, step?: string | number) => LoseOf

/** What `place` gave out. */
export type NotedPlace = string & { readonly [noted]: true }
declare const noted: unique symbol

/**
 * For a walk over elements: what is told is told of the element that was placed last, so no element may keep its `lose`
 * for later. A path is put together only where something is lost.
 */
export function lossesIn(outer: Lose | LoseOf): At {
  let list = ''
  let step: string | number | undefined
  const here = (): string => {
    if (step === undefined) return list
    // A member of a request has no list before it.
    return list === '' && !('place' in outer) ? `${step}` : `${list}.${step}`
  }
  const lose: LoseOf = (code, path, detail) => {
    const isBelow = path === '' || path[0] === '.'
    return outer(code, (isBelow ? here() + path : path) as LossName, detail)
  }
  lose.place = () => {
    const isInner = 'place' in outer && list[0] === '.'
    const above = isInner ? outer.place() : ''
    return `${above}${list}${step === undefined ? '' : `.${step}`}` as NotedPlace
  }
  return (next, at) => {
    list = next
    step = at
    return lose
  }
}

/** The same for blocks, by the numbers of their turns and their own; without the latter it is the turn's. */
export function lossesInTurns(lose: Lose): (turn: number, block?: number) => LoseOf {
  const at = lossesIn(lose)
  const blockAt = lossesIn(at('turns'))
  return (turn, block) => {
    const told = at('turns', turn)
    return block === undefined ? told : blockAt('.blocks', block)
  }
}

/** Tells a loss whose path is known to be one. */
export const tell = (lose: Lose, { code, path, detail }: Told): undefined =>
  lose(code, path as LossName, detail)

interface Told {
  readonly code: LossCode
  readonly path: string
  readonly detail?: string | undefined
}

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
