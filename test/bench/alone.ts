import { type Side, startSide } from './processes.ts'
import { median } from './statistics.ts'

/**
 * The same exchanges with an option and without, and without a socket: only the option differs. Each side is a process
 * of its own, because an engine that has seen both in one is slower for both.
 */

/** Many short slices: what else the machine does falls on both of a pair, or on few pairs. */
const ROUNDS = 35
const SLICE_MS = 25
/** Until then the engine still compiles, and compiles more where there is more code. */
const WARM_MS = 2500
/** Two processes of the same do not take exactly the same. */
const GENERATIONS = 3

/** What is switched on: the page, a second upstream behind the model, or callers with names and limits. */
export type Option = 'page' | 'pool' | 'callers'

/** What a side is asked to do: so many exchanges of a kind. */
export interface SideJob {
  traffic: number
  count: number
}

export interface Alone {
  name: string
  /** Microseconds for an exchange without the option, and how many more with it. */
  without: number
  more: number
  /** With it in proportion to without it, pair by pair. */
  ratio: number
}

interface Times {
  off: number[]
  on: number[]
}

/** What an option costs for each kind of traffic: the middle of pairs of slices, one with it and one without. */
export async function measureAlone(option: Option): Promise<Alone[]> {
  const all = new Map<string, Times>()
  for (let generation = 0; generation < GENERATIONS; generation += 1) {
    const plain = await startSide('without')
    const changed = await startSide(option)
    try {
      for (const [traffic, name] of plain.names.entries()) {
        const times = all.get(name) ?? { off: [], on: [] }
        all.set(name, times)
        await compare(plain, changed, traffic, times)
      }
    } finally {
      plain.stop()
      changed.stop()
    }
  }
  return [...all].map(([name, times]) => summed(name, times))
}

async function compare(plain: Side, changed: Side, traffic: number, times: Times): Promise<void> {
  for (const side of [plain, changed]) await side.run({ traffic, count: 400 })
  const once = await plain.run({ traffic, count: 50 })
  const job = { traffic, count: Math.max(5, Math.round((SLICE_MS * 1000) / once)) }
  const warm = { traffic, count: Math.round((WARM_MS / SLICE_MS) * job.count) }
  for (const side of [plain, changed]) await side.run(warm)
  for (let round = 0; round < ROUNDS; round += 1) {
    const isPlainFirst = round % 2 === 0
    const [first, second] = isPlainFirst ? [plain, changed] : [changed, plain]
    const before = await first.run(job)
    const after = await second.run(job)
    times.off.push(isPlainFirst ? before : after)
    times.on.push(isPlainFirst ? after : before)
  }
}

function summed(name: string, { off, on }: Times): Alone {
  const pairs = off.map((without, round) => ({ without, with: on[round] ?? Number.NaN }))
  return {
    name,
    without: median(off),
    more: median(pairs.map((pair) => pair.with - pair.without)),
    ratio: median(pairs.map((pair) => pair.with / pair.without)),
  }
}
