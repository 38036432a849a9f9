import type { KnownFacts, SayableFacts } from './facts.ts'
import { lineOf, shortened, spelled, unwrapped } from './names.ts'
import { MODEL_ROWS } from './rows.ts'
import { today } from './today.ts'

/**
 * What is known by a name: the facts of its model; of the newest model of its family where only that is known; or
 * nothing.
 */
export interface SeenModel {
  how: 'model' | 'family' | 'unknown'
  /** The model whose facts they are. */
  model?: string
  facts: KnownFacts
  /** The service that the wrapping of the name implies. */
  service?: string
  /** It is served in a way that may cost something else. */
  unpriced?: true
}

interface Row {
  name: string
  facts: KnownFacts
}

interface Rows {
  /** In the order of the table: the newest of a maker first. */
  list: readonly Row[]
  models: ReadonlyMap<string, Row>
  /** What holds at one service, by `name@service`. */
  elsewhere: ReadonlyMap<string, KnownFacts>
}

let rows: Rows | undefined

/** Read when it is first asked for, so that a Worker starts without it. */
const known = (): Rows => (rows ??= readRows(MODEL_ROWS))

function readRows(text: string): Rows {
  const list: Row[] = []
  const elsewhere = new Map<string, KnownFacts>()
  let facts = new Map<string, unknown>()
  for (const line of text.trim().split('\n')) {
    const [head = '', ...words] = line.split(' ')
    facts = new Map(head.endsWith('*') ? [] : facts)
    for (const word of words) {
      const [fact = '', value = ''] = word.split('=')
      if (fact.startsWith('-')) facts.delete(fact.slice(1))
      else facts.set(fact, valueOf(fact, value))
    }
    const name = head.replace(/\*$/, '')
    if (name.includes('@')) elsewhere.set(name, Object.fromEntries(facts))
    else list.push({ name, facts: Object.fromEntries(facts) })
  }
  const models = new Map(list.map((row) => [spelled(row.name.toLowerCase()), row]))
  return { list, models, elsewhere }
}

/** Facts whose values are lists. */
const LISTS = new Set(['efforts', 'budget'])
/** Facts that are texts, also where they look like numbers. */
const TEXTS = new Set(['code', 'ends'])

function valueOf(fact: string, value: string): unknown {
  if (LISTS.has(fact)) return value === '-' ? [] : value.split('/').map(plain)
  return TEXTS.has(fact) ? value : plain(value)
}

function plain(value: string): string | number | boolean {
  if (value === 'yes' || value === 'no') return value === 'yes'
  return /^[\d.]+$/.test(value) ? Number(value) : value
}

const MOST_SEEN = 1000
/** Longer than any ARN: what a caller sends as a name is looked at, and remembered, only within this. */
const LONGEST_NAME = 256
const seen = new Map<string, SeenModel>()
let seenOn = ''

/** What is known by the name, at a service where that is known too. */
export function see(name: string, service?: string, day = today()): SeenModel {
  if (name.length > LONGEST_NAME) return { how: 'unknown', facts: {} }
  if (day !== seenOn || seen.size >= MOST_SEEN) seen.clear()
  seenOn = day
  const key = `${service ?? ''} ${name}`
  const before = seen.get(key)
  if (before) return before
  const found = lookUp(name, service, day)
  seen.set(key, found)
  return found
}

function lookUp(wrapped: string, at: string | undefined, day: string): SeenModel {
  const plainName = unwrapped(wrapped)
  const service = at ?? plainName.service
  const about = service === undefined ? {} : { service }
  const found = rowOf(plainName.name)
  if (found) {
    const { name, facts } = answering(found.row, day)
    const isDear = !plainName.priced || !found.priced
    const there = service === undefined ? undefined : known().elsewhere.get(`${name}@${service}`)
    return {
      how: 'model',
      model: name,
      facts: there ? { ...facts, ...there } : facts,
      ...about,
      ...(isDear && { unpriced: true }),
    }
  }
  const newest = newestLike(plainName.name)
  if (newest) return { how: 'family', model: newest.name, facts: newest.facts, ...about }
  return { how: 'unknown', facts: {}, ...about }
}

function rowOf(name: string): { row: Row; priced: boolean } | undefined {
  const { models } = known()
  for (const { name: shorter, priced } of shortened(name)) {
    const row = models.get(shorter)
    if (row) return { row, priced }
  }
  return undefined
}

/** The model that answers by the name: another one where this is an alias, or has ended and the service has put one in its place. */
function answering(row: Row, day: string): Row {
  const { is, ends, next, reroutes } = row.facts
  const other = is ?? (reroutes && ends !== undefined && ends <= day ? next : undefined)
  const found = other === undefined ? undefined : known().models.get(spelled(other))
  return found ?? row
}

/** They begin names of the table (`chat-latest`), and anybody's names: they tell no maker. */
const COMMON = new Set(['chat', 'labs'])

/** The newest model that has the most words of its name in common with this one, from the first on. */
function newestLike(name: string): Row | undefined {
  const words = lineOf(name)
  if (COMMON.has(words[0] ?? '')) return undefined
  let best: { row: Row; common: number } | undefined
  for (const row of known().list) {
    const line = lineOf(row.name.toLowerCase())
    const end = words.findIndex((word, at) => word !== line[at])
    const common = end < 0 ? words.length : end
    if (common > (best?.common ?? 0)) best = { row, common }
  }
  return best && answering(best.row, '')
}

/**
 * Whether the model refuses a first call without a proof or the stand-in for one (guide: thought signatures), as those
 * do that think by levels.
 */
export const wantsProvenCalls = (
  model: string,
  { thinking, is }: Pick<SayableFacts, 'thinking' | 'is'>,
): boolean => (thinking ?? see(is ?? model).facts.thinking) === 'level'

/** The names of all models, in the order of the table. */
export const knownModels = (): string[] => known().list.map(({ name }) => name)
