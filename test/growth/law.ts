import { expect } from 'vitest'
import { cpuMs, growthOf, MOST, type Work } from './cpu.ts'

const seed = import.meta.env['VITE_SEED']

/** `npm run properties` looks closer, at as many places as its time allows, and at others each time. */
export const isDeep = seed !== undefined
const DEEP_MS = 3000

export { DIALECTS } from '../../adapters/dialect.ts'

export interface Case {
  name: string
  prepare(size: number): Work
}

/** Fails with every case that grows faster than what it is about. */
export async function proportional(cases: readonly Case[], size: number): Promise<void> {
  const wrong: string[] = []
  const until = isDeep ? cpuMs() + DEEP_MS : Infinity
  const turn = Number(seed ?? 0) % Math.max(cases.length, 1)
  for (const { name, prepare } of [...cases.slice(turn), ...cases.slice(0, turn)]) {
    if (cpuMs() > until) break
    const growth = await leastGrowth(prepare, size)
    if (growth >= MOST) wrong.push(`${name}: ${growth.toFixed(2)} times as much for twice as much`)
  }
  expect(wrong).toEqual([])
}

/** Memory grows in steps, and one may lie between the two sizes; what grows faster does so everywhere. */
async function leastGrowth(prepare: Case['prepare'], size: number): Promise<number> {
  let least = Infinity
  for (const factor of [1, 3, 2, 4]) {
    least = Math.min(least, await growthOf(prepare, factor * size))
    if (least < MOST) break
  }
  return least
}

/** Where several documents have the same place, one of them stands for all. */
export function distinct<T extends { name: string }>(list: readonly T[]): T[] {
  return [...new Map(list.map((one) => [one.name, one])).values()]
}
