import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { RECALL_BYTES } from '../../src/config/defaults.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { isSameMemory } from '../../src/workers/same-bytes.ts'
import { cases } from '../cases.ts'
import { anyStep } from './edits.ts'
import { anyBase, Player } from './player.ts'
import { twins } from './twins.ts'

const RUNS = 6
/** Bodies of tests are small. */
const OPTIONS = { bytes: RECALL_BYTES.isolate, leastBytes: 256, isSame: isSameMemory }

describe.each(DIALECTS)('the sessions of %s in an isolate', (caller) => {
  const others = DIALECTS.filter((dialect) => dialect !== caller)
  it.each([
    ['translated', others],
    ['passed', [caller]],
  ])('are answered as if nothing was remembered: %s', async (_, upstreams) => {
    let known = 0
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(anyBase, anyBase),
        fc.array(anyStep, { minLength: 3, maxLength: 20 }),
        async (bases, steps) => {
          // Another isolate goes on where this one stops.
          for (const part of [steps, steps]) {
            const both = twins({ recall: createRecall(OPTIONS) })
            const player = new Player(both, caller, upstreams, bases)
            for (const step of part) await player.play(step)
            known += both.known()
          }
        },
      ),
      cases(RUNS),
    )
    expect(known).toBeGreaterThan(RUNS)
  })
})
