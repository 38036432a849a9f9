import fc from 'fast-check'
import { describe } from 'vitest'
import type { Adapter } from '../../adapters/adapter.ts'
import { adapters } from '../../adapters/index.ts'

/** The same cases in every run, so that a failure is a change's fault; `VITE_SEED=2 npm test` has others. */
const seed = Number(import.meta.env['VITE_SEED'] ?? 1)

/** The laws are proven on Node; on the other runtime a tenth shows that it does not matter. */
const share = navigator.userAgent.startsWith('Node') ? 1 : 0.1

/** Checks a property; fast-check prints the seed and the smallest counterexample of a failure. */
export function always<T>(
  arbitrary: fc.Arbitrary<T>,
  law: (value: T) => void,
  numRuns = 1000,
): void {
  fc.assert(
    fc.property(arbitrary, (value) => void law(value)),
    { numRuns: numRuns * share, seed },
  )
}

export const forEachAdapter = (laws: (adapter: Adapter) => void): void => {
  for (const adapter of adapters) describe(adapter.dialect, () => laws(adapter))
}

/** Every ordered pair of different dialects: caller and upstream. */
export const forEachPair = (laws: (caller: Adapter, upstream: Adapter) => void): void => {
  for (const caller of adapters)
    for (const upstream of adapters)
      if (caller !== upstream)
        describe(`${caller.dialect} from ${upstream.dialect}`, () => laws(caller, upstream))
}

/** Fails with what differs, if anything does. */
export function fail(lines: readonly string[]): void {
  if (lines.length > 0) throw new Error(lines.join('\n'))
}
