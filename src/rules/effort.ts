import type { Effort } from '../model/request.ts'

export type SomeEffort = Exclude<Effort, 'none'>

/** How many tokens an effort becomes for a model that takes a number of them. */
export const BUDGETS: Readonly<Record<SomeEffort, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

/** From the least to the greatest. */
export const EFFORTS = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const satisfies readonly Effort[]

const WORDS: readonly string[] = Object.keys(BUDGETS)
export const isEffort = (value: string): value is SomeEffort => WORDS.includes(value)

/** Inverse of the table: the greatest effort within the budget. */
export const nearestEffort = (budget: number): SomeEffort =>
  WORDS.filter(isEffort).findLast((effort) => BUDGETS[effort] <= budget) ?? 'minimal'
