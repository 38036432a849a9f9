import { readFileSync } from 'node:fs'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { declarationsIn, type Declarations, type Type } from './declarations.ts'
import { BodySpeaker, type Fate } from './fates.ts'
import { Samples, type Sample } from './samples.ts'
import { earlierRequest, REPLIES, REQUESTS, type Wire } from './wires.ts'

export type Side = 'request' | 'reply'
export const SIDES: readonly Side[] = ['request', 'reply']

/** A word at one place, and what becomes of it over each of the other dialects, in their order. */
export interface FatedWord extends Sample {
  readonly fates: readonly Fate[]
}

export const othersThan = (dialect: Dialect): Dialect[] =>
  DIALECTS.filter((other) => other !== dialect)

const findWire = (dialect: Dialect, side: Side): Wire =>
  (side === 'request' ? REQUESTS : REPLIES)[dialect]

export const packageFolder = (name: string): URL =>
  new URL(`../../node_modules/${name}/`, import.meta.url)

/** The package and its version whose words these are, and the other client that was read. */
export function packageVersion(dialect: Dialect): string {
  const { package: name, beside } = REQUESTS[dialect]
  const text = readFileSync(new URL('package.json', packageFolder(name)), 'utf8')
  const { version }: { version: string } = JSON.parse(text)
  return `${name} ${version}${beside ? ` and ${beside.client}` : ''}`
}

const read = new Map<string, Declarations>()

function readDeclarations({ package: name, files, beside }: Wire): Declarations {
  const key = [name, ...files].join(' ')
  const known = read.get(key)
  if (known) return known
  const folder = packageFolder(name)
  const places = [
    ...files.map((file) => new URL(file, folder)),
    ...(beside ? [new URL(beside.file, import.meta.url)] : []),
  ]
  const found = declarationsIn(places.map((place) => readFileSync(place, 'utf8')))
  read.set(key, found)
  return found
}

const named = (name: string): Type => ({ kind: 'named', name, scope: '' })

/** Every word of one side, with a body that says it. */
export function makeSamples(dialect: Dialect, side: Side): Sample[] {
  const wire = findWire(dialect, side)
  const { members = {}, roots, omit, values = {}, least = {}, frame } = wire
  const own = Object.entries(members).map(([name, type]) => ({ name, optional: true, type }))
  const root: Type = {
    kind: 'both',
    of: [{ kind: 'object', members: own }, ...roots.map(named)],
  }
  const hints = {
    omit: new Set(omit),
    echo: new Set(wire.echo),
    values: new Map(Object.entries(values)),
    least: new Map(Object.entries(least)),
  }
  return new Samples(readDeclarations(wire), hints).of(root, frame)
}

const spoken = new Map<string, FatedWord[]>()

/** The same, with what becomes of each; found out once. */
export function fatedWords(dialect: Dialect, side: Side): FatedWord[] {
  const key = `${dialect} ${side}`
  const words = spoken.get(key) ?? spokenWords(dialect, side)
  spoken.set(key, words)
  return words
}

function spokenWords(dialect: Dialect, side: Side): FatedWord[] {
  const voices = othersThan(dialect).map((other) =>
    side === 'request'
      ? BodySpeaker.asking(dialect, other)
      : BodySpeaker.answering(dialect, other, earlierRequest(other)),
  )
  return makeSamples(dialect, side).map((sample) => ({
    ...sample,
    fates: voices.map((voice) => voice.fateOf(sample)),
  }))
}
