import type { Ask, ConversationMemory } from './conversation.ts'
import { ProblemError } from '../model/problem.ts'
import type { KeptContext, Memories } from './context.ts'
import {
  openScopedStore,
  readKept,
  readRedirectKey,
  recordPlace,
  type ScopedStore,
} from './records.ts'
import type { UpstreamSettings } from '../config/settings.ts'

/**
 * An upstream with its own memory knows one key, but the proxy serves many callers with it. The upstream would show
 * an exchange to all of them, so the proxy notes the owner of each id. One key of the proxy may have many callers too: a
 * second credential beside it tells them apart.
 */
export const isShared = ({ key }: Pick<UpstreamSettings, 'key'>): boolean => key.kind !== 'caller'

/** Whether such an upstream may give this caller only what is noted for it. */
export const isGuarded = ({ isAlone }: Pick<KeptContext, 'isAlone'>, upstream: UpstreamSettings) =>
  isShared(upstream) && isAlone !== true

/** The error of a shared upstream where not even owners are stored. */
export function unclaimable(
  memory: ConversationMemory,
  what: Parameters<ConversationMemory['missing']>[0],
  id: string,
  upstream: Pick<UpstreamSettings, 'name'>,
): ProblemError {
  const problem = memory.missing(what, id)
  const why = `All callers share one key of the upstream '${upstream.name}', and nothing notes whose its responses are`
  const instead = what === 'stored' ? '' : ', or send the whole conversation in the input'
  // Conversations are not made through the proxy, so it cannot know their owners even with a store.
  const noting = what === 'conversation' ? '' : 'set state.store, '
  const message = `${problem.message} ${why}: ${noting}give the upstream "key": "caller"${instead}.`
  return new ProblemError({ ...problem, message })
}

/** Throws ProblemError for a body that refers to exchanges kept by a shared upstream. */
export function refuseReferences(
  memory: ConversationMemory,
  { previous, references, claims = [], conversation }: Ask,
  upstream: UpstreamSettings,
): void {
  if (previous !== undefined) throw unclaimable(memory, 'previous', previous, upstream)
  if (conversation !== undefined) throw unclaimable(memory, 'conversation', conversation, upstream)
  const [first] = [...references, ...claims]
  if (first !== undefined) throw unclaimable(memory, 'item', first, upstream)
}

const OWNED = 'mine '

/** Bounds the work of one request for the store. */
export const MOST_PLACES = 1000

/** Notes that the upstream gave these ids to this caller; `issuer`: which member of a pool it was. */
export async function noteOwner(
  scoped: ScopedStore,
  ids: readonly string[],
  issuer: string,
): Promise<void> {
  const places = new Set(ids.map(recordPlace).filter((place) => place !== undefined))
  await Promise.all([...places].map((place) => scoped.put(place, OWNED + issuer)))
}

/** Notes the items of a reply that is not copied; a copy names its items already. */
export async function noteItems(
  scoped: ScopedStore,
  id: string,
  items: readonly string[],
  issuer: string,
): Promise<void> {
  const place = recordPlace(id)
  const text = place === undefined ? undefined : await scoped.get(place)
  if (text?.startsWith(OWNED)) await noteOwner(scoped, items, issuer)
}

/**
 * The member of a pool that gave out an id, where that is noted for this caller; behind `ANSWERED` the one that
 * answered, where only the proxy keeps it.
 */
export async function findIssuer(
  exchange: KeptContext,
  memories: Memories,
  id: string,
): Promise<string | undefined> {
  const place = recordPlace(id)
  if (place === undefined) return undefined
  const scoped = await openScopedStore(exchange, memories)
  const text = await scoped.get(place)
  const there = readRedirectKey(text)
  const kept = there === undefined ? text : await scoped.get(there)
  if (kept === undefined) return undefined
  return kept.startsWith(OWNED) ? kept.slice(OWNED.length) : readKept(kept)?.issuer
}

/**
 * Whether an upstream gave out an exchange, by its member's name, or by the upstream's name from before it had
 * several keys.
 */
export const isIssuer = ({ member, name }: UpstreamSettings, issuer: string | undefined): boolean =>
  issuer === (member ?? name) || (member === `${name}#1` && issuer === name)

/** Throws ProblemError unless all referenced ids were given to this caller. */
export async function demandOwnership(
  exchange: KeptContext,
  memories: Memories,
  memory: ConversationMemory,
  ask: Pick<Ask, 'previous' | 'references' | 'claims'> | { stored: string },
): Promise<void> {
  const scoped = await openScopedStore(exchange, memories)
  if ('stored' in ask) return demand(scoped, memory, 'stored', ask.stored)
  if (ask.previous !== undefined) await demand(scoped, memory, 'previous', ask.previous)
  const items = new Set([...ask.references, ...(ask.claims ?? [])])
  await Promise.all([...items].map((id) => demand(scoped, memory, 'item', id)))
}

/** The ids of thoughts with words of their own that are not noted for this caller; undefined where there are none. */
export async function findUnnoted(
  exchange: KeptContext,
  memories: Memories | undefined,
  { spoken }: Ask,
): Promise<ReadonlySet<string> | undefined> {
  if (!spoken) return undefined
  const scoped = memories && (await openScopedStore(exchange, memories))
  const isNoted = async (id: string) => {
    const place = recordPlace(id)
    // A store that is down notes nothing.
    return place !== undefined && (await scoped?.get(place).catch(() => undefined)) !== undefined
  }
  const ids = [...new Set(spoken)]
  const noted = await Promise.all(ids.slice(0, MOST_PLACES).map(isNoted))
  const others = ids.filter((_, index) => noted[index] !== true)
  return others.length > 0 ? new Set(others) : undefined
}

async function demand(
  scoped: ScopedStore,
  memory: ConversationMemory,
  what: Parameters<ConversationMemory['missing']>[0],
  id: string,
): Promise<void> {
  const place = recordPlace(id)
  const there = place === undefined ? undefined : await scoped.get(place)
  if (there === undefined) throw new ProblemError(memory.missing(what, id))
}
