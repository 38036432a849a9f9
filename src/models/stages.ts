/** The stages of a model's life, as services tell them. */
export const STAGES = ['active', 'deprecated', 'retired'] as const

/** The stage at a moment of a model that ends on a day. */
export function stageOf(ends: string | undefined, nowMs: number): (typeof STAGES)[number] {
  if (ends === undefined) return 'active'
  return Date.parse(ends) <= nowMs ? 'retired' : 'deprecated'
}
