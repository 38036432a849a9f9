import type { Writer } from '../../adapters/adapter.ts'
import type { JsonObject } from '../canonical/json.ts'
import type { Problem } from '../canonical/problem.ts'
import type { Exchange } from './exchange.ts'
import { CANCELLED } from './failures.ts'
import { keep } from './memories.ts'
import type { Keeping } from './recall.ts'
import { storeKey } from './store.ts'

/** Keeps one exchange while its reply is written. */
export interface Keeper {
  /** The same writer, listened to. */
  listen(writer: Writer): Writer
  /** Why the reply is broken off from outside, once it is. */
  readonly interruption: Problem | undefined
  /** Keeps the whole exchange; false when that could not be done. The reply is nobody's to stop any more. */
  settle(): Promise<boolean>
}

/** `stop`: ends the reply that is underway. */
export function keeperOf(
  exchange: Exchange,
  { shelf, memory, parents, fresh, underway }: Keeping,
  stop: () => void,
): Keeper {
  const recorder = memory.recorder(fresh, exchange.newId)
  let key: string | undefined
  let interruption: Problem | undefined
  const put = async (memo: JsonObject): Promise<boolean> => {
    const { id } = recorder
    if (id === undefined) return false
    try {
      await keep(shelf, memory, { id, parents, memo })
      return true
    } catch {
      // Too large, or the store is down: the answer is worth more than its memory.
      return false
    }
  }
  const cancel = async () => {
    interruption ??= CANCELLED
    const memo = recorder.memo(true)
    stop()
    await put(memo)
    return memo
  }
  const register = () => {
    const { id } = recorder
    if (key !== undefined || id === undefined) return
    key = storeKey(shelf.owner, id)
    underway.set(key, { id, memo: () => recorder.memo(), cancel })
  }
  const release = () => {
    if (key !== undefined) underway.delete(key)
  }
  exchange.journal.whenOver(release)
  return {
    listen: (writer) => ({
      body: () => writer.body(),
      push(event) {
        const frames = writer.push(event)
        recorder.push(frames)
        register()
        return frames
      },
    }),
    get interruption() {
      return interruption
    },
    settle() {
      release()
      return interruption ? Promise.resolve(true) : put(recorder.memo())
    },
  }
}
