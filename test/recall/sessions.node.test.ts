import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { cases } from '../cases.ts'
import { anyStep } from './edits.ts'
import { anyBase, Player } from './player.ts'
import { twins } from './twins.ts'

const isDrawn = import.meta.env['VITE_SEED'] !== undefined
/** Of which `cases` plays two fifths. New ones make some 77,000 exchanges. */
const RUNS = isDrawn ? 375 : 8
const MOST_STEPS = 20

/** So little that what is kept is soon forgotten. */
const SCARCE_BYTES = 90_000

describe.each(DIALECTS)('the sessions of %s', (caller) => {
  const others = DIALECTS.filter((dialect) => dialect !== caller)
  it.each([
    ['translated', others, {}],
    ['passed', [caller], {}],
    ['now this, now that', DIALECTS, { bytes: SCARCE_BYTES }],
    ['within narrow limits', DIALECTS, { limits: { depth: 12, nodes: 900 } }],
  ] as const)('are answered as if nothing was remembered: %s', async (_, upstreams, options) => {
    let [runs, known, fresh, first] = [0, 0, 0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(anyBase, anyBase),
        fc.array(anyStep, { minLength: 3, maxLength: MOST_STEPS }),
        async (bases, steps) => {
          const both = twins(options)
          const player = new Player(both, caller, upstreams, bases)
          for (const step of steps) await player.play(step)
          runs += 1
          known += both.known()
          fresh += both.fresh()
          first += both.first()
        },
      ),
      cases(RUNS),
    )
    expect(known).toBeGreaterThan(runs)
    expect(fresh).toBeGreaterThan(0)
    // The path names the model, so a body that passes need not be understood.
    const isInPath = caller === 'generate-content'
    if (!isInPath) expect(first).toBe(0)
    else if (upstreams.length === 1) expect(first).toBeGreaterThan(0)
  })
})
