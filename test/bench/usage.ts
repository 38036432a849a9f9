import { readdirSync, readFileSync } from 'node:fs'

/** What a process has used, as Linux tells it; undefined elsewhere and of processes that are gone. */

const NANOSECONDS_PER_MS = 1e6

/** Milliseconds on a processor, of all threads. */
export function cpuMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  try {
    const folder = `/proc/${pid}/task`
    const threads = readdirSync(folder).map((thread) => threadNanoseconds(`${folder}/${thread}`))
    return threads.reduce((sum, time) => sum + time, 0) / NANOSECONDS_PER_MS
  } catch {
    return undefined
  }
}

/** A thread may end between being listed and being read. */
function threadNanoseconds(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'latin1').split(' ')[0])
  } catch {
    return 0
  }
}

/** KiB of a process that are in memory. */
export function residentKib(pid: number | undefined): number | undefined {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s+(\d+)/m.exec(lines)?.[1])
  } catch {
    return undefined
  }
}
