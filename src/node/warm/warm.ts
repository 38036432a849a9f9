import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../../config/settings.ts'
import type { Ports, Send } from '../../ports.ts'

/** Those who wait for the process to listen are served first. */
const BEGIN_MS = 100
/** For so long at a time, and with so long a rest, so that a real request is read meanwhile. */
const SLICE_MS = 4
const REST_MS = 1
/** While real exchanges are open, they are what counts; with them all the time the process gets warm by itself. */
const BUSY_MS = 20
const MOST_MS = 60_000
/** More end so late that they meet the first real ones, and take memory and time for code that those make anew. */
const EXCHANGES = 300

export interface WarmUpOptions {
  settings: Settings
  /** Ports without log, counts and store. */
  portsWith(send: Send): Ports
  /** Whether real exchanges are open. */
  isBusy(): boolean
  /** With one, compiling takes the time of serving. */
  cores?: number
}

/**
 * Runs exchanges of its own while no real ones are open: the first ones of a process take several times what
 * later ones do, because the engine compiles what is called often, and not before.
 */
export function warmUp(options: WarmUpOptions): { stop(): Promise<void> } {
  const { cores = availableParallelism() } = options
  const ending = new AbortController()
  // A machine on which that cannot be is served as it was before there was any of this.
  const over = cores > 1 ? run(options, ending.signal).catch(() => undefined) : Promise.resolve()
  return {
    stop() {
      ending.abort()
      return over
    },
  }
}

async function run(
  { settings, portsWith, isBusy }: WarmUpOptions,
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal })
  await pause(BEGIN_MS)
  const { openStage } = await import('./stage.ts')
  const { exchanges, close } = await openStage(settings, portsWith)
  const end = performance.now() + MOST_MS
  const isOver = () => signal.aborted || performance.now() > end
  try {
    let sliceEnd = 0
    for (let count = 0; count < EXCHANGES && !isOver(); count += 1) {
      while ((performance.now() > sliceEnd || isBusy()) && !isOver()) {
        await pause(isBusy() ? BUSY_MS : REST_MS)
        sliceEnd = performance.now() + SLICE_MS
      }
      await exchanges[count % exchanges.length]?.()
    }
  } finally {
    await close()
  }
}
