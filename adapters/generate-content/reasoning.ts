import { BUDGETS, nearestEffort, type SomeEffort } from '../../src/rules/effort.ts'
import type { Json, JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Effort, ReasoningOptions } from '../../src/model/request.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import { nearestTo } from '../../src/models/thinking.ts'
import { keep, restOf, factsOf } from './dialect.ts'
import type { WireThinkingConfig } from './wire.ts'

/** What every model with a budget accepts. */
const BOUNDS: readonly [number, number] = [0, 24_576]
/** The levels of a model that nothing is known of. */
const USUAL: readonly Effort[] = ['minimal', 'low', 'medium', 'high']
/** The budget that lets the model decide. */
const DYNAMIC = -1

const LEVELS: Record<SomeEffort, string> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'XHIGH',
  max: 'XHIGH',
}
const EFFORTS: ReadonlyMap<string, Effort> = new Map<string, Effort>([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
  // Since @google/genai 3.3.0.
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
  facts: KnownFacts,
  lose: Lose,
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
    ? writeLevel(reasoning, isOff, level, facts, lose)
    : writeBudget(reasoning, isOff, facts, lose)
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
  { budget: bounds = BOUNDS }: KnownFacts,
  lose: Lose,
): JsonObject {
  const { mode, effort, budget } = reasoning
  const [least, most] = bounds
  if (isOff) {
    if (least > 0) lose('approximated', 'reasoning.mode', 'the model always thinks')
    return { thinkingBudget: least }
  }
  if (budget !== undefined) {
    if (effort !== undefined) lose('dropped', 'reasoning.effort', 'the budget decides')
    return { thinkingBudget: clamped(budget, bounds, lose) }
  }
  if (effort === undefined || effort === 'none')
    return mode === 'adaptive' ? { thinkingBudget: DYNAMIC } : {}
  lose('approximated', 'reasoning.effort', 'as a budget')
  return { thinkingBudget: Math.min(BUDGETS[effort], most) }
}

function clamped(budget: number, [least, most]: readonly [number, number], lose: Lose): number {
  const bounded = Math.min(Math.max(1, least, Math.floor(budget)), most)
  if (bounded !== budget) lose('approximated', 'reasoning.budget')
  return bounded
}

/** A model with levels mostly cannot be told not to think, only to think little. */
function writeLevel(
  reasoning: ReasoningOptions,
  isOff: boolean,
  noted: JsonObject[string] | undefined,
  { efforts = USUAL }: KnownFacts,
  lose: Lose,
): JsonObject {
  const { effort, budget } = reasoning
  if (isOff) {
    lose('approximated', 'reasoning.mode')
    return levelOf('none', efforts)
  }
  if (typeof noted === 'string') return { thinkingLevel: noted }
  if (effort !== undefined && effort !== 'none') {
    if (budget !== undefined) lose('dropped', 'reasoning.budget', 'the effort decides')
    if (nearestTo(effort, efforts) !== effort) lose('approximated', 'reasoning.effort')
    return levelOf(effort, efforts)
  }
  if (budget === undefined) return {}
  lose('approximated', 'reasoning.budget', 'as a level')
  return levelOf(nearestEffort(budget), efforts)
}

function levelOf(wanted: Effort, efforts: readonly Effort[]): JsonObject {
  const effort = nearestTo(wanted, efforts)
  return effort && effort !== 'none' ? { thinkingLevel: LEVELS[effort] } : {}
}

/** 64-bit integers may come as strings. */
export function amount(value: Json | undefined): number | undefined {
  if (typeof value === 'string') return Number(value)
  return typeof value === 'number' ? value : undefined
}
