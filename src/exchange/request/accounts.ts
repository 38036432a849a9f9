import type { Event } from '../../model/events.ts'
import type { Block, Proof, Request } from '../../model/request.ts'
import { fingerprint } from '../../model/proof.ts'
import {
  accountTag,
  keysOf,
  membersOf,
  readableMarks,
  type Member,
  type MemberSettings,
} from '../../upstream/members.ts'
import type { Destination } from '../../upstream/route.ts'
import { isIssuer } from '../../memory/ownership.ts'
import { ANSWERED } from '../../memory/records.ts'
import type { MarkOf } from '../../memory/resolve.ts'

/**
 * Only the account that a proof of reasoning was made for can read it; a service silently drops proofs of other
 * accounts, or refuses the conversation. Where several are asked, proofs go out to callers with a mark of their
 * account. Here proofs of other accounts get a dialect that no adapter has, so that the writer of the request leaves
 * them out and reports them. `issuers`: the members that gave out the stored replies that the request refers to.
 */
export function readableProofs(
  request: Request,
  settings: MemberSettings,
  destination: Asked,
  issuers?: readonly (string | undefined)[],
): Request {
  const reads = proofReader(settings, destination, issuers)
  if (!reads || !hasProofs(request)) return request
  const { dialect: own } = destination.adapter
  const isForeign = ({ dialect, account }: Proof): boolean => dialect === own && !reads(account)
  const turns = request.turns.map((turn) =>
    turn.blocks.some((block) => proofIn(block, isForeign))
      ? { ...turn, blocks: turn.blocks.map((block) => disowned(block, isForeign)) }
      : turn,
  )
  return { ...request, turns }
}

/**
 * Whether a member can read a proof with the mark of an account, or without one; undefined where no other account than
 * its own may have made any.
 */
export function proofReader(
  settings: MemberSettings,
  destination: Pick<Destination, 'member' | 'route'>,
  issuers: readonly (string | undefined)[] = [],
): ((account: string | undefined) => boolean) | undefined {
  const readable = readableMarks(settings, destination)
  if (!readable) return undefined
  const unmarked = unmarkedOwner(membersOf(settings, destination.route), issuers)
  return (account = unmarked) => account !== undefined && readable.has(account)
}

/** The marks for proofs in kept replies, by the members that gave them; undefined where all have one account. */
export function issuerMarks(
  settings: MemberSettings,
  destination: Pick<Destination, 'member' | 'route'>,
): MarkOf | undefined {
  if (!readableMarks(settings, destination)) return undefined
  const all = [...settings.upstreams.values()].flatMap(keysOf)
  return (issuer = '') => {
    const name = issuer.replace(ANSWERED, '')
    const giver = all.find(({ upstream }) => isIssuer(upstream, name))
    // Of a member that is no more, none reads the proofs.
    return name === '' ? undefined : fingerprint(giver?.account ?? name)
  }
}

type Asked = Pick<Destination, 'member' | 'route' | 'adapter'>

/**
 * The account of a proof without a mark: that of the member that gave out the conversation, else of the first
 * member, which may have been the only one at that time.
 */
function unmarkedOwner(
  members: readonly Member[],
  issuers: readonly (string | undefined)[],
): string | undefined {
  const accounts = new Set(
    issuers.flatMap((issuer) => members.find(({ name }) => name === issuer)?.account ?? []),
  )
  const [only = members[0]?.account ?? ''] = accounts
  return accounts.size > 1 ? undefined : fingerprint(only)
}

const proofIn = (block: Block, fits: (proof: Proof) => boolean): boolean =>
  'proof' in block && block.proof !== undefined && fits(block.proof)

/** A dialect for proofs that no adapter reads. */
const NOBODY = 'another-account'

const disowned = (block: Block, isForeign: (proof: Proof) => boolean): Block =>
  'proof' in block && block.proof && isForeign(block.proof)
    ? { ...block, proof: { ...block.proof, dialect: NOBODY } }
    : block

/** Whether the conversation holds proofs. */
export function hasProofs(request: Request | undefined): boolean {
  // A history has thousands of blocks, and every request of a pool asks.
  for (const { blocks } of request?.turns ?? [])
    for (const block of blocks) if ('proof' in block && block.proof !== undefined) return true
  return false
}

/** The account that made the last proof of a conversation, by its mark. */
export function accountIn(
  request: Request | undefined,
  members: readonly Member[],
): string | undefined {
  const turns = request?.turns ?? []
  const marks = turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => ('proof' in block && block.proof?.account) || []),
  )
  const last = marks.at(-1)
  if (last === undefined) return undefined
  return members.find(({ account }) => accountTag(members, account) === last)?.account
}

/** Marks the proofs of a reply with the account that made them; undefined where no other one is asked. */
export function proofMarker(
  settings: MemberSettings,
  destination: Asked,
): ((events: readonly Event[]) => readonly Event[]) | undefined {
  if (!readableMarks(settings, destination)) return undefined
  const { member, adapter } = destination
  const marked = (proof: Proof): Proof =>
    proof.dialect === adapter.dialect ? { ...proof, account: fingerprint(member.account) } : proof
  const mark = (event: Event): Event => {
    if (event.type === 'candidate') return { ...event, event: mark(event.event) }
    if (event.type === 'block-end' && event.tail.proof)
      return { ...event, tail: { ...event.tail, proof: marked(event.tail.proof) } }
    if (event.type === 'block-start' && 'proof' in event.block && event.block.proof)
      return { ...event, block: { ...event.block, proof: marked(event.block.proof) } }
    return event
  }
  return (events) => (events.some(holdsProof) ? events.map(mark) : events)
}

/** Most replies hold none, and every step of each asks. */
const holdsProof = (event: Event): boolean =>
  event.type === 'candidate' ||
  (event.type === 'block-end' && event.tail.proof !== undefined) ||
  (event.type === 'block-start' && 'proof' in event.block && event.block.proof !== undefined)
