/**
 * Writes the snapshot of prices in src/observe/price-table.ts, from a list that was fetched before:
 * `node scripts/prices.ts FOLDER`, where FOLDER holds the unpacked package @pydantic/genai-prices (`npm pack`), or
 * `node scripts/prices.ts < api.json`, which is that of models.dev. Its licence goes to scripts/licences/prices.txt.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const PROVIDERS = ['anthropic', 'openai', 'google']
const LICENCE = new URL('./licences/', import.meta.url)
const TABLE = new URL('../src/observe/price-table.ts', import.meta.url)
const DAY = new Date().toISOString().slice(0, 10)

/** US dollars per million tokens: input, read from cache, written to cache, output. */
type Rates = readonly (number | undefined)[]
interface Row {
  globs: readonly string[]
  rates: Rates
  /** From so many tokens of input on, all of them cost this. */
  above?: readonly [number, Rates]
}

interface Snapshot {
  source: string
  licence: string
  sha256: string
  rows: readonly Row[]
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

type Price = number | { base: number; tiers: { start: number; price: number }[] } | undefined
type Prices = Record<'input_mtok' | 'cache_read_mtok' | 'cache_write_mtok' | 'output_mtok', Price>
type Clause = {
  or?: Clause[]
  and?: Clause[]
  starts_with?: string
  equals?: string
}
interface GenaiModel {
  match: Clause
  prices: Prices | { constraint?: { type: string; start_date?: string }; prices: Prices }[]
}

async function fromPackage(folder: string): Promise<Snapshot> {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = resolve(folder, manifest.exports['.'].import.default)
  const { findProvider } = await import(pathToFileURL(file).href)
  mkdirSync(LICENCE, { recursive: true })
  copyFileSync(`${folder}/LICENSE`, new URL('prices.txt', LICENCE))
  const models = PROVIDERS.flatMap(
    (providerId): GenaiModel[] => findProvider({ providerId })?.models ?? [],
  )
  return {
    source: `${manifest.name} ${manifest.version}`,
    licence: manifest.license ?? 'MIT',
    sha256: sha256(readFileSync(file, 'utf8')),
    rows: models.flatMap(writeRows),
  }
}

function writeRows({ match, prices }: GenaiModel): Row[] {
  const globs = writeGlobs(match)
  const valid = Array.isArray(prices) ? currentPrices(prices) : prices
  if (!valid || globs.length === 0) return []
  const all = [valid.input_mtok, valid.cache_read_mtok, valid.cache_write_mtok, valid.output_mtok]
  const rates = all.map((price) => (typeof price === 'object' ? price.base : price))
  if (rates[0] === undefined || rates[3] === undefined) return []
  const start = all.flatMap((price) => (typeof price === 'object' ? price.tiers : []))[0]?.start
  if (start === undefined) return [{ globs, rates }]
  const dear = all.map((price) => (typeof price === 'object' ? price.tiers[0]?.price : price))
  return [{ globs, rates, above: [start, dear] }]
}

/** The last that is valid today, at any time of the day. */
const currentPrices = (
  list: Extract<GenaiModel['prices'], readonly unknown[]>,
): Prices | undefined =>
  list.findLast(({ constraint }) => !constraint || (constraint.start_date ?? '9999-12-31') <= DAY)
    ?.prices

/** The globs of a clause. `contains` gives none, because it would match names of other models too. */
function writeGlobs({ or = [], and = [], starts_with, equals }: Clause): string[] {
  const own = [starts_with === undefined ? [] : [`${starts_with}*`], equals ?? []].flat()
  return [...new Set([...own, ...or.flatMap(writeGlobs), ...and.flatMap(writeGlobs)])]
}

interface ListedModel {
  cost?: { input?: number; output?: number; cache_read?: number; cache_write?: number }
}

function fromList(text: string): Snapshot {
  const api: Record<string, { models?: Record<string, ListedModel> }> = JSON.parse(text)
  const rows = PROVIDERS.flatMap((name) => Object.entries(api[name]?.models ?? {})).flatMap(
    ([id, { cost }]): Row[] =>
      cost?.input === undefined || cost.output === undefined
        ? []
        : [{ globs: [id], rates: [cost.input, cost.cache_read, cost.cache_write, cost.output] }],
  )
  return { source: 'models.dev api.json', licence: 'MIT', sha256: sha256(text), rows }
}

const shown = (rates: Rates): string => rates.map((rate) => rate ?? '').join(' ')

const line = ({ globs, rates, above }: Row): string =>
  [globs.join(','), shown(rates), ...(above ? [`${above[0]} ${shown(above[1])}`] : [])].join('|')

const [folder] = process.argv.slice(2)
const { rows, ...facts } =
  folder === undefined ? fromList(readFileSync(0, 'utf8')) : await fromPackage(folder)
const lines = [...new Set(rows.map(line))].toSorted()
writeFileSync(
  TABLE,
  `/** Written by scripts/prices.ts: list prices for text, without discounts for batches or regions. */
export const SNAPSHOT = {
  snapshot: '${DAY}',
  source: '${facts.source}',
  licence: '${facts.licence}',
  sha256: '${facts.sha256}',
  currency: 'USD',
  per: 1_000_000,
}

/** Globs of names | input, read from cache, written to cache, output | from so many tokens of input on: the same. */
export const ROWS = \`
${lines.join('\n')}
\`
`,
)
console.log(`${lines.length} prices of ${DAY} from ${facts.source}`)
