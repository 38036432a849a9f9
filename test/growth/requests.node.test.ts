import { describe, it, vi } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, type Json } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'
import { plainReply, requestsOf } from './fixtures.ts'
import { DIALECTS, distinct, inTurn, isDeep, proportional } from './law.ts'
import { answerWith, exchange } from './proxy.ts'
import { schemaRequests } from './schema.ts'
import { findPlaces, type Place } from './widen.ts'

/** What looks for secrets in every app of a test reads each body as a text, and would be measured. */
vi.unmock('../../src/http/router.ts')
vi.unmock('../../src/http/respond.ts')

const SIZES = isDeep
  ? { list: 3000, schema: 1600, members: 2400, text: 2400 }
  : { list: 800, schema: 400, members: 400, text: 200 }

type Kind = keyof typeof SIZES
const kinds = Object.keys(SIZES) as Kind[]

const isList = ({ name }: Place) => name.endsWith('(list)') || (isDeep && name.endsWith('(lists)'))

/** Of lists there are also two that speak of the same, and one with a run of one of its elements. */
const SEVERAL = /\((?:lists|run of .*)\)$/

/** The places of one kind. A schema is the same wherever it stands, so one of its places is enough in a hurry. */
function placesIn(caller: Dialect, kind: Kind): Place[] {
  if (kind === 'schema')
    return distinct(schemaRequests(caller).flatMap(findPlaces)).filter(
      (place) =>
        isList(place) && SCHEMA.test(place.name) && (isDeep || !/format|response/.test(place.name)),
    )
  const places = distinct(requestsOf(caller).flatMap(findPlaces))
  return places.filter(
    ({ name }) => name.endsWith(`(${kind})`) || (kind === 'list' && SEVERAL.test(name)),
  )
}

/** The others are as slow towards any upstream. */
const MATTERS: ReadonlySet<Kind> = new Set(['list', 'schema'])

const SCHEMA = /schema|parameters/i

/** The bodies of all requests that a client could send, with the model that leads to an upstream. */
function writeText(caller: Dialect, body: Json, model: string): string {
  return JSON.stringify(isObject(body) ? kits[caller].http.body(model, false, body) : body)
}

describe.each(DIALECTS)('a request of %s costs in proportion to', (caller) => {
  describe.each(DIALECTS)('what it has, for %s', (upstream) => {
    it.each(kinds)('each %s', { timeout: 3_600_000 }, async (kind) => {
      answerWith(plainReply(upstream))
      const model = `${upstream}-x`
      const places = inTurn(
        placesIn(caller, kind),
        upstream,
        ({ name }) => MATTERS.has(kind) && /\((?:list|run of .*)\)$/.test(name),
      )
      const cases = places.map(({ name, fill }) => ({
        name,
        prepare: (size: number) => exchange(caller, model, writeText(caller, fill(size), model)),
      }))
      await proportional(cases, SIZES[kind])
    })
  })
})
