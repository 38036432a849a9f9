import fc from 'fast-check'
import { describe } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { cases, type Cases } from '../cases.ts'

/** The values of an arbitrary are the same for each dialect and pair: they are made once. */
const made = new WeakMap<object, Map<number, readonly unknown[]>>()

function valuesOf<T>(arbitrary: fc.Arbitrary<T>, parameters: Cases): readonly T[] {
  const known = made.get(arbitrary) ?? new Map<number, readonly unknown[]>()
  made.set(arbitrary, known)
  const values = known.get(parameters.numRuns) ?? fc.sample(arbitrary, parameters)
  known.set(parameters.numRuns, values)
  return values as readonly T[]
}

/** Checks a property; fast-check prints the seed and the smallest counterexample of a failure. */
export function always<T>(
  arbitrary: fc.Arbitrary<T>,
  law: (value: T) => void,
  numRuns = 1000,
): void {
  const { interruptAfterTimeLimit = Infinity, ...parameters } = cases(numRuns)
  const until = performance.now() + interruptAfterTimeLimit
  try {
    for (const value of valuesOf(arbitrary, parameters)) {
      law(value)
      if (performance.now() > until) return
    }
  } catch (failure) {
    fc.assert(
      fc.property(arbitrary, (value) => void law(value)),
      parameters,
    )
    // It holds for the same values made anew: another law has changed them.
    throw failure
  }
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
