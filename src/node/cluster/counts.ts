import type { Worker } from 'node:cluster'
import { sendTo, type ToPrimary } from './messages.ts'
import { type Counted, leftBy, summed } from './sums.ts'

/** A process that does not answer in this time is counted as it was last heard of. */
const PATIENCE_MS = 1000

type Asked = Extract<ToPrimary, { kind: 'count' | 'counted' }>

/** Lets any of the processes know what the others have counted, and what those had that are gone. */
export function createCounts(listening: ReadonlySet<Worker>) {
  const last = new Map<Worker, Counted>()
  const waiting = new Map<number, () => void>()
  let asked = 0
  let left: Counted | undefined

  const counted = (worker: Worker): Promise<void> =>
    new Promise((resolve) => {
      asked += 1
      const id = asked
      const over = () => {
        clearTimeout(clock)
        waiting.delete(id)
        resolve()
      }
      const clock = setTimeout(over, PATIENCE_MS)
      waiting.set(id, over)
      sendTo(worker, { kind: 'count', id })
    })
  const gather = async (asking: Worker, id: number): Promise<void> => {
    const others = [...listening].filter((worker) => worker !== asking)
    // The one that asks is heard too: what it has counted now is told, and may never fall.
    await Promise.all([...listening].map(counted))
    const known = [...others.map((worker) => last.get(worker)), left]
    sendTo(asking, { kind: 'counted', id, others: known.filter((each) => each !== undefined) })
  }
  return {
    hear(worker: Worker, message: Asked): void {
      if (message.kind === 'count') return void gather(worker, message.id)
      last.set(worker, message.own)
      waiting.get(message.id)?.()
    },
    leave(worker: Worker): void {
      const counts = last.get(worker)
      last.delete(worker)
      if (counts) left = summed(left ? [left, leftBy(counts)] : [leftBy(counts)])
    },
  }
}
