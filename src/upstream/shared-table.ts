import { payerOf } from './credentials.ts'

/** A text, or a number that stands for one. */
export type EntryName = string | number

/** The entries of one caller: the one that was used last stands last. */
type Share<Value> = Map<EntryName, Value>

/**
 * A bounded table of what is known of many callers. Where it is full, those with most entries lose the ones that were
 * used longest ago, so that no caller can push out those of the others. All credentials beside one key count as one
 * caller, because they may be made up.
 */
export class SharedTable<Value> {
  readonly #most: number
  /** The one who was here last stands last. */
  readonly #shares = new Map<string, Share<Value>>()
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  get(identity: string, name: EntryName): Value | undefined {
    return this.#shares.get(payerOf(identity))?.get(placeOf(identity, name))
  }

  /** Also notes that the entry is in use. */
  set(identity: string, name: EntryName, value: Value): void {
    const payer = payerOf(identity)
    const share = this.#shares.get(payer) ?? new Map<EntryName, Value>()
    moveLast(this.#shares, payer, share)
    const before = share.size
    moveLast(share, placeOf(identity, name), value)
    this.#size += share.size - before
    if (this.#size > this.#most) this.#makeRoom(Math.ceil(this.#most * ROOM_LEFT))
  }

  /** Forgets all but what is fit to stay. */
  keep(isFit: (value: Value) => boolean): void {
    for (const [payer, share] of this.#shares)
      this.#forget(payer, share, (place) => {
        const value = share.get(place)
        return value !== undefined && !isFit(value)
      })
  }

  /** Many go at once, because to find out whose they are takes a look at all. */
  #makeRoom(room: number): void {
    const sizes = [...this.#shares.values()].map(({ size }) => size)
    const most = Math.max(1, fairShare(sizes, room))
    for (const [payer, share] of this.#shares) this.#forget(payer, share, () => share.size > most)
    for (const [payer, share] of this.#shares) this.#forget(payer, share, () => this.#size > room)
  }

  #forget(payer: string, share: Share<Value>, isGone: (place: EntryName) => boolean): void {
    for (const place of share.keys()) if (isGone(place) && share.delete(place)) this.#size -= 1
    if (share.size === 0) this.#shares.delete(payer)
  }
}

/** How much of a full table is left. */
const ROOM_LEFT = 0.75

/** The most that each may have, where those who have less keep all of theirs. */
export function fairShare(sizes: readonly number[], room: number): number {
  let left = room
  for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
    const equal = Math.floor(left / (sizes.length - index))
    if (size > equal) return equal
    left -= size
  }
  return Infinity
}

/** To join them costs more than to look, and most identities are one key alone. */
function placeOf(identity: string, name: EntryName): EntryName {
  const { length } = payerOf(identity)
  return length === identity.length ? name : `${identity.slice(length)}\n${name}`
}

/** A map yields its entries in the order in which they came. */
function moveLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
}
