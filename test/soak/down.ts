import { cells, play, type Tally } from '../pools/down.ts'
import { expect } from './soak.ts'

/** Of each cell, and of one whose member takes its time. */
const CALLS = 20
const SLOW_CALLS = 3
const AT_ONCE = 16

/** More than 10,000 calls while one of two members is down, in each way and in every pair. */
export async function down(): Promise<void> {
  const started = performance.now()
  const sum: Tally = { calls: 0, hops: 0, proofs: 0, foreign: 0, wrong: [] }
  // Those that take their time first, so that others run beside them.
  const left = cells.toSorted((one, other) => Number(other.fault.isSlow) - Number(one.fault.isSlow))
  const worker = async () => {
    for (let cell = left.shift(); cell; cell = left.shift()) {
      const tally = await play(cell, cell.fault.isSlow ? SLOW_CALLS : CALLS)
      sum.calls += tally.calls
      sum.hops += tally.hops
      sum.proofs += tally.proofs
      sum.foreign += tally.foreign
      sum.wrong.push(...tally.wrong)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const done = `${sum.calls} calls with one of two members down, ${sum.hops} hops, ${seconds} s`
  expect(sum.calls > 10_000, done)
  expect(
    sum.wrong.length === 0,
    `${sum.wrong.length} of them wrong ${sum.wrong.slice(0, 5).join('\n     ')}`,
  )
  expect(sum.proofs > 1000, `${sum.proofs} proofs went to the account that made them`)
  expect(sum.foreign === 0, `${sum.foreign} proofs went to another account`)
}
