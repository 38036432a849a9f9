import type { Price } from '../config/settings.ts'
import { PRICE_ROWS } from '../models/price-rows.ts'
import { see } from '../models/see.ts'
import { today } from '../models/today.ts'
import type { TieredPrice } from './cost.ts'

interface KnownPrice extends TieredPrice {
  /** The price from this day on (UTC). */
  later?: { from: string; price: Price }
}

let table: ReadonlyMap<string, KnownPrice> | undefined

const listed = (): ReadonlyMap<string, KnownPrice> =>
  (table ??= new Map(PRICE_ROWS.trim().split('\n').map(readLine)))

function readLine(line: string): [string, KnownPrice] {
  const [name = '', rates = '', ...more] = line.split(' ')
  const said = new Map(
    more.map((word) => [word.split('=')[0], word.split('=')[1]?.split('/') ?? []]),
  )
  const [start, ...dear] = said.get('above') ?? []
  const [from, ...next] = said.get('priceFrom') ?? []
  return [
    name,
    {
      ...toPrice(rates.split('/')),
      ...(start && { above: { inputTokens: Number(start), price: toPrice(dear) } }),
      ...(from && { later: { from, price: toPrice(next) } }),
    },
  ]
}

/** An hour's cache is counted as the usual one. */
function toPrice([input, cacheRead, cacheWrite, _hour, output]: readonly string[]): Price {
  return {
    input: Number(input),
    output: Number(output),
    ...(cacheRead && { cacheRead: Number(cacheRead) }),
    ...(cacheWrite && { cacheWrite: Number(cacheWrite) }),
  }
}

/** The list price of a model on a day; undefined for one that is not listed, or served in a way that may cost something else. */
export function listedPrice(name: string, day = today()): TieredPrice | undefined {
  const { how, model, unpriced } = see(name, undefined, day)
  if (how !== 'model' || model === undefined || unpriced) return undefined
  const known = listed().get(model)
  if (!known) return undefined
  const { later, ...price } = known
  return later && later.from <= day ? later.price : price
}
