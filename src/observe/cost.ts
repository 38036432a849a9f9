import { matchesGlob } from '../config/glob.ts'
import type { Price, UpstreamSettings } from '../config/settings.ts'
import type { Tokens } from './entry.ts'

/** Tokens that a price is for. */
const PER = 1_000_000

export interface TieredPrice extends Price {
  /** From so many tokens of input on all of them cost this. */
  above?: { inputTokens: number; price: Price }
}

/** What the models of the vendors cost, by their names; a platform with little room has no such list. */
export type PriceList = (model: string) => TieredPrice | undefined

/** US dollars, to a millionth; undefined where the price is not known, which is not the same as nothing. */
export function costOf(
  upstream: UpstreamSettings | undefined,
  model: string | undefined,
  tokens: Tokens | undefined,
  list?: PriceList,
): number | undefined {
  if (!tokens || model === undefined) return undefined
  const known = configuredPrice(upstream, model) ?? list?.(model)
  if (!known) return undefined
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = tokens
  const { above } = known
  const price = above && input > above.inputTokens ? above.price : known
  const plain = Math.max(0, input - cacheRead - cacheWrite)
  const sum =
    plain * price.input +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input) +
    output * price.output
  return Math.round((sum / PER) * 1e6) / 1e6
}

function configuredPrice(
  upstream: UpstreamSettings | undefined,
  model: string,
): TieredPrice | undefined {
  for (const [glob, { price }] of upstream?.models ?? [])
    if (price && matchesGlob(glob, model)) return price
  return undefined
}
