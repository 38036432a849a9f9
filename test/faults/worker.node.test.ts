import { afterAll, beforeAll, describe, it } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { cellsOf, play, type Cell, type Fault } from './cell.ts'
import { contentFaults } from './faults-content.ts'
import { transportFaults } from './faults-transport.ts'
import { BAD, BYTES, WHOLE } from './outcome.ts'
import type { Stage } from './stage.ts'
import { openWorkerStage } from './worker-stage.ts'

/** The same faults over the same sockets, with the Worker in its own runtime between them. */

let stage: Stage
beforeAll(async () => {
  stage = await openWorkerStage()
}, 60_000)
afterAll(() => stage.close())

/** What the platform does otherwise, and what then holds. */
const OTHERWISE = new Map<string, Pick<Fault, 'stream' | 'body'>>([
  // It does not tell that there was no connection, so the request may have been carried out.
  ['F5 no connection: refusing-', { stream: BAD, body: BAD }],
  // The first heartbeat comes before the time is over.
  ['F9 trickles from the start', { stream: BYTES }],
  ['F14 deflate', { stream: BAD, body: BAD }],
  // A coding that it does not know it leaves alone; what came was as plain as ever.
  ['F14 zstd', { stream: WHOLE, body: WHOLE }],
  ['F14 unknown coding', { stream: WHOLE, body: WHOLE }],
  ['F15 chain of codings', { stream: WHOLE, body: WHOLE }],
  // It takes more headers than Node does, and what is behind them is none of the dialect.
  ['F18 a header of 20 KiB', { stream: BAD }],
  ['F18 3,000 headers', { stream: BAD }],
  ['F28 status 100 first', { stream: WHOLE, body: WHOLE }],
])

/** A caller who leaves is noticed when something is written to it: not before the head, and not in a body. */
const UNSEEN = /^F1 |^F2 |^F4 .* half a body/
/** Name servers and addresses that answer nobody are the platform's. */
const NOT_OURS = /^F5 .*(?:nowhere|hanging)/

const faults = [...transportFaults, ...contentFaults]
  .filter(({ name }) => !UNSEEN.test(name) && !NOT_OURS.test(name))
  .map((fault): Fault => {
    const other = OTHERWISE.get(fault.name)
    if (!other) return fault
    const { stream: _, body: __, passed: ___, ...rest } = fault
    return { ...rest, ...other }
  })

/** What is written to a caller while its upstream says nothing but comments is a heartbeat, if there is one. */
const isSeen = ({ fault, caller }: Cell): boolean =>
  !fault.leave || dialects.of(caller.dialect)?.caller.heartbeat !== undefined

/** So many faults are played at once; what failed then is played again alone, so many times. */
const AT_ONCE = 5
const AGAIN = 5

/** The cells of each fault that failed while others were played. */
const failed = new Map<Fault, Cell[]>()

async function playAll(fault: Fault): Promise<void> {
  const cells = cellsOf(fault).filter(isSeen)
  const wrong = await Promise.all(cells.map((cell) => play(stage, cell)))
  failed.set(
    fault,
    cells.filter((_, at) => wrong[at]?.length !== 0),
  )
}

describe('the Worker, before an upstream that fails', () => {
  beforeAll(async () => {
    const left = [...faults]
    const row = async () => {
      for (let fault = left.shift(); fault; fault = left.shift()) await playAll(fault)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, row))
  }, 600_000)

  it.each(faults.map((fault) => [fault.name, fault] as const))('%s', async (_, fault) => {
    const cells = failed.get(fault)
    if (!cells) throw new Error('it was not played')
    const lines: string[] = []
    for (const cell of cells) {
      // On a busy machine the first heartbeat may be due before the answer is there, and the few moments of a hasty
      // upstream may be over before it is reached.
      let last = await play(stage, cell)
      for (let count = 1; count < AGAIN && last.length > 0; count += 1)
        last = await play(stage, cell)
      lines.push(...last)
    }
    if (lines.length > 0) throw new Error(lines.map((line) => `\n${line}`).join(''))
  })
})
