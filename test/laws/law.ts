import fc from 'fast-check'
import { describe } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { cases } from '../cases.ts'

/** Checks a property; fast-check prints the seed and the smallest counterexample of a failure. */
export function always<T>(
  arbitrary: fc.Arbitrary<T>,
  law: (value: T) => void,
  numRuns = 1000,
): void {
  fc.assert(
    fc.property(arbitrary, (value) => void law(value)),
    cases(numRuns),
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
