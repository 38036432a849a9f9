import { isGeminiSince } from '../../src/model/gemini-model.ts'
import type { Target } from '../contract.ts'

/** Whether the model takes functions beside built-in tools: as configured, or as its name tells. */
export const mixesTools = ({ model, facts }: Target): boolean =>
  facts.mixesTools ?? isGeminiSince(model, 3)

/** Whether the model is told for each medium how closely to look at it (guide: media resolution). */
export const takesLevels = ({ model }: Target): boolean => isGeminiSince(model, 3)
