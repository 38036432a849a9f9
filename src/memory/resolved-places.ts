import { isObject, listOf, type Json } from '../json/json.ts'
import type { MemoryContext } from './context.ts'
import { openScopedStore } from './records.ts'
import { createLookup, findReferenced, readRecords } from './resolve.ts'

/** A place in a body of the caller, or in a stored response; as JSON pointers. */
export interface ResolvedPlace {
  field?: string
  /** The id of the response with which the turn was stored. */
  stored?: string
  storedAt?: string
}

/** A body with all its references written out. */
export interface ResolvedBody {
  body: Json
  /** Where that stands which has this place in the body. */
  placeOf(field: string): ResolvedPlace
}

/**
 * The same body as `resolveReferences` gives, for a person who asks where something stands; undefined where the body
 * refers to nothing that is found here.
 */
export async function resolveWithPlaces(
  exchange: MemoryContext,
  given: Json,
): Promise<ResolvedBody | undefined> {
  const { memories, caller, settings, lease } = exchange
  const { memory } = caller.caller
  const ask = memory?.asks(given)
  if (!memory || !memories || !ask) return undefined
  if (ask.previous === undefined && ask.references.length === 0) return undefined
  const scoped = await openScopedStore(exchange, memories)
  const look = createLookup(scoped, settings.limits.bodyBytes, lease)
  const found = await findReferenced(look, memory, ask)
  if (found.missing) return undefined
  const records = readRecords(memory, ask, found)
  const { body } = memory.resolve(given, records)
  const past = memory
    .itemPlaces(records.chain)
    .map(({ record, path }) => ({ id: found.chain[record]?.id ?? '', path }))
  const name = memory.inputMember
  const [said, whole] = [given, body].map((each) => (isObject(each) ? each[name] : undefined))
  // An item that the chain has already is not repeated, so those behind it have other places.
  const isMoved = Array.isArray(said) && said.length + past.length !== listOf(whole).length
  return {
    body,
    placeOf(field) {
      const [, member, at = '', ...rest] = field.split('/')
      if (member !== name || at === '') return { field }
      const item = past[Number(at)]
      if (item) return { stored: item.id, storedAt: `/${[...item.path, ...rest].join('/')}` }
      if (!Array.isArray(said)) return { field: `/${name}` }
      return isMoved ? {} : { field: `/${[name, Number(at) - past.length, ...rest].join('/')}` }
    },
  }
}
