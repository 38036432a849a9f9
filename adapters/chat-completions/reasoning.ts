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

/** The settings of thinking that only this dialect has. They are left over. */
function unread(nested: JsonObject, thinking: JsonObject): JsonObject {
  const { effort: _, max_tokens: __, enabled: ___, exclude: ____, ...reasoning } = nested
  const { type: _type, budget_tokens: _budget, ...rest } = thinking
  return { ...reasoning, ...rest }
}

const leftFor = (wire: Wire, given: readonly (keyof Wire)[]): JsonObject =>
  Object.fromEntries(
    given.flatMap((key) => (wire[key] === undefined ? [] : [[key, wire[key] ?? null]])),
  )

export const toEffort = (word: string): Effort | undefined =>
  word === 'none' || isEffort(word) ? word : undefined

/**
 * Inverse of `readReasoning`. It writes the two members that say everything between them, although no server takes
 * both: fitting puts it in the server's own words (`sayReasoning`). Only the detail of shown thoughts has no word.
 */
export function writeReasoning(
  reasoning: ReasoningOptions | undefined,
  { own: isOwn, lose }: { readonly own: boolean; readonly lose: Lose },
): JsonObject {
  if (!reasoning) return {}
  const { words } = factsOf(reasoning)
  if (isOwn && words) return words
  const { mode, effort, budget, visible, detail } = reasoning
  if (detail !== undefined && detail !== 'auto') lose('dropped', 'reasoning.detail')
  const types = { on: 'enabled', off: 'disabled', adaptive: 'adaptive' } as const
  return {
    reasoning: {
      ...(effort !== undefined && { effort }),
      ...(budget !== undefined && { max_tokens: budget }),
      ...(visible === false && { exclude: true }),
    },
    thinking: { type: types[mode] },
  }
}

type Style = NonNullable<ServerFacts['reasoningStyle']>

const isSaid = (value: Json | undefined): boolean => value !== undefined && value !== null

/** Whether a body says anything of thinking. */
export function asksToThink(body: JsonObject): boolean {
  for (const member of THINKING_MEMBERS) if ((body[member] ?? null) !== null) return true
  return false
}

/** The members by which a server is asked, per style. */
const ASKED_BY: Record<Style, readonly string[]> = {
  openai: ['reasoning_effort'],
  thinking: ['thinking'],
  enable_thinking: ['enable_thinking'],
  template: ['chat_template_kwargs', 'reasoning_effort'],
  openrouter: ['reasoning'],
  together: ['reasoning'],
  none: [],
}

/** Whether a body asks in a member that the server knows, and was not written by `writeReasoning`. */
export const isSaidIn = (style: Style, body: JsonObject): boolean =>
  !(isSaid(body['reasoning']) && isSaid(body['thinking'])) &&
  ASKED_BY[style].some((member) => isSaid(body[member]))

/** The styles in which an effort is a word. */
const BY_WORD = new Set<Style>(['openai', 'thinking', 'template', 'openrouter'])
export const takesEfforts = (style: Style): boolean => BY_WORD.has(style)

/** Asks for thinking in the words of a server. */
export function sayReasoning(
  reasoning: ReasoningOptions,
  style: Style,
  { efforts }: KnownFacts,
  lose: Lose,
): JsonObject {
  if (style === 'none') return lose('dropped', 'reasoning') ?? {}
  const isOff = reasoning.mode === 'off' || reasoning.effort === 'none'
  // Of these servers only OpenRouter can be told not to show thoughts.
  if (reasoning.visible === false && reasoning.mode !== 'off' && style !== 'openrouter')
    lose('dropped', 'reasoning.visible')
  // Other dialects take an effort without thoughts. Here the effort is that of thinking, so it is dropped with it.
  if (isOff) leaveHowMuch(reasoning, lose)
  const written = isOff ? writeOff(style, efforts, lose) : writeOn(reasoning, style, efforts, lose)
  return { ...written, ...restOf(reasoning) }
}

/** Where thinking is switched off by an effort, a model that has no such effort is told the least. */
function writeOff(
  style: SaidStyle,
  efforts: readonly Effort[] | undefined,
  lose: Lose,
): JsonObject {
  if (style !== 'openai' || !efforts || efforts.includes('none')) return OFF[style]
  lose('approximated', 'reasoning.mode', `the model takes ${efforts.join(', ') || 'no effort'}`)
  const least = nearestTo('none', efforts)
  return least ? { reasoning_effort: least } : {}
}

type SaidStyle = Exclude<Style, 'none'>

const OFF: Record<SaidStyle, JsonObject> = {
  openai: { reasoning_effort: 'none' },
  thinking: { thinking: { type: 'disabled' } },
  enable_thinking: { enable_thinking: false },
  template: { chat_template_kwargs: { enable_thinking: false } },
  openrouter: { reasoning: { enabled: false } },
  together: { reasoning: { enabled: false } },
}

function writeOn(
  reasoning: ReasoningOptions,
  style: SaidStyle,
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
    case 'template': {
      // Templates that know no effort do not read it.
      const { effort, budget } = reasoning
      if (budget !== undefined) lose('dropped', 'reasoning.budget')
      return {
        chat_template_kwargs: { enable_thinking: true },
        ...(effort !== undefined && { reasoning_effort: effort }),
      }
    }
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
