/** What packages say against the table, and the table against them. */
import { linesOf, type Line } from '../../src/models/table.ts'
import type { Said, Source, Statement, Statements, Value } from './statements.ts'

/** Lists of prices keep names for ever, and a table by beginnings of names answers for any name. */
const NEVER_FORGET = ['G', 'P']
const DATED = /(?:-20\d{6}|-20\d\d-\d\d-\d\d|@20\d{6})$/

/** One line for each difference: `+` a model that the table lacks, `~` another value. */
export function differences(table: string, statements: Statements, day: string): string[] {
  const lines = linesOf(table).filter(({ service }) => service === undefined)
  const ours = new Map(lines.map((line) => [line.name, line]))
  const leftOut = globsIn(table)
  const theirs = [...statements.models].filter(
    ([name, said]) => isServed(name, said, day) && !leftOut.some((glob) => glob.test(name)),
  )
  return theirs.flatMap(([name, said]) => {
    const line = ours.get(name)
    if (isOver(line?.facts.get('ends')?.value, day)) return []
    return line ? otherValues(line, said) : [`+ ${name}: not in the table (${whoSays(said)})`]
  })
}

/** Models that are left out on purpose. */
const globsIn = (table: string): RegExp[] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .flatMap((line) => line.slice(2).split(' '))
    .map((text) => new RegExp(`^${text.split('*').map(quoted).join('.*')}$`, 'i'))

const quoted = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)

function isServed(name: string, { facts }: Said, day: string): boolean {
  const [ends] = facts.get('ends') ?? []
  const letters = [...facts.values()].flat().flatMap(({ from }) => from.map(({ letter }) => letter))
  const isNews = letters.some((letter) => !NEVER_FORGET.includes(letter))
  return !DATED.test(name) && !isOver(ends?.value, day) && isNews
}

const isOver = (ends: Value | undefined, day: string): boolean =>
  typeof ends === 'string' && ends < day

const whoSays = ({ facts }: Said): string => {
  const [first = []] = [...facts.values()]
  return first.flatMap(({ from }) => from.map(spelledSource)).join(', ')
}

const spelledSource = ({ name, version }: Source): string => `${name} ${version}`

function otherValues({ name, facts }: Line, said: Said): string[] {
  return [...facts].flatMap(([fact, { value, against }]) =>
    (said.facts.get(fact) ?? [])
      .filter((one) => !agrees(fact, valueIn(value), one.value))
      .map((one) => ({ ...one, from: one.from.filter(({ letter }) => !against.includes(letter)) }))
      .filter(({ from }) => from.length > 0)
      .map((one) => `~ ${name} ${fact}: table ${value}, ${spelledStatement(one)}`),
  )
}

const spelledStatement = ({ value, from }: Statement): string =>
  `${from.map(spelledSource).join(', ')} ${spelled(value)}`

/** A line for each model that no package has; the packages must all have been read. */
export const unsaid = (table: string, { models }: Statements): string[] =>
  linesOf(table)
    .filter(({ name, service, facts }) => {
      const isAsked = service === undefined && !facts.has('byHand')
      return isAsked && !models.has(name)
    })
    .map(({ name }) => `- ${name}: in the table, and in no package`)

/** A value as the table writes it. */
export function spelled(value: Value): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  return value.length === 0 ? '-' : value.map((part) => part ?? '').join('/')
}

/** Inverse of `spelled`. */
export function valueIn(text: string): Value {
  if (text === 'yes' || text === 'no') return text === 'yes'
  if (text === '-') return []
  if (text.includes('/')) return text.split('/').map(partIn)
  return partIn(text) ?? ''
}

const partIn = (text: string): string | number | null => {
  if (text === '') return null
  return Number.isNaN(Number(text)) ? text : Number(text)
}

/** How far figures may be apart that different people count differently: a window with the output and without. */
const SPARE = 0.05
const OUTPUT_IN_WINDOW = 128_000

function agrees(fact: string, one: Value, other: Value): boolean {
  const [mine, theirs] = [one, other].map((value) => (Array.isArray(value) ? value : [value]))
  if (JSON.stringify(mine) === JSON.stringify(theirs)) return true
  if (['price', 'above', 'priceFrom'].includes(fact))
    return (mine ?? []).every((part, at) => isSamePart(fact, at, part, theirs?.[at]))
  if (typeof one !== 'number' || typeof other !== 'number') return false
  const isNear = Math.abs(one - other) / Math.max(one, other) < SPARE
  if (fact === 'window') return isNear || Math.abs(one - other) === OUTPUT_IN_WINDOW
  return fact === 'output' && isNear
}

/** A price without a part says nothing of that part; a step is a round number to some. */
function isSamePart(fact: string, at: number, mine: unknown, theirs: unknown): boolean {
  if (mine === null || theirs === null || theirs === undefined) return true
  if (typeof mine !== 'number' || typeof theirs !== 'number') return mine === theirs
  const spare = fact === 'above' && at === 0 ? 2000 : 1e-9
  return Math.abs(mine - theirs) < spare
}
