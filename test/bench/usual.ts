import { readFileSync, writeFileSync } from 'node:fs'
import type { Figures } from './figures.ts'
import { isPair } from './lanes.ts'

/**
 * What the lanes usually take on a processor, as a ratio to the bare pass-through: written by a run with --record on
 * a machine that does nothing else, so that a lane that has become slow is seen in a short run.
 */

const FILE = new URL('usual.json', import.meta.url)

type Usual = Record<string, Record<string, number>>

const usual = JSON.parse(readFileSync(FILE, 'utf8')) as Usual

export const usualCpu = (scenario: string, lane: string): number | undefined =>
  usual[scenario]?.[lane]

const rounded = (value: number): number => Number(value.toPrecision(3))

/** Keeps the figures of a scenario for the runs to come; those of lanes that were not measured stay. */
export function record(scenario: string, figures: readonly Figures[]): void {
  const measured = figures.flatMap(({ lane, leastCpu }) =>
    leastCpu && isPair(lane) ? [[lane.name, rounded(leastCpu)] as const] : [],
  )
  if (measured.length === 0) return
  usual[scenario] = { ...usual[scenario], ...Object.fromEntries(measured) }
  writeFileSync(FILE, `${JSON.stringify(usual, undefined, 2)}\n`)
}
