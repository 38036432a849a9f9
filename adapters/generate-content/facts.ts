import type { Target } from '../contract.ts'

const GEMINI = /(?:^|\/)gemini-(\d+)/i
/** The first generation that takes functions and built-in tools in one request. */
const MIXING = 3

/** Whether the model takes functions beside built-in tools: as configured, or as its name tells. */
export function mixesTools({ model, facts }: Target): boolean {
  return facts.mixesTools ?? Number(GEMINI.exec(model)?.[1] ?? 0) >= MIXING
}
