/**
 * Writes src/models/rows.ts and price-rows.ts from src/models/table.ts: the facts that rules ask for, without who says
 * them, each line as what differs from the one before. `node scripts/models/pack.ts`; `test/models` holds that they
 * agree.
 */
import { writeFileSync } from 'node:fs'
import { linesOf, FACT_SOURCES, SPELLED, TABLE, type Line } from '../../src/models/table.ts'

const PRICES = ['price', 'above', 'priceFrom', 'batch']
/** No rule asks for these; `dragoman models` prints them. */
const TOLD = new Set([...PRICES, 'cacheMin', 'replay', 'byHand', 'endsAt'])

/** Facts by their names, as text. */
type Facts = ReadonlyMap<string, string>

function packed({ facts }: Line): Facts {
  const isRerouted = facts.has('reroutes')
  const kept = [...facts].filter(([fact]) => !TOLD.has(fact) && (isRerouted || fact !== 'next'))
  return new Map(kept.map(([fact, { value }]) => [SPELLED[fact] ?? fact, value]))
}

const words = (facts: Iterable<readonly [string, string]>): string[] =>
  [...facts].map(([fact, value]) => `${fact}=${value}`)

/** What is to be said behind `before` to mean `facts`; `-` takes a fact away. */
const difference = (before: Facts, facts: Facts): string[] => [
  ...[...before.keys()].filter((fact) => !facts.has(fact)).map((fact) => `-${fact}`),
  ...words([...facts].filter(([fact, value]) => before.get(fact) !== value)),
]

function packLines(lines: readonly Line[]): string[] {
  let before: Facts = new Map()
  return lines.map((line) => {
    const facts = packed(line)
    const name = line.service === undefined ? line.name : `${line.name}@${line.service}`
    const anew = [`${name}*`, ...words(facts)].join(' ')
    const changed = [name, ...difference(before, facts)].join(' ')
    before = facts
    return changed.length <= anew.length ? changed : anew
  })
}

const priceLine = ({ name, facts }: Line): string[] => {
  const said = PRICES.flatMap((fact) => {
    const value = facts.get(fact)?.value
    return value === undefined ? [] : [fact === 'price' ? value : `${fact}=${value}`]
  })
  return facts.has('price') ? [[name, ...said].join(' ')] : []
}

const lines = linesOf(TABLE)

export const ROWS_FILE = `/** Written by scripts/models/pack.ts. A line is what differs from the one before; \`*\` begins anew, \`-\` takes away. */
export const MODEL_ROWS = \`
${packLines(lines).join('\n')}
\`
`

export const PRICES_FILE = `/** Written by scripts/models/pack.ts: list prices for text, without discounts for batches or regions. */
export const PRICED = { snapshot: '${FACT_SOURCES['G']?.day}', source: '${FACT_SOURCES['G']?.name}', currency: 'USD' }

/** A model | input/read from cache/written to cache/written for an hour/output, above so many tokens, from a day on. */
export const PRICE_ROWS = \`
${lines.flatMap(priceLine).join('\n')}
\`
`

if (import.meta.main) {
  writeFileSync(new URL('../../src/models/rows.ts', import.meta.url), ROWS_FILE)
  writeFileSync(new URL('../../src/models/price-rows.ts', import.meta.url), PRICES_FILE)
}
