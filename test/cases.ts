/** The same cases in every run, so that a failure is a change's fault; `npm run properties` draws others. */
const seed = Number(import.meta.env['VITE_SEED'] ?? 1)

/** Whether the cases are new ones. */
const isDrawn = import.meta.env['VITE_SEED'] !== undefined

/**
 * The laws are proven on Node; on the other runtime a quarter of that shows that it does not matter. Who has time for
 * more cases draws them again and again, with another seed each time.
 */
const share = navigator.userAgent.startsWith('Node') ? 0.4 : 0.1

/** A busy machine tries fewer; nothing fails for having taken long. */
const LONGEST_MS = 20_000

export interface Cases {
  numRuns: number
  seed: number
  interruptAfterTimeLimit?: number
}

/** How many cases a property is tried with, and which. */
export const cases = (numRuns: number): Cases => ({
  numRuns: Math.ceil(numRuns * share),
  seed,
  ...(isDrawn && { interruptAfterTimeLimit: LONGEST_MS }),
})
