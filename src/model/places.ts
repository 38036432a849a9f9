import { listOf, setMember, type Json, type JsonObject } from '../json/json.ts'
import { lazily } from '../json/memoize.ts'
import type { Members } from './ext.ts'
import { tell, type Lose } from './loss.ts'
import type { Limits, Request, Sampling } from './request.ts'

/** Who asks, and the conversation and the tools, which are gone through one by one. */
type NoPlace =
  | 'model'
  | 'client'
  | 'stream'
  | 'system'
  | 'turns'
  | 'tools'
  | 'limits'
  | 'sampling'
  | 'inputTokens'
  | 'calls'
  | 'ext'
  | 'origin'
  | 'damagedProof'

/** The name of every single value that a request can ask for beside its turns and tools. */
export type Place =
  | `sampling.${keyof Sampling}`
  | `limits.${keyof Limits}`
  | Exclude<keyof Request, NoPlace>

type ValueAt<P extends Place> = P extends `sampling.${infer K extends keyof Sampling}`
  ? Required<Sampling>[K]
  : P extends `limits.${infer K extends keyof Limits}`
    ? Required<Limits>[K]
    : P extends keyof Request
      ? Required<Request>[P]
      : never

/** The dialect has no word for it: a loss wherever it is asked for. */
export const UNSAYABLE = 'unsayable'
/** Code of the dialect answers, which looks at more than this value. */
export const ELSEWHERE = 'elsewhere'

/**
 * How a dialect says one value: two functions, one the inverse of the other. A reader that returns undefined leaves the
 * member where it is; a writer tells itself what it loses.
 */
export interface Row<T, Writing> {
  read(members: Members): T | undefined
  write(value: T, writing: Writing): JsonObject
}

/** A dialect's answer for each place, in the order in which its members are written. */
export type PlaceTable<Writing> = {
  readonly [P in Place]: Row<ValueAt<P>, Writing> | typeof UNSAYABLE | typeof ELSEWHERE
}

/** A value that is one member, under one name. */
export const row = <T extends Json, Writing = unknown>(
  name: string,
  read: (value: Json | undefined) => T | undefined,
  write: (value: T, writing: Writing) => Json | undefined = (value) => value,
): Row<T, Writing> => ({
  read(members) {
    const member = members.peek(name)
    const value = member === undefined ? undefined : read(member)
    if (value !== undefined) members.pass(name)
    return value
  },
  write(value, writing) {
    const written = write(value, writing)
    return written === undefined ? {} : { [name]: written }
  },
})

/** What ends an answer, as one text or several; an empty one ends none. */
export function readStop(raw: Json | undefined): string[] | undefined {
  const list = typeof raw === 'string' ? [raw] : listOf(raw)
  const stop = list.filter((one) => typeof one === 'string').filter(Boolean)
  return stop.length > 0 ? stop : undefined
}

/** What the rows of a table have read. */
type Said = Pick<Request, 'sampling' | 'limits'> & Partial<Pick<Request, Place & keyof Request>>

/** Reads by the rows of a table. */
export function readBy<Writing>(table: PlaceTable<Writing>): (members: Members) => Said {
  const rows = lazily(() => rowsOf(table))
  return (members) => {
    const said = { sampling: {}, limits: {} }
    for (const { answer, group, key } of rows()) {
      const value = answer === UNSAYABLE ? undefined : answer.read(members)
      if (value !== undefined) setMember<unknown>(group ? said[group] : said, key, value)
    }
    return said
  }
}

/** Its inverse, which also tells what is asked for and cannot be said; for members that stand together. */
export function writeBy<Writing extends { readonly lose: Lose }>(
  table: Partial<PlaceTable<Writing>>,
): (request: Request, writing: Writing) => JsonObject {
  const rows = lazily(() => rowsOf(table))
  return (request, writing) => {
    const written: JsonObject = {}
    for (const { answer, place, group, key } of rows()) {
      const value = ((group ? request[group] : request) as Holder)[key]
      if (value === undefined) continue
      if (answer !== UNSAYABLE) Object.assign(written, answer.write(value, writing))
      else if (isAsked(place, value)) tell(writing.lose, { code: 'dropped', path: place })
    }
    return written
  }
}

interface Spot {
  readonly place: string
  readonly group?: 'sampling' | 'limits'
  readonly key: string
}

interface Answer<Writing> extends Spot {
  readonly answer: Row<unknown, Writing> | typeof UNSAYABLE
}

function rowsOf<Writing>(table: Partial<PlaceTable<Writing>>): Answer<Writing>[] {
  return Object.entries(table).flatMap(([place, answer]) =>
    answer === ELSEWHERE ? [] : [{ ...spotOf(place), answer }],
  )
}

function spotOf(place: string): Spot {
  const [group, key] = place.split('.')
  return key !== undefined && (group === 'sampling' || group === 'limits')
    ? { place, group, key }
    : { place, key: place }
}

/** A table names nothing but members of what holds them. */
type Holder = Readonly<Record<string, unknown>>

/** What a request asks for at a place. */
export function askedAt(request: Request, place: string): unknown {
  const { group, key } = spotOf(place)
  return ((group ? request[group] : request) as Holder)[key]
}

/** What there is without asking. */
const UNASKED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['sampling.presencePenalty', 0],
  ['sampling.frequencyPenalty', 0],
])

/** One candidate is what there is without asking, and what is empty asks for nothing. */
export function isAsked(place: string, value: unknown): boolean {
  if (place === 'sampling.candidateCount') return typeof value === 'number' && value > 1
  if (value === '' || value === UNASKED.get(place)) return false
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined
}
