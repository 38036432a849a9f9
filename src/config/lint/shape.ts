import * as z from 'zod/mini'
import { dialectOfVendor } from '../../../adapters/dialect.ts'
import type { Finding } from './finding.ts'
import { amountMeant, meantBy } from './synonyms.ts'
import { hint } from './nearest.ts'
import { type DocumentPath, spellPlace, valueAt } from './place.ts'
import { type CheckedConfig, configSchema } from '../schema.ts'

/** A document that has the shape of a configuration, or where it has another one. */
export type Shaped = { config: CheckedConfig; faults: [] } | { config?: never; faults: Finding[] }

export function shapeOf(document: unknown): Shaped {
  const result = configSchema.safeParse(document)
  return result.success
    ? { config: result.data, faults: [] }
    : { faults: faultsOfShape(result.error.issues, document) }
}

function faultsOfShape(issues: readonly Issue[], document: unknown): Finding[] {
  const faults = plain(issues).flatMap((issue) => toFindings(issue, document))
  // Where a misspelled member was meant as a required one, the required one is not reported as missing.
  const meant = new Set(faults.flatMap(({ instead }) => instead ?? []))
  const isThere = (path: DocumentPath) => valueAt(document, path) !== undefined
  return faults.filter(({ path, named }) => named || isThere(path) || !meant.has(spellPlace(path)))
}

type Issue = z.core.$ZodIssue

/**
 * A union reports faults for each branch. Those of the branch that got furthest are kept; where none got further, the
 * union says what it takes.
 */
function plain(issues: readonly Issue[], above: DocumentPath = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path]
    if (issue.code !== 'invalid_union') return [{ ...issue, path }]
    const furthest =
      issue.errors.find((branch) => branch.some(isInside)) ??
      issue.errors.find((branch) => branch.every(isOfKind))
    if (furthest) return plain(furthest, path)
    const values = issue.errors.flat().flatMap((each) => ('values' in each ? each.values : []))
    // Two or three words are read at a glance.
    const params: Record<string, unknown> = values.length > 3 ? { values } : {}
    return [{ code: 'custom' as const, path, message: issue.message, params }]
  })
}

const isInside = (issue: Issue): boolean =>
  issue.path.length > 0 || issue.code === 'unrecognized_keys'

/** Whether the value has the right type, and only its size is wrong. */
const isOfKind = ({ code }: Issue): boolean => code === 'too_small' || code === 'too_big'

function toFindings(issue: Issue, document: unknown): Finding[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(path, key))
  const expected = describeExpectation(issue)
  const actual = valueAt(document, path)
  if (actual === undefined && expected.startsWith('expected'))
    return [{ path, text: `is missing; ${expected}` }]
  return [
    { path, text: expected + (typeof actual === 'string' ? textHint(actual, issue, path) : '') },
  ]
}

/** The words that a value may be, whether or not it may also be something else. */
function choicesIn(issue: Issue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values
  const values: unknown = issue.code === 'custom' ? issue.params?.['values'] : undefined
  return Array.isArray(values) ? values : []
}

/** What was meant by a text where something else is expected. */
function textHint(actual: string, issue: Issue, path: DocumentPath): string {
  const choices = choicesIn(issue)
  if (choices.length > 0) return choiceHint(actual, choices)
  if (issue.code !== 'invalid_type' || !NUMBERS.includes(issue.expected)) return ''
  const amount = amountMeant(actual, String(path.at(-1)))
  return amount === undefined ? '' : `; did you mean ${amount}?`
}

const NUMBERS: readonly string[] = ['int', 'number']

function choiceHint(actual: string, values: readonly unknown[]): string {
  const meant = dialectOfVendor(actual)
  return hint(values.includes(meant) ? String(meant) : actual, values.map(String))
}

function unknownMember(path: DocumentPath, key: string): Finding {
  const known = knownAt(path)
  const meant = meantBy(key, known)
  const isOfTop = knownAt([]).includes(key)
  const advice = meant === undefined ? '' : `; did you mean "${meant.word}"?`
  return {
    path: [...path, key],
    text: `no such field exists${isOfTop ? ' here, but at the top' : advice}`,
    named: true,
    ...(meant?.here && { instead: spellPlace([...path, meant.word]) }),
  }
}

/** The member names that an object at a path may have. */
function knownAt(path: DocumentPath): string[] {
  let schemas: z.core.$ZodType[] = [configSchema]
  for (const segment of path) schemas = schemas.flatMap(within).flatMap((at) => step(at, segment))
  return schemas
    .flatMap(within)
    .flatMap((at) => (at instanceof z.ZodMiniObject ? Object.keys(at._zod.def.shape) : []))
}

/** The schemas inside an optional one, and the branches of a union. */
function within(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodMiniLazy) return within(schema._zod.innerType)
  if (schema instanceof z.ZodMiniOptional) return within(schema._zod.def.innerType)
  if (schema instanceof z.ZodMiniUnion) return schema._zod.def.options.flatMap(within)
  return [schema]
}

function step(schema: z.core.$ZodType, segment: PropertyKey): z.core.$ZodType[] {
  if (schema instanceof z.ZodMiniRecord) return [schema._zod.def.valueType]
  if (schema instanceof z.ZodMiniArray) return [schema._zod.def.element]
  if (!(schema instanceof z.ZodMiniObject)) return []
  const member = schema._zod.def.shape[String(segment)]
  return member === undefined ? [] : [member]
}

function describeExpectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${article(issue.expected)}`
    case 'invalid_value':
      return `expected ${choices(issue.values)}`
    case 'too_small':
      return `expected ${issue.inclusive === false ? `more than ${issue.minimum}` : atLeast(issue.origin, issue.minimum)}`
    case 'too_big':
      return `expected at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function article(type: string): string {
  const name = type === 'int' ? 'whole number' : type === 'record' ? 'object' : type
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`
}

function choices(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value))
  return quoted.length === 1 ? quoted.join('') : `one of ${quoted.join(', ')}`
}

function atLeast(origin: string, minimum: number | bigint): string {
  if (origin === 'string') return 'some text'
  if (origin === 'array') return 'at least one entry'
  return `at least ${minimum}`
}
