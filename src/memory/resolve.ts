import type { Ask, Fresh, ConversationMemory, ReferencedRecords } from './conversation.ts'
import type { Json } from '../json/json.ts'
import { invalid, ProblemError, type Problem } from '../model/problem.ts'
import { weightOf, type Lease } from '../stream/budget.ts'
import {
  demandOwnership,
  isGuarded,
  isIssuer,
  MOST_PLACES,
  unclaimable,
  findUnnoted,
} from './ownership.ts'
import { readSeed } from '../model/ids.ts'
import type { Memories, MemoryContext } from './context.ts'
import {
  recordReader,
  recordPlace,
  readKept,
  readRedirectKey,
  openScopedStore,
  type KeptRecord,
  type ScopedStore,
} from './records.ts'
import type { ScannedBody } from '../json/scanned-body.ts'
import type { UpstreamSettings } from '../config/settings.ts'

/** A request after its references have been looked up. */
export interface ResolvedRequest {
  /** The body with all its references written out. */
  body: Json
  /** The request had references, and all were found here. */
  resolved: boolean
  /** What is needed to store its reply; absent when nothing is to be stored. */
  keeping?: Keeping
  /** The records for references that stay in the body. */
  found?: Found
  /** The upstreams that gave out what was written out. */
  issuers?: Found['issuers']
  /** Ids of thoughts that can be sent without their ids, because their words are there. */
  nameless?: ReadonlySet<string>
}

export interface Keeping {
  scoped: ScopedStore
  memory: ConversationMemory
  parents: readonly string[]
  fresh: Fresh
  memories: Memories
  /** The member that answers, behind `ANSWERED`. */
  issuer?: string
}

/**
 * Writes out the references of a body. `looked`: what is known of its text. `elsewhere`: an upstream with its own
 * memory, which resolves the ids that it gave out itself and those that are not stored here. Throws ProblemError
 * for a reference that is found nowhere. `markOf`: where several accounts are asked.
 */
export async function resolveReferences(
  exchange: MemoryContext,
  body: Json,
  scanned?: ScannedBody,
  elsewhere?: UpstreamSettings,
  markOf?: MarkOf,
): Promise<ResolvedRequest> {
  const { memories, caller } = exchange
  const { memory } = caller.caller
  if (!memory || !memories) return { body, resolved: false }
  const ask = memory.asks(body)
  const isElsewhereGuarded = elsewhere !== undefined && isGuarded(exchange, elsewhere)
  if (isElsewhereGuarded) await demandClaims(exchange, memories, memory, ask, elsewhere)
  const nameless = isElsewhereGuarded ? await findUnnoted(exchange, memories, ask) : undefined
  const asking = { exchange, memories, memory, ask, markOf }
  const seen = await resolveAsked(asking, body, scanned, elsewhere)
  return nameless ? { ...seen, nameless } : seen
}

interface Asking {
  exchange: MemoryContext
  memories: Memories
  memory: ConversationMemory
  ask: Ask
  markOf: MarkOf | undefined
}

/** The same, once it is clear what may be asked for. */
async function resolveAsked(
  { exchange, memories, memory, ask, markOf }: Asking,
  body: Json,
  scanned?: ScannedBody,
  elsewhere?: UpstreamSettings,
): Promise<ResolvedRequest> {
  const { route } = exchange
  const refers = ask.previous !== undefined || ask.references.length > 0
  const kept = ask.conversation
  // What was said before stands in a conversation that only its service knows.
  const unseen = kept !== undefined && { missing: memory.missing('conversation', kept) }
  const keeps = ask.keep && route.operation === 'create' && !route.compacts
  if (!refers && (elsewhere !== undefined || !keeps))
    return { body, resolved: false, found: { ...NOTHING_SOUGHT, ...unseen } }
  const scoped = await openScopedStore(exchange, memories)
  const input = scanned?.memberText(memory.inputMember)
  if (!refers) {
    const fresh = memory.fresh(body, input)
    return { body, resolved: false, keeping: { scoped, memory, parents: [], fresh, memories } }
  }
  const most = exchange.settings.limits.bodyBytes
  const look = createLookup(scoped, most, exchange.lease)
  const found = await findReferenced(look, memory, ask).catch(unlessOurs(memory, ask, elsewhere))
  if (elsewhere && found.issuers.every((issuer) => isIssuer(elsewhere, issuer))) {
    if (isGuarded(exchange, elsewhere)) await demandOwnership(exchange, memories, memory, ask)
    return { body, resolved: false, found: { ...found, ...unseen } }
  }
  if (found.missing) throw new ProblemError(found.missing)
  const { body: whole, fresh } = memory.resolve(
    body,
    readRecords(memory, ask, found, markOf),
    input,
  )
  const keeping = { scoped, memory, parents: found.parents, fresh, memories }
  return { body: whole, resolved: true, issuers: found.issuers, ...(keeps && { keeping }) }
}

/** Checks ownership of ids that a shared upstream would complete for any caller. Throws ProblemError. */
async function demandClaims(
  exchange: MemoryContext,
  memories: Memories,
  memory: ConversationMemory,
  { claims = [], conversation }: Ask,
  upstream: UpstreamSettings,
): Promise<void> {
  if (conversation !== undefined) throw unclaimable(memory, 'conversation', conversation, upstream)
  if (new Set(claims.map(recordPlace)).size > MOST_PLACES) throw tooMany()
  if (claims.length > 0)
    await demandOwnership(exchange, memories, memory, { references: [], claims })
}

