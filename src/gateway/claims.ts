import type { Ask, Memory } from '../../adapters/adapter.ts'
import { ProblemError } from '../canonical/problem.ts'
import type { Exchange } from './exchange.ts'
import { placeOf, shelfOf, type Memories, type Shelf } from './memories.ts'
import type { UpstreamSettings } from './settings.ts'

/**
 * An upstream with a memory of its own knows one key, where this proxy knows many callers. What it gave out
 * to one of them it would tell them all, so here stands whose it is.
 */
export const isShared = (
  { settings, memories }: Exchange,
  { key }: Pick<UpstreamSettings, 'key'>,
): boolean =>
  memories !== undefined &&
  key.kind !== 'caller' &&
  settings.callers.kind === 'keys' &&
  settings.callers.keys.length > 1

const CLAIM = 'mine'

/** Notes that the upstream gave these ids to this caller. */
export async function claim(shelf: Shelf, ids: readonly string[]): Promise<void> {
  const places = new Set(ids.map(placeOf).filter((place) => place !== undefined))
  await Promise.all([...places].map((place) => shelf.put(place, CLAIM)))
}

/** Throws ProblemError unless everything that is asked for was given to this caller. */
export async function demandClaims(
  exchange: Exchange,
  memories: Memories,
  memory: Memory,
  ask: Pick<Ask, 'previous' | 'references'> | { stored: string },
): Promise<void> {
  const shelf = await shelfOf(exchange, memories)
  if ('stored' in ask) return demand(shelf, memory, 'stored', ask.stored)
  if (ask.previous !== undefined) await demand(shelf, memory, 'previous', ask.previous)
  await Promise.all(ask.references.map((id) => demand(shelf, memory, 'item', id)))
}

async function demand(
  shelf: Shelf,
  memory: Memory,
  what: Parameters<Memory['missing']>[0],
  id: string,
): Promise<void> {
  const place = placeOf(id)
  const there = place === undefined ? undefined : await shelf.get(place)
  if (there === undefined) throw new ProblemError(memory.missing(what, id))
}
