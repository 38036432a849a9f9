import { expect } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { cpuMs, measureGrowth, MOST, type Work } from './cpu.ts'

const seed = import.meta.env['VITE_SEED']

/** `npm run properties` looks closer, at as many places as its time allows, and at others each time. */
export const isDeep = seed !== undefined
const DEEP_MS = 200

export { DIALECTS }

export interface Case {
  name: string
  prepare(size: number): Work
}

/** Fails with every case that grows faster than what it is about. */
export async function proportional(cases: readonly Case[], size: number): Promise<void> {
  const wrong: string[] = []
  const until = isDeep ? cpuMs() + DEEP_MS : Infinity
  for (const { name, prepare } of isDeep ? drawn(cases) : cases) {
    if (cpuMs() > until) break
    const growth = await leastGrowth(prepare, size)
    if (growth >= MOST) wrong.push(`${name}: ${growth.toFixed(2)} times as much for twice as much`)
  }
  expect(wrong).toEqual([])
}

/** In an order that another seed does not have: each seed comes to other cases before its time is over. */
function drawn(cases: readonly Case[]): Case[] {
  const place = ({ name }: Case): number => {
    let hash = Number(seed) | 0
    for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619)
    return hash >>> 0
  }
  return cases.toSorted((one, other) => place(one) - place(other))
}

/** Memory grows in steps, and one may lie between the two sizes; what grows faster does so everywhere. */
async function leastGrowth(prepare: Case['prepare'], size: number): Promise<number> {
  let least = Infinity
  for (const factor of [1, 3, 2]) {
    least = Math.min(least, await measureGrowth(prepare, factor * size))
    if (least < MOST) break
  }
  return least
}

/** Where several documents have the same place, one of them stands for all. */
export function distinct<T extends { name: string }>(list: readonly T[]): T[] {
  return [...new Map(list.map((one) => [one.name, one])).values()]
}

/** In a hurry each place is tried with one of the dialects, its neighbour with another; but those of `all` with each. */
export const inTurn = <T extends { name: string }>(
  places: readonly T[],
  dialect: Dialect,
  all: (place: T) => boolean,
): T[] =>
  places.filter(
    (place, index) => isDeep || all(place) || DIALECTS[index % DIALECTS.length] === dialect,
  )
