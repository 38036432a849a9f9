import { isGeminiSince } from '../../src/model/gemini-model.ts'
import type { ModelFacts, Target } from '../contract.ts'

/** Whether the model takes functions beside built-in tools: as configured, or as its name tells. */
export const mixesTools = ({ model, facts }: Target): boolean =>
  facts.mixesTools ?? isGeminiSince(model, 3)

/** Whether the model is told for each medium how closely to look at it (guide: media resolution). */
export const takesLevels = ({ model }: Target): boolean => isGeminiSince(model, 3)

/**
 * The facts about the model: as configured, or else as its name tells, which says since the third generation that it
 * thinks by levels (guide: thinking). Its own callers are not corrected by guesses.
 */
export const knownBy = ({ model, facts }: Target, own: boolean): ModelFacts =>
  own || !isGeminiSince(model, 3) ? facts : { thinking: 'level', ...facts }

const SMALLEST_ALWAYS = /(?:^|\/)gemini-2\.5-pro/i

/** The smallest budget that the model takes; of the older ones all but the largest may be told not to think. */
export const leastBudget = (model: string): number => (SMALLEST_ALWAYS.test(model) ? 128 : 0)

/** Whether the model takes the lowest level, which only small ones do. */
export const takesLowest = (model: string): boolean =>
  !isGeminiSince(model, 3) || /flash/i.test(model)
