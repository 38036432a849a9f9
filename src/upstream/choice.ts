/** The facts that decide the place of a member in the order. */
export interface Candidate {
  name: string
  account: string
  weight: number
}

/**
 * Orders members by weighted rendezvous hashing: each session has its own order, the same on every machine, and
 * when a member goes only its own sessions move.
 */
export function byRendezvous<T extends Candidate>(members: readonly T[], session: string): T[] {
  const scored = members.map((member) => ({ member, score: scoreOf(member, session) }))
  return scored.toSorted((one, other) => other.score - one.score).map(({ member }) => member)
}

const scoreOf = ({ name, weight }: Candidate, session: string): number =>
  weight / -Math.log(unitHash(`${session}\0${name}`))

const OFFSETS = [0x811c9dc5, 0x9747b28c] as const
const FNV_PRIME = 0x01000193

/** A number between 0 and 1, both excluded, from 53 bits. */
function unitHash(text: string): number {
  const [high, low] = OFFSETS.map((offset) => mixed(fnv(text, offset)))
  return (((high ?? 0) >>> 5) * 2 ** 26 + ((low ?? 0) >>> 6) + 0.5) / 2 ** 53
}

/** FNV-1a, over the bytes of UTF-16. */
function fnv(text: string, offset: number): number {
  let hash = offset
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    hash = Math.imul(hash ^ (unit & 255), FNV_PRIME)
    hash = Math.imul(hash ^ (unit >>> 8), FNV_PRIME)
  }
  return hash
}

/** The finalizer of murmur3: without it, names that differ only in the last character would hash alike. */
function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** Smooth weighted round robin, for requests without a session. `isTaken`: the turn is used, and not only looked at. */
export function roundRobin(): <T extends Candidate>(
  members: readonly T[],
  isTaken?: boolean,
) => T[] {
  const credit = new Map<string, number>()
  return (members, isTaken = true) => {
    const creditOf = ({ name, weight }: Candidate) => (credit.get(name) ?? 0) + weight
    const sorted = members.toSorted((one, other) => creditOf(other) - creditOf(one))
    if (!isTaken) return sorted
    for (const member of members) credit.set(member.name, creditOf(member))
    const total = members.reduce((sum, { weight }) => sum + weight, 0)
    const [first] = sorted
    if (first) credit.set(first.name, (credit.get(first.name) ?? 0) - total)
    return sorted
  }
}

/**
 * Keeps the order of the list. The keys of one upstream take turns: first the one that was never cooled, or was
 * cooled longest ago.
 */
export function inOrder<T extends Candidate & { upstream: { name: string } }>(
  members: readonly T[],
  cooledAt: (member: T) => number,
): T[] {
  const upstreams = [...new Set(members.map(({ upstream }) => upstream.name))]
  return upstreams.flatMap((name) =>
    members
      .filter(({ upstream }) => upstream.name === name)
      .toSorted((one, other) => cooledAt(one) - cooledAt(other)),
  )
}

/** Puts the members of an account before all others; both parts keep their order. */
export const accountFirst = <T extends Candidate>(
  members: readonly T[],
  account: string,
): readonly T[] => fittingFirst(members, (member) => member.account === account)

/** Puts one member before all others. */
export const memberFirst = <T extends Candidate>(
  members: readonly T[],
  name: string,
): readonly T[] => fittingFirst(members, (member) => member.name === name)

/** Puts members that fit before those that do not; mostly they already stand so. */
export function fittingFirst<T>(members: readonly T[], fits: (member: T) => boolean): readonly T[] {
  let isBehind = false
  for (const member of members)
    if (!fits(member)) isBehind = true
    else if (isBehind) return [...members.filter(fits), ...members.filter((each) => !fits(each))]
  return members
}
