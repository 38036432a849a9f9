import { type Json, type JsonObject, isObject } from '../../src/json/json.ts'
import { BUDGETS, isEffort, nearestEffort } from '../../src/rules/effort.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Effort, ReasoningOptions } from '../../src/model/request.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import { nearestTo } from '../../src/models/thinking.ts'
import type { ServerFacts } from '../contract.ts'
import { keep, restOf, factsOf, textIn, objectIn, numberIn } from './dialect.ts'

/** The members by which callers ask for thinking, of all servers that speak this dialect. */
export const THINKING_MEMBERS = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
] as const
type Wire = Partial<Record<(typeof THINKING_MEMBERS)[number], Json | undefined>>

export function readReasoning(wire: Wire): { reasoning?: ReasoningOptions; left: JsonObject } {
  const given = THINKING_MEMBERS.filter((key) => wire[key] !== undefined && wire[key] !== null)
  if (given.length === 0) return { left: {} }
  const nested = objectIn(wire.reasoning)
  const thinking = objectIn(wire.thinking)
  const word = textIn(wire.reasoning_effort) || textIn(nested['effort'])
  const effort = toEffort(word)
  const budget =
    numberIn(nested['max_tokens']) ??
    numberIn(wire.thinking_budget) ??
    numberIn(thinking['budget_tokens'])
  const isOff =
    effort === 'none' ||
    nested['enabled'] === false ||
    thinking['type'] === 'disabled' ||
    wire.enable_thinking === false
  const isAdaptive = thinking['type'] === 'adaptive' || thinking['type'] === 'auto'
  const isVague = effort === undefined && budget === undefined && !isOff && !isAdaptive
  const saysOn =
    thinking['type'] === 'enabled' || nested['enabled'] === true || wire.enable_thinking === true
  // A server that is asked in these members shows its thoughts; an effort alone shows nothing (OpenAI).
  const shows = saysOn || isObject(wire.reasoning)
  const saysHidden = typeof nested['exclude'] === 'boolean'
  if (isVague && !saysOn && !saysHidden) return { left: leftFor(wire, given) }
  return {
    reasoning: {
      mode: isOff ? 'off' : isAdaptive ? 'adaptive' : 'on',
      ...(effort !== undefined && { effort }),
      ...(budget !== undefined && { budget }),
      ...(shows && !isOff && { visible: nested['exclude'] !== true }),
      ...keep(
        {
          ...unread(nested, thinking),
          ...(effort === undefined && word !== '' && { effort: word }),
        },
        { facts: { words: leftFor(wire, given) } },
      ),
    },
    left: {},
  }
}

/** The settings of thinking that only this dialect has: kept, and reported elsewhere. */
function unread(nested: JsonObject, thinking: JsonObject): JsonObject {
  const { effort: _, max_tokens: __, enabled: ___, exclude: ____, ...reasoning } = nested
  const { type: _type, budget_tokens: _budget, ...rest } = thinking
  return { ...reasoning, ...rest }
}

const leftFor = (wire: Wire, given: readonly (keyof Wire)[]): JsonObject =>
  Object.fromEntries(
    given.flatMap((key) => (wire[key] === undefined ? [] : [[key, wire[key] ?? null]])),
  )

const toEffort = (word: string): Effort | undefined =>
  word === 'none' || isEffort(word) ? word : undefined

export interface ReasoningContext {
  readonly server: ServerFacts
  readonly own: boolean
  readonly lose: Lose
  /** What is known of the model. */
  readonly facts: KnownFacts
}

/** Inverse of `readReasoning`, in the words of the server. */
export function writeReasoning(
  reasoning: ReasoningOptions | undefined,
  { server, own: isOwn, lose, facts }: ReasoningContext,
): JsonObject {
  if (!reasoning) return {}
  const words = factsOf(reasoning)['words']
  if (isOwn && isObject(words)) return words
  const asked = server.reasoningStyle ?? 'openai'
  // The model knows efforts alone, whatever other models of the server are asked by.
  const style = asked === 'thinking' && facts.thinkingWord === false ? 'openai' : asked
  if (style === 'none') return lose('dropped', 'reasoning') ?? {}
  reportUnsaid(reasoning, style, lose)
  const isOff = reasoning.mode === 'off' || reasoning.effort === 'none'
  // Other dialects take an effort without thoughts. Here the effort is that of thinking, so it is dropped with it.
  if (isOff) leaveHowMuch(reasoning, lose)
  const { efforts } = facts
  const written = isOff ? writeOff(style, efforts, lose) : writeOn(reasoning, style, efforts, lose)
  return { ...written, ...restOf(reasoning) }
}

