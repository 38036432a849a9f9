/** The same cases in every run, so that a failure is a change's fault; `npm run properties` draws others. */
const seed = Number(import.meta.env['VITE_SEED'] ?? 1)

/** The laws are proven on Node; on the other runtime a tenth shows that it does not matter. */
const share = navigator.userAgent.startsWith('Node') ? 1 : 0.1

/** How many cases a property is tried with, and which. */
export const cases = (numRuns: number): { numRuns: number; seed: number } => ({
  numRuns: Math.ceil(numRuns * share),
  seed,
})
