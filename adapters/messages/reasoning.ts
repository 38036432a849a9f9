import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { BUDGETS, nearestEffort, isEffort, type SomeEffort } from '../../src/rules/effort.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Effort, ReasoningOptions, Request } from '../../src/model/request.ts'
import { nearestTo } from '../../src/models/thinking.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import { textIn, keep, factsOf, restOf } from './dialect.ts'

const MIN_BUDGET = 1024

/** The dialect's word for each effort. An effort without a word of its own gets a neighbour's. */
const WORDS: Record<SomeEffort, string> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

/** The word for an effort. `none` has no word, so the least is written. */
export function effortWord(effort: Effort, lose: Lose): string {
  const word = effort === 'none' ? WORDS.minimal : WORDS[effort]
  if (word !== effort) lose('approximated', 'reasoning.effort')
  return word
}

/** Reads `thinking` and the effort in `output_config`. */
export function readReasoning(
  thinking: Json | undefined,
  effort: Json | undefined,
): { reasoning?: ReasoningOptions } {
  const word = textIn(effort)
  const wanted = isEffort(word) ? { effort: word } : {}
  const left: JsonObject = word === '' || isEffort(word) ? {} : { effort: word }
  if (!isObject(thinking)) {
    if (word === '') return {}
    return {
      reasoning: { mode: 'on', ...wanted, ...keep(left, { facts: { effortAlone: true } }) },
    }
  }
  const { type, budget_tokens, display, ...rest } = thinking
  const budget = typeof budget_tokens === 'number' ? { budget: budget_tokens } : {}
  const mode = MODES.get(type)
  return {
    reasoning: {
      mode: mode ?? 'on',
      ...wanted,
      ...budget,
      ...readDisplay(type, display),
      ...keep({
        ...left,
        ...rest,
        ...(!mode && { type: textIn(type) }),
        ...(typeof display === 'string' && !isCanonical(display) && { display }),
      }),
    },
  }
}

/** Shows thoughts too, in another way than `summarized` (@anthropic-ai/sdk 1.14). */
const UPDATES = 'updates'

const isCanonical = (display: string): boolean => DISPLAYS.has(display) && display !== UPDATES

const MODES = new Map<Json | undefined, ReasoningOptions['mode']>([
  ['enabled', 'on'],
  ['disabled', 'off'],
  ['adaptive', 'adaptive'],
])

const DISPLAYS = new Map<Json | undefined, boolean>([
  ['summarized', true],
  ['omitted', false],
  [UPDATES, true],
])

/** Whether thoughts are shown. With a budget they are by default; adaptive models have different defaults. */
function readDisplay(type: Json | undefined, display: Json | undefined): { visible?: boolean } {
  const visible = DISPLAYS.get(display) ?? (type === 'enabled' ? true : undefined)
  return visible === undefined ? {} : { visible }
}

export interface Circumstances {
  maxTokens: number
  facts: KnownFacts
  /** The request forces a tool, so the model may not think. */
  forced: boolean
  /** The model is between tool calls, and the proof of its thinking is missing. */
  unproven: boolean
  lose: Lose
}

export interface WrittenReasoning {
  thinking?: JsonObject
  effort?: string
}

/** Inverse of `readReasoning`, where the request lets the model think. */
export function writeReasoning(
  { reasoning }: Pick<Request, 'reasoning'>,
  around: Circumstances,
): WrittenReasoning {
  if (!reasoning) return {}
  if (reasoning.mode === 'off' || reasoning.effort === 'none') return writeOff(reasoning, around)
  const { effort: word, ...left } = restOf(reasoning)
  const effort = word === undefined ? {} : { effort: textIn(word) }
  if (factsOf(reasoning).effortAlone) return { ...writeEffort(reasoning, around), ...effort }
  const written = { ...writeThinking(reasoning, left, around), ...effort }
  const { thinking, ...rest } = written
  // With adaptive thinking the model decides by itself in both cases.
  const isStuck = thinking?.['type'] === 'enabled' && (around.forced || around.unproven)
  if (!isStuck) return written
  around.lose(
    'approximated',
    'reasoning.mode',
    around.forced ? 'a tool is forced' : 'no signature of reasoning',
  )
  return rest
}

function writeOff(
  reasoning: ReasoningOptions,
  { facts }: Pick<Circumstances, 'facts'>,
): WrittenReasoning {
  const { effort } = reasoning
  const word = effort && effort !== 'none' ? { effort: WORDS[effort] } : {}
  const type = facts.thinkingOff === 'between_tools' ? 'between_tools' : 'disabled'
  return { thinking: { type, ...restOf(reasoning) }, ...word }
}

function writeEffort(
  { effort }: ReasoningOptions,
  { lose }: Pick<Circumstances, 'lose'>,
): { effort?: string } {
  return effort && effort !== 'none' ? { effort: effortWord(effort, lose) } : {}
}

function writeThinking(
  reasoning: ReasoningOptions,
  left: JsonObject,
  around: Circumstances,
): WrittenReasoning {
  const { mode, budget, effort, visible, detail } = reasoning
  const { lose, facts } = around
  if (detail !== undefined && detail !== 'auto') lose('dropped', 'reasoning.detail')
  const isAdaptive =
    facts.thinking === 'adaptive' ||
    facts.thinking === 'level' ||
    (facts.thinking === 'either' && budget === undefined) ||
    (mode === 'adaptive' && facts.thinking !== 'budget')
  if (!isAdaptive) return writeBudget(reasoning, left, around)
  if (budget !== undefined) lose('approximated', 'reasoning.budget')
  const shown = visible === undefined ? {} : { display: visible ? 'summarized' : 'omitted' }
  const thinking = { type: 'adaptive', ...shown, ...left }
  if (budget === undefined || effort) return { thinking, ...writeEffort(reasoning, around) }
  const nearest = nearestTo(nearestEffort(budget), facts.efforts)
  return { thinking, ...(nearest && nearest !== 'none' && { effort: WORDS[nearest] }) }
}

/** The budget for an effort. Thoughts count against the output bound, so half of it is left for the answer. */
function budgetFor(effort: Effort | undefined, maxTokens: number): number {
  const worth = BUDGETS[effort && effort !== 'none' ? effort : 'medium']
  return Math.min(worth, Math.floor(maxTokens / 2))
}

function writeBudget(
  reasoning: ReasoningOptions,
  left: JsonObject,
  around: Circumstances,
): WrittenReasoning {
  const { mode, budget, effort, visible } = reasoning
  const { lose, maxTokens } = around
  if (left['type'] !== undefined) return { thinking: left }
  if (mode === 'adaptive') lose('approximated', 'reasoning.mode')
  const wanted = budget ?? budgetFor(effort, maxTokens)
  const possible = Math.min(Math.max(Math.floor(wanted), MIN_BUDGET), maxTokens - 1)
  if (possible < MIN_BUDGET) return lose('dropped', 'reasoning', 'too few output tokens') ?? {}
  if (budget === undefined) lose('approximated', 'reasoning.effort')
  else if (possible !== budget) lose('approximated', 'reasoning.budget')
  const shown = visible === false ? { display: 'omitted' } : {}
  return {
    thinking: { type: 'enabled', budget_tokens: possible, ...shown, ...left },
    ...(budget !== undefined && writeEffort(reasoning, around)),
  }
}
