import { toText, type Json } from '../json/json.ts'
import type { Lose } from '../model/loss.ts'
import type { Request, Usage } from '../model/request.ts'

/** How a reply was served where nothing else was asked for. */
export const PLAIN_TIER = 'default'

/** The names of service tiers in one dialect, each with the name that all dialects share. */
export type TierNames = Readonly<Record<string, string>>

/** What one dialect can say of how a reply was served. */
export interface ServedWords {
  tiers: TierNames
  searches?: true
  fetches?: true
}

/** The shared name of a tier; an unknown one keeps its own, and `auto` says nothing. */
export function readServedTier(names: TierNames, word: Json | undefined): string | undefined {
  if (word === undefined || word === null || word === '' || word === 'auto') return undefined
  const name = typeof word === 'string' ? word : toText(word)
  return Object.hasOwn(names, name) ? names[name] : name
}

/** Inverse of `readServedTier`. */
export const writeServedTier = (names: TierNames, tier: string | undefined): string | undefined =>
  tier === undefined ? undefined : Object.entries(names).find(([, shared]) => shared === tier)?.[0]

/**
 * Leaves out what `words` cannot say, and reports it. That a reply was served as usual is said only to callers who
 * asked for something else.
 */
export function sayServed(usage: Usage, words: ServedWords, request: Request, lose: Lose): Usage {
  const { tier, searches, fetches, ...tokens } = usage
  const isUsual = tier === PLAIN_TIER && request.tier === undefined
  const isKnown = writeServedTier(words.tiers, tier) !== undefined
  if (tier !== undefined && !isKnown) lose('dropped', 'reply.service_tier', tier)
  if (searches && !words.searches) lose('dropped', 'reply.usage.searches')
  if (fetches && !words.fetches) lose('dropped', 'reply.usage.fetches')
  return {
    ...tokens,
    ...(isKnown && !isUsual && { tier }),
    ...(searches && words.searches && { searches }),
    ...(fetches && words.fetches && { fetches }),
  }
}
