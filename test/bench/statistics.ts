import type { Spread } from './shared.ts'

/** The value below which the given share of the values lies; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share))
  return sorted[at] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

export const measureSpread = (values: readonly number[]): Spread => ({
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
  most: quantile(values, 1),
})

/** A middle with what it lies between. */
export interface Summary {
  middle: number
  least: number
  most: number
}

/** Of the finite ones; undefined when there are none. */
export function sumUpSeries(values: readonly (number | undefined)[]): Summary | undefined {
  const known = values.filter((value): value is number => Number.isFinite(value))
  if (known.length === 0) return undefined
  return { middle: median(known), least: Math.min(...known), most: Math.max(...known) }
}

/** Round by round: a disturbance of a whole round hits both sides of its ratio. */
export const ratios = (
  values: readonly (number | undefined)[],
  base: readonly (number | undefined)[],
): (number | undefined)[] => values.map((value, round) => quotient(value, base[round]))

export const quotient = (value: number | undefined, base: number | undefined): number | undefined =>
  value === undefined || !base ? undefined : value / base

/** Round by round, how much more one is than the other. */
export const differences = (
  values: readonly (number | undefined)[],
  base: readonly (number | undefined)[],
): (number | undefined)[] =>
  values.map((value, round) => {
    const other = base[round]
    return value === undefined || other === undefined ? undefined : value - other
  })

/** By how much the best of one list is above the best of another: a disturbance of the machine only adds. */
export function added(
  values: readonly (number | undefined)[],
  base: readonly (number | undefined)[],
): number | undefined {
  const own = sumUpSeries(values)
  const other = sumUpSeries(base)
  return own && other && own.least - other.least
}

/** The list from another place on, so that nobody is always first. */
export const rotated = <T>(list: readonly T[], by: number): T[] => {
  const at = list.length === 0 ? 0 : by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
