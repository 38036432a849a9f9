import { matchesGlob } from '../config/glob.ts'
import type { Price } from '../config/settings.ts'
import type { TieredPrice } from './cost.ts'
import { ROWS } from './price-table.ts'

interface KnownPrice extends TieredPrice {
  globs: readonly string[]
}

let table: readonly KnownPrice[] | undefined

const listed = (): readonly KnownPrice[] =>
  (table ??= ROWS.trim()
    .split('\n')
    .map((line) => {
      const [names = '', rates = '', above = ''] = line.split('|')
      const [start, ...dear] = above.split(' ')
      return {
        globs: names.split(','),
        ...toPrice(rates.split(' ')),
        ...(start && { above: { inputTokens: Number(start), price: toPrice(dear) } }),
      }
    }))

function toPrice([input, cacheRead, cacheWrite, output]: readonly string[]): Price {
  return {
    input: Number(input),
    output: Number(output),
    ...(cacheRead && { cacheRead: Number(cacheRead) }),
    ...(cacheWrite && { cacheWrite: Number(cacheWrite) }),
  }
}

const found = new Map<string, KnownPrice | undefined>()
const MOST_FOUND = 1000

/** The price of the longest glob that matches; undefined for a model that is not listed. */
export function listedPrice(model: string): TieredPrice | undefined {
  if (found.has(model)) return found.get(model)
  let best: { length: number; price: KnownPrice } | undefined
  for (const price of listed())
    for (const glob of price.globs)
      if (matchesGlob(glob, model) && glob.length > (best?.length ?? 0))
        best = { length: glob.length, price }
  if (found.size >= MOST_FOUND) found.clear()
  found.set(model, best?.price)
  return best?.price
}