/** Where thinking is switched off by an effort, a model that has no such effort is told the least. */
function writeOff(style: Style, efforts: readonly Effort[] | undefined, lose: Lose): JsonObject {
  if (style !== 'openai' || !efforts || efforts.includes('none')) return OFF[style]
  lose('approximated', 'reasoning.mode', `the model takes ${efforts.join(', ') || 'no effort'}`)
  const least = nearestTo('none', efforts)
  return least ? { reasoning_effort: least } : {}
}

type Style = Exclude<NonNullable<ServerFacts['reasoningStyle']>, 'none'>

const OFF: Record<Style, JsonObject> = {
  openai: { reasoning_effort: 'none' },
  thinking: { thinking: { type: 'disabled' } },
  enable_thinking: { enable_thinking: false },
  template: { chat_template_kwargs: { enable_thinking: false } },
  openrouter: { reasoning: { enabled: false } },
  together: { reasoning: { enabled: false } },
}

/** Reports how thoughts were to be shown: of these servers only OpenRouter can be told. */
function reportUnsaid({ mode, visible, detail }: ReasoningOptions, style: Style, lose: Lose): void {
  if (detail !== undefined && detail !== 'auto') lose('dropped', 'reasoning.detail')
  if (mode === 'off' || style === 'openrouter') return
  if (visible === false) lose('dropped', 'reasoning.visible')
}

function writeOn(
  reasoning: ReasoningOptions,
  style: Style,
  efforts: readonly Effort[] | undefined,
  lose: Lose,
): JsonObject {
  const { mode, visible } = reasoning
  if (mode === 'adaptive') lose('approximated', 'reasoning.mode')
  switch (style) {
    case 'openai': {
      const effort = chooseEffort(reasoning, efforts, lose)
      return effort === undefined ? {} : { reasoning_effort: effort }
    }
    case 'thinking': {
      const effort = chooseEffort(reasoning, efforts, lose)
      return {
        thinking: { type: 'enabled' },
        ...(effort !== undefined && { reasoning_effort: effort }),
      }
    }
    case 'enable_thinking': {
      const budget = chooseBudget(reasoning, lose)
      return { enable_thinking: true, ...(budget !== undefined && { thinking_budget: budget }) }
    }
    case 'template':
      return { ...leaveHowMuch(reasoning, lose), chat_template_kwargs: { enable_thinking: true } }
    case 'together':
      return { ...leaveHowMuch(reasoning, lose), reasoning: { enabled: true } }
    case 'openrouter': {
      const { budget, effort } = reasoning
      const amount =
        budget !== undefined ? { max_tokens: budget } : effort ? { effort } : { enabled: true }
      if (budget !== undefined && effort !== undefined) lose('dropped', 'reasoning.effort')
      return { reasoning: { ...amount, ...(visible === false && { exclude: true }) } }
    }
    default:
      return style satisfies never
  }
}

function chooseEffort(
  { effort, budget, mode }: ReasoningOptions,
  efforts: readonly Effort[] | undefined,
  lose: Lose,
): Effort | undefined {
  if (effort !== undefined) {
    if (budget !== undefined) lose('dropped', 'reasoning.budget')
    return effort
  }
  if (budget === undefined) return mode === 'adaptive' ? undefined : nearestTo('medium', efforts)
  lose('approximated', 'reasoning.budget')
  // Not every model accepts `minimal`.
  const nearest = nearestEffort(budget)
  return nearestTo(nearest === 'minimal' ? 'low' : nearest, efforts)
}

function chooseBudget({ effort, budget }: ReasoningOptions, lose: Lose): number | undefined {
  if (budget !== undefined || effort === undefined || effort === 'none') return budget
  lose('approximated', 'reasoning.effort')
  return BUDGETS[effort]
}

function leaveHowMuch({ effort, budget }: ReasoningOptions, lose: Lose): JsonObject {
  if (effort !== undefined && effort !== 'none') lose('dropped', 'reasoning.effort')
  if (budget !== undefined) lose('dropped', 'reasoning.budget')
  return {}
}
