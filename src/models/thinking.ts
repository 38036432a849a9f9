import { EFFORTS } from '../rules/effort.ts'
import type { Lose } from '../model/loss.ts'
import type { Effort, ReasoningOptions } from '../model/request.ts'
import type { KnownFacts } from './facts.ts'

/** What a request is fitted to. */
export interface Fit {
  readonly facts: KnownFacts
  /** The model's name, for the words of a loss. */
  readonly model: string
  readonly lose: Lose
}

/** Of the efforts that are taken the least that is not below the wanted one, or else the greatest: some thinking stays some. */
export function nearestTo(
  wanted: Effort,
  taken: readonly Effort[] | undefined,
): Effort | undefined {
  if (!taken) return wanted
  const some = EFFORTS.filter((effort) => effort !== 'none' && taken.includes(effort))
  const least = EFFORTS.indexOf(wanted)
  return some.find((effort) => EFFORTS.indexOf(effort) >= least) ?? some.at(-1)
}

/** How the model shall think, as far as it can be told so. */
export function fitReasoning(
  asked: ReasoningOptions | undefined,
  about: Fit,
): ReasoningOptions | undefined {
  if (!asked) return undefined
  const isOff = asked.mode === 'off' || asked.effort === 'none'
  if (about.facts.thinking === 'none') {
    if (!isOff) about.lose('dropped', 'reasoning', `${about.model} does not think`)
    return undefined
  }
  return isOff ? switchedOff(asked, about) : switchedOn(asked, about)
}

const listed = (efforts: readonly Effort[] = []): string => efforts.join(', ')

/** Not to think; or, for a model that always does, as little as it can. */
function switchedOff(asked: ReasoningOptions, about: Fit): ReasoningOptions | undefined {
  const { facts, model, lose } = about
  const { efforts, thinkingOff, budget: budgets } = facts
  if (thinkingOff === 'between_tools')
    lose('approximated', 'reasoning.mode', `${model} still thinks before its answer`)
  if (thinkingOff !== false) return besideOff(asked, about)
  const { budget: _, visible: __, effort: ___, ...rest } = asked
  const least = nearestTo('none', efforts)
  const takes = least ? `; it takes ${listed(efforts)}` : ''
  lose('approximated', 'reasoning.mode', `${model} always thinks${takes}`)
  if (efforts && least) return { ...rest, mode: 'on', effort: least }
  if (efforts) return undefined
  return budgets
    ? { ...rest, mode: 'on', budget: budgets[0] }
    : { ...rest, mode: 'on', effort: 'low' }
}

/** Some take an effort while they do not think, for how much they say; some take no high one then. */
function besideOff(asked: ReasoningOptions, about: Fit): ReasoningOptions {
  const { effort } = asked
  const { offUpTo, efforts } = about.facts
  if (effort === undefined || effort === 'none') return asked
  const { effort: _, ...rest } = asked
  const isBeyond = offUpTo !== undefined && EFFORTS.indexOf(effort) > EFFORTS.indexOf(offUpTo)
  const fit = nearestTo(isBeyond ? offUpTo : effort, efforts)
  return fit === effort ? asked : { ...rest, ...reportEffort(fit, effort, about) }
}

function switchedOn(asked: ReasoningOptions, about: Fit): ReasoningOptions {
  const { effort, budget } = asked
  if (effort === undefined) return asked
  const fit = nearestTo(effort, about.facts.efforts)
  // A model that takes a number of tokens and no level gets the level's number.
  const isWorth = fit === undefined && about.facts.thinking === 'budget' && budget === undefined
  if (fit === effort || isWorth) return asked
  const { effort: _, ...rest } = asked
  return { ...rest, ...reportEffort(fit, effort, about) }
}

/** Reports that another effort is said, or none. */
function reportEffort(fit: Effort | undefined, wanted: Effort, { facts, model, lose }: Fit) {
  if (fit === undefined) return lose('dropped', 'reasoning.effort', `${model} takes none`) ?? {}
  if (fit !== wanted)
    lose('approximated', 'reasoning.effort', `${model} takes ${listed(facts.efforts)}`)
  return { effort: fit }
}