/** A store that is down is ignored where the upstream can be expected to know the id. */
const unlessOurs =
  (memory: ConversationMemory, ask: Ask, elsewhere: UpstreamSettings | undefined) =>
  (problem: unknown): Found => {
    if (elsewhere === undefined || mayBeOurs(ask)) throw problem
    return { ...NOTHING_SOUGHT, missing: memory.missing('previous', ask.previous ?? '') }
  }

const mayBeOurs = ({ previous, references }: Ask): boolean =>
  [previous ?? '', ...references].some((id) => readSeed(id) !== undefined)

export interface Found {
  chain: readonly KeptRecord[]
  items: ReadonlyMap<string, KeptRecord>
  parents: readonly string[]
  /** The upstreams that gave out the ids that were found. */
  issuers: readonly (string | undefined)[]
  missing?: Problem
}

/** For a body without references. */
export const NOTHING_SOUGHT: Found = { chain: [], parents: [], issuers: [], items: new Map() }

const tooMany = (): ProblemError =>
  invalid(`The input refers to items of more than ${MOST_PLACES} responses.`, 'input')

/** Looks up all references; those not found are `missing`. */
export async function findReferenced(
  look: Look,
  memory: ConversationMemory,
  ask: Ask,
): Promise<Found> {
  const { previous, references } = ask
  const places = new Set(references.map(recordPlace))
  if (places.size > MOST_PLACES) throw tooMany()
  const last = previous === undefined ? undefined : await readChain(look, previous)
  const kepts = await Promise.all(references.map((id) => look(recordPlace(id))))
  const items = new Map<string, KeptRecord>()
  for (const [index, id] of references.entries()) {
    const kept = kepts[index]
    if (kept) items.set(id, kept)
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
    issuers: [last?.chain.at(-1), ...kepts].flatMap((kept) => (kept ? [kept.issuer] : [])),
    ...(missing && { missing }),
  }
}

/** The mark of the account that made the proofs of an issuer's replies; undefined where that is not known. */
export type MarkOf = (issuer: string | undefined) => string | undefined

/** Parses the exchanges. Throws ProblemError for one that cannot be parsed, as if it were missing. */
export function readRecords(
  memory: ConversationMemory,
  { previous = '' }: Ask,
  found: Found,
  markOf?: MarkOf,
): ReferencedRecords {
  const read = recordReader(memory)
  const readOr = (problem: () => Problem) => (kept: KeptRecord) => {
    const record = read(kept)
    if (!record) throw new ProblemError(problem())
    const account = markOf?.(kept.issuer)
    return account === undefined ? record : memory.marked(record, account)
  }
  const items = [...found.items].map(
    ([id, kept]) => [id, readOr(() => memory.missing('item', id))(kept)] as const,
  )
  const chain = found.chain.map(readOr(() => memory.missing('previous', previous)))
  return { chain, items: new Map(items) }
}

const tooLong = (bytes: number) =>
  new ProblemError({
    kind: 'too-large',
    message: `The conversation is larger than the limit of ${bytes} bytes.`,
  })

export type Look = (place: string | undefined) => Promise<KeptRecord | undefined>

/**
 * Looks at each place once. The sum of the records is bounded by the size of a body that would send them all, and
 * by the room that is left.
 */
export function createLookup(scoped: ScopedStore, mostBytes: number, lease: Lease): Look {
  let size = 0
  const seen = new Map<string, Promise<KeptRecord | undefined>>()
  const read = async (place: string) => {
    const text = await scoped.get(place)
    const there = readRedirectKey(text)
    const whole = there === undefined ? text : await scoped.get(there)
    if (whole === undefined) return undefined
    const before = weightOf(size)
    size += whole.length
    if (size > mostBytes) throw tooLong(mostBytes)
    lease.grow(weightOf(size) - before)
    return readKept(whole)
  }
  return (place) => {
    if (place === undefined) return Promise.resolve(undefined)
    const known = seen.get(place)
    if (known) return known
    const kept = read(place)
    seen.set(place, kept)
    return kept
  }
}

export interface Chain {
  chain: readonly KeptRecord[]
  /** The places of the chain. */
  parents: readonly string[]
}

/** The exchange with this id and all exchanges before it; undefined when one is gone. */
async function readChain(look: Look, id: string): Promise<Chain | undefined> {
  const place = recordPlace(id)
  const kept = await look(place)
  // Each id of an exchange leads to its place, but only the id of its reply names the exchange.
  if (!kept || place === undefined || kept.id !== id) return undefined
  const before = await readPast(look, kept.parents)
  return before && { chain: [...before, kept], parents: [...kept.parents, place] }
}

/** All exchanges before one; undefined when one is gone. */
export async function readPast(
  look: Look,
  parents: Chain['parents'],
): Promise<readonly KeptRecord[] | undefined> {
  const before = await Promise.all(parents.map(look))
  const chain = before.filter((link) => link !== undefined)
  return chain.length < before.length ? undefined : chain
}
