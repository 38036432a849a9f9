import type { Ask, Memory, Recalled } from '../../adapters/adapter.ts'
import type { Json, JsonObject } from '../canonical/json.ts'
import { invalid, ProblemError } from '../canonical/problem.ts'
import { seedOf, type Exchange } from './exchange.ts'
import { placeOf, readKept, shelfOf, type Kept, type Shelf } from './memories.ts'

/** A request in the light of what was said before. */
export interface Remembered {
  /** With everything written out that it referred to. */
  body: Json
  /** It did refer to something, and all of it was found here. */
  resolved: boolean
  /** What is needed to keep what comes of it; absent when nothing is to be kept. */
  keeping?: Keeping
}

export interface Keeping {
  shelf: Shelf
  memory: Memory
  parents: readonly string[]
  fresh: readonly Json[]
}

/**
 * Writes out what a body refers to. `elsewhere`: the upstream has a memory of its own, which is asked for
 * everything that is not kept here. Throws ProblemError for what is kept nowhere.
 */
export async function remembered(
  exchange: Exchange,
  body: Json,
  elsewhere: boolean,
): Promise<Remembered> {
  const { memories, caller, route } = exchange
  const { memory } = caller.caller
  if (!memory || !memories) return { body, resolved: false }
  const ask = memory.asks(body)
  const refers = ask.previous !== undefined || ask.references.length > 0
  const keeps = ask.keep && route.operation === 'create'
  if (elsewhere ? !mayBeOurs(ask) : !refers && !keeps) return { body, resolved: false }
  const shelf = await shelfOf(exchange, memories)
  const found = await recalled(shelf, memory, ask)
  if (elsewhere && !found.any) return { body, resolved: false }
  if (found.missing) throw new ProblemError(found.missing)
  const { body: whole, fresh } = memory.resolve(body, found)
  const keeping = { shelf, memory, parents: found.parents, fresh }
  return { body: refers ? whole : body, resolved: refers, ...(keeps && { keeping }) }
}

const mayBeOurs = ({ previous, references }: Ask): boolean =>
  [previous ?? '', ...references].some((id) => seedOf(id) !== undefined)

interface Found extends Recalled {
  parents: readonly string[]
  /** Something of it was found. */
  any: boolean
  missing?: ReturnType<Memory['missing']>
}

/** A request with more would be a way to keep the store busy. */
const MOST_PLACES = 1000

async function recalled(shelf: Shelf, memory: Memory, ask: Ask): Promise<Found> {
  const look = lookup(shelf, memory)
  const { previous, references } = ask
  const places = new Set(references.map(placeOf))
  if (places.size > MOST_PLACES)
    throw invalid(`The input refers to items of more than ${MOST_PLACES} responses.`, 'input')
  const last = previous === undefined ? undefined : await chainOf(look, previous)
  const memos = await Promise.all(references.map((id) => look(placeOf(id))))
  const items = new Map<string, JsonObject>()
  for (const [index, id] of references.entries()) {
    const memo = memos[index]?.memo
    if (memo) items.set(id, memo)
  }
  const lost = references.find((id) => !items.has(id))
  const { chain = [], parents = [] } = last ?? {}
  const missing =
    previous !== undefined && !last
      ? memory.missing('previous', previous)
      : lost !== undefined && memory.missing('item', lost)
  return {
    chain,
    parents,
    items,
    any: last !== undefined || items.size > 0,
    ...(missing && { missing }),
  }
}

export type Look = (place: string | undefined) => Promise<Kept | undefined>

/** Looks at each place once. */
export function lookup(shelf: Shelf, memory: Memory): Look {
  const seen = new Map<string, Promise<Kept | undefined>>()
  return (place) => {
    if (place === undefined) return Promise.resolve(undefined)
    const known = seen.get(place)
    if (known) return known
    const kept = shelf
      .get(place)
      .then((text) => (text === undefined ? undefined : readKept(text, memory.verbatim)))
    seen.set(place, kept)
    return kept
  }
}

export interface Chain {
  chain: readonly JsonObject[]
  /** The places of the chain. */
  parents: readonly string[]
}

/** The exchange with this id behind all that led to it; undefined when one of them is gone. */
export async function chainOf(look: Look, id: string): Promise<Chain | undefined> {
  const place = placeOf(id)
  const kept = await look(place)
  // All ids of an exchange lead to its place, and only one of them is that of its reply.
  if (!kept || place === undefined || kept.id !== id) return undefined
  const before = await Promise.all(kept.parents.map(look))
  const chain = [...before, kept].flatMap((link) => (link ? [link.memo] : []))
  return chain.length > before.length ? { chain, parents: [...kept.parents, place] } : undefined
}
