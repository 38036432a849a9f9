import type { Target } from '../contract.ts'

const GEMINI = /(?:^|\/)gemini-(\d+)/i

const isSince = (model: string, generation: number): boolean =>
  Number(GEMINI.exec(model)?.[1] ?? 0) >= generation

/** Whether the model takes functions beside built-in tools: as configured, or as its name tells. */
export const mixesTools = ({ model, facts }: Target): boolean =>
  facts.mixesTools ?? isSince(model, 3)

/** Whether the model refuses a first call without a proof or the stand-in for one (guide: thought signatures). */
export const wantsProvenCalls = ({ model, facts }: Pick<Target, 'model' | 'facts'>): boolean =>
  facts.thinking === undefined ? isSince(model, 3) : facts.thinking === 'level'

/** Whether the model is told for each medium how closely to look at it (guide: media resolution). */
export const takesLevels = ({ model }: Target): boolean => isSince(model, 3)
