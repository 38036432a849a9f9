import type { ModelFacts, Target } from '../contract.ts'

type Family = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos'
type Since = Readonly<Partial<Record<Family, readonly [number, number]>>>

/** The models that take instructions in the middle of a conversation (docs: mid-conversation system messages). */
const INSTRUCTED: Since = {
  opus: [4, 8],
  sonnet: [5, 5],
  haiku: [5, 5],
  fable: [5, 0],
  mythos: [0, 0],
}
/** The models that search for tools (docs: tool search). */
const SEARCHING: Since = {
  opus: [4, 5],
  sonnet: [4, 5],
  haiku: [4, 5],
  fable: [5, 0],
  mythos: [0, 0],
}

/**
 * The models that decide themselves how much to think: they refuse a budget, and sampling of any kind (guide: migrating
 * to Opus 4.7).
 */
const ADAPTIVE: Since = {
  opus: [4, 7],
  sonnet: [5, 0],
  haiku: [5, 0],
  fable: [5, 0],
  mythos: [0, 0],
}
/** The models that refuse to continue their own words (guide: prefill). They are also the first that take `adaptive`. */
const WITHOUT_PREFILL: Since = { ...ADAPTIVE, opus: [4, 6], sonnet: [4, 6] }
/** Since when a tool may be forced while the model may think; the first adaptive ones refuse that (langchain-aws#1141). */
const FORCED_WHILE_THINKING: Since = { ...ADAPTIVE, opus: [4, 8] }
/** The models that cannot be told not to think. */
const ALWAYS_THINKING: Since = { fable: [5, 0] }

/** The models with a fast mode, and those that have it without its beta (guide: platform availability). */
const FAST: Since = { opus: [4, 8] }
const FAST_FOR_ALL: Since = { opus: [5, 5] }
const FAST_BETA = 'fast-mode-2026-02-01'

/**
 * The models with a tool for a screen (guide: platform availability), those with a newer version of it, and those with
 * a set in its place.
 */
const SCREENS: Since = {
  opus: [4, 0],
  sonnet: [4, 0],
  haiku: [4, 5],
  fable: [5, 0],
  mythos: [0, 0],
}
const NEWER_SCREENS: Since = { ...SCREENS, opus: [4, 5], sonnet: [4, 6], haiku: [5, 0] }
const SETS: Since = { opus: [5, 5], sonnet: [5, 5], fable: [5, 2], mythos: [5, 2] }

const CLAUDE =
  /claude-(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?!\d))?(?:[-.](\d{1,2})(?!\d))?/i

function isSince(model: string, since: Since): boolean {
  const [, family, major = 0, minor = 0] = CLAUDE.exec(model) ?? []
  const row = Object.entries(since).find(([name]) => name === family?.toLowerCase())?.[1]
  if (!row) return false
  return Number(major) > row[0] || (Number(major) === row[0] && Number(minor) >= row[1])
}

/** Settings of a foreign caller that the model refuses. */
export interface RefusedSettings {
  readonly sampling: boolean
  /** That it shall not think. */
  readonly off: boolean
  /** That it shall think although a tool is forced. */
  readonly forced: boolean
}

/** The facts about the model: as configured, or else as its name tells. Its own callers are not corrected by guesses. */
export function knownBy(
  { model, facts }: Target,
  own: boolean,
): ModelFacts & { refused: RefusedSettings } {
  const isAdaptive = !own && facts.thinking !== 'budget' && isSince(model, ADAPTIVE)
  return {
    ...(isAdaptive && { thinking: 'adaptive' }),
    ...(!own && needsBudget(model) && { thinking: 'budget' }),
    ...(!own && isSince(model, WITHOUT_PREFILL) && { prefill: false }),
    ...facts,
    refused: {
      sampling: isAdaptive,
      off: isAdaptive && isSince(model, ALWAYS_THINKING),
      forced: isAdaptive && !isSince(model, FORCED_WHILE_THINKING),
    },
  }
}

/** Whether the model cannot be left to decide how much to think (guide: adaptive thinking). */
const needsBudget = (model: string): boolean =>
  /claude-(?:[a-z]+-)?\d/i.test(model) && !isSince(model, WITHOUT_PREFILL)

/** Names of other platforms say so: `anthropic.claude-…`, `claude-…@…`; there a tool comes by its name alone. */
const OWN_PLATFORM = /^claude-[^@]*$/i

/** What the model takes, as configured or as its name tells. */
export interface Takes {
  /** Instructions in the middle of a conversation. */
  readonly system: boolean
  /** A change of tools there: with the whole tool, or by its name. */
  readonly changes: 'whole' | 'named' | 'none'
  /** Tools that a search finds later. */
  readonly deferred: boolean
}

/** The betas that the model's fast mode needs; undefined where it has none, as on other platforms. */
export function fastBetas({ model, facts }: Target): readonly string[] | undefined {
  if (facts.server || !OWN_PLATFORM.test(model) || !isSince(model, FAST)) return undefined
  return isSince(model, FAST_FOR_ALL) ? [] : [FAST_BETA]
}

/** The type of the model's tool for a screen, and its beta; none where it has no such tool. */
export function screenTypes({ model, facts }: Target): readonly string[] {
  const isServed = facts.server?.hostedTools !== false && OWN_PLATFORM.test(model)
  if (!(facts.computer ?? (isServed && isSince(model, SCREENS)))) return []
  if (isSince(model, SETS)) return ['computer_toolset_20260801']
  return isSince(model, NEWER_SCREENS)
    ? ['computer_20251124', 'computer-use-2025-11-24']
    : ['computer_20250124', 'computer-use-2025-01-24']
}

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { system: true, changes: 'whole', deferred: true }

export function takenBy({ model, facts }: Target, own: boolean): Takes {
  if (own) return EVERYTHING
  const { server } = facts
  const system = facts.systemInPlace ?? (!server?.systemFirst && isSince(model, INSTRUCTED))
  const isServed = server?.hostedTools !== false
  const deferred = facts.deferredTools ?? (isServed && isSince(model, SEARCHING))
  const whole = facts.lateTools ?? (isServed && OWN_PLATFORM.test(model))
  const named = facts.lateTools !== false && deferred
  return {
    system,
    deferred,
    changes: !system ? 'none' : whole ? 'whole' : named ? 'named' : 'none',
  }
}
