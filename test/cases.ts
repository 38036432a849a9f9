/** The same cases in every run, so that a failure is a change's fault; `npm run properties` draws others. */
const seed = Number(import.meta.env['VITE_SEED'] ?? 1)

/** Whether the cases are new ones. Those that every run tries alike have been tried before: fewer of them do. */
const isDrawn = import.meta.env['VITE_SEED'] !== undefined

const isNode = navigator.userAgent.startsWith('Node')

/** The laws are proven on Node; on the other runtime a tenth shows that it does not matter. */
const share = isNode && isDrawn ? 1 : isNode ? 0.4 : 0.1

/** A busy machine tries fewer; nothing fails for having taken long. */
const LONGEST_MS = 20_000

interface Cases {
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
