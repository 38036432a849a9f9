import { BUDGETS, nearestEffort, type SomeEffort } from '../../src/model/effort.ts'
import type { JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Effort, ReasoningOptions } from '../../src/model/request.ts'
import type { ModelFacts } from '../contract.ts'
import { keep, restOf, factsOf } from './dialect.ts'
import { leastBudget, takesLowest } from './generations.ts'
import type { WireThinkingConfig } from './wire.ts'

/** The largest budget that every model with a budget accepts. */
const MAX_BUDGET = 24_576
/** The budget that lets the model decide. */
const DYNAMIC = -1

const LEVELS: Record<SomeEffort, string> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}
const EFFORTS: ReadonlyMap<string, Effort> = new Map<string, Effort>([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
  // Since @google/genai 3.3.0. No model is known to take it, so it is written only where its caller wrote it.
  ['XHIGH', 'xhigh'],
])

export function readReasoning(
  config: WireThinkingConfig | undefined,
): ReasoningOptions | undefined {
  const { includeThoughts, thinkingBudget, thinkingLevel: said, ...rest } = config ?? {}
  const thinkingLevel = said?.endsWith('_UNSPECIFIED') ? undefined : said
  const budget = amount(thinkingBudget)
  const effort = EFFORTS.get(thinkingLevel?.toUpperCase() ?? '')
  const nothing = includeThoughts !== true && budget === undefined && thinkingLevel === undefined
  if (nothing && Object.keys(rest).length === 0) return undefined
  return {
    mode: budget === 0 ? 'off' : budget === DYNAMIC ? 'adaptive' : 'on',
    ...(effort && { effort }),
    ...(budget !== undefined && budget > 0 && { budget }),
    ...(includeThoughts !== undefined && { visible: includeThoughts }),
    ...keep(
      { ...rest, ...(thinkingLevel !== undefined && !effort && { thinkingLevel }) },
      { facts: thinkingLevel !== undefined && effort && { level: thinkingLevel } },
    ),
  }
}

/** Inverse of `readReasoning`. A model takes either a budget or a level, so the other one is converted. */
export function writeReasoning(
  reasoning: ReasoningOptions | undefined,
  facts: ModelFacts,
  lose: Lose,
  model = '',
): JsonObject | undefined {
  if (!reasoning) return undefined
  const { detail, visible } = reasoning
  if (detail !== undefined && detail !== 'auto') lose('dropped', 'reasoning.detail')
  const isOff = reasoning.mode === 'off' || reasoning.effort === 'none'
  if (reasoning.mode === 'off' && reasoning.effort !== undefined && reasoning.effort !== 'none')
    lose('dropped', 'reasoning.effort', 'there are to be no thoughts')
  const { level } = factsOf(reasoning)
  const byLevel =
    facts.thinking === 'level' || (facts.thinking === undefined && level !== undefined)
  const amount = byLevel
    ? writeLevel(reasoning, isOff, level, model, lose)
    : writeBudget(reasoning, isOff, model, lose)
  const shown = isOff && visible ? undefined : visible
  const config = {
    ...restOf(reasoning),
    ...(shown !== undefined && { includeThoughts: shown }),
    ...amount,
  }
  return Object.keys(config).length > 0 ? config : undefined
}

function writeBudget(
  reasoning: ReasoningOptions,
  isOff: boolean,
  model: string,
  lose: Lose,
): JsonObject {
  const { mode, effort, budget } = reasoning
  if (isOff) {
    const least = leastBudget(model)
    if (least > 0) lose('approximated', 'reasoning.mode', 'the model always thinks')
    return { thinkingBudget: least }
  }
  if (budget !== undefined) {
    if (effort !== undefined) lose('dropped', 'reasoning.effort', 'the budget decides')
    return { thinkingBudget: clamped(budget, lose) }
  }
  if (effort === undefined || effort === 'none')
    return mode === 'adaptive' ? { thinkingBudget: DYNAMIC } : {}
  lose('approximated', 'reasoning.effort', 'as a budget')
  return { thinkingBudget: Math.min(BUDGETS[effort], MAX_BUDGET) }
}

function clamped(budget: number, lose: Lose): number {
  const whole = Math.max(1, Math.floor(budget))
  const fitting = Math.min(whole, MAX_BUDGET)
  if (fitting !== budget) lose('approximated', 'reasoning.budget')
  return fitting
}

/** A model with levels always thinks; it can only be told to think little. */
function writeLevel(
  reasoning: ReasoningOptions,
  isOff: boolean,
  noted: JsonObject[string] | undefined,
  model: string,
  lose: Lose,
): JsonObject {
  const { effort, budget } = reasoning
  const levels = takesLowest(model) ? LEVELS : { ...LEVELS, minimal: LEVELS.low }
  if (isOff) {
    lose('approximated', 'reasoning.mode')
    return { thinkingLevel: levels.minimal }
  }
  if (typeof noted === 'string') return { thinkingLevel: noted }
  if (effort !== undefined && effort !== 'none') {
    if (budget !== undefined) lose('dropped', 'reasoning.budget', 'the effort decides')
    if (EFFORTS.get(levels[effort]) !== effort) lose('approximated', 'reasoning.effort')
    return { thinkingLevel: levels[effort] }
  }
  if (budget === undefined) return {}
  lose('approximated', 'reasoning.budget', 'as a level')
  return { thinkingLevel: levels[nearestEffort(budget)] }
}

/** 64-bit integers may come as strings. */
export function amount(value: number | string | undefined): number | undefined {
  return typeof value === 'string' ? Number(value) : value
}
