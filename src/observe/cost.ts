import { matchesGlob } from '../config/glob.ts'
import type { Price, UpstreamSettings } from '../config/settings.ts'
import { see } from '../models/see.ts'
import type { Tokens } from './entry.ts'

/** Prices are for this many tokens. */
const PER = 1_000_000

export interface TieredPrice extends Price {
  /** The price of all tokens, where the input has at least this many. */
  above?: { inputTokens: number; price: Price }
}

/** List prices by the models' names. Workers have no list, to keep their bundle small. */
export type PriceList = (model: string) => TieredPrice | undefined

/** US dollars, unrounded, so that costs can be added. Undefined where the price is not known. */
export function costOf(
  upstream: UpstreamSettings | undefined,
  model: string | undefined,
  tokens: Tokens | undefined,
  list?: PriceList,
): number | undefined {
  if (!tokens || model === undefined) return undefined
  const known = configuredPrice(upstream, model) ?? list?.(modelOf(upstream, model))
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
  return sum / PER
}

/** Enough for sums of any size; what is left out is the noise of binary fractions. */
const SHOWN_DIGITS = 12

/** A cost as it is shown. */
export const shownUsd = (usd: number): number => Number(usd.toPrecision(SHOWN_DIGITS))

/** What a model was taken for that is not known; undefined for one that is. */
export function takenFor(upstream: UpstreamSettings | undefined, name: string): string | undefined {
  const { how, model } = see(modelOf(upstream, name), upstream?.service)
  return how === 'model' ? undefined : (model ?? 'unknown')
}

/** The model that a name is said to be. */
function modelOf(upstream: UpstreamSettings | undefined, name: string): string {
  for (const [glob, { is }] of upstream?.models ?? [])
    if (matchesGlob(glob, name)) return is ?? name
  return name
}

function configuredPrice(
  upstream: UpstreamSettings | undefined,
  model: string,
): TieredPrice | undefined {
  for (const [glob, { price }] of upstream?.models ?? [])
    if (price && matchesGlob(glob, model)) return price
  return undefined
}
