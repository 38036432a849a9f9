import type { Frame, Recorder, Writer } from '../../adapters/adapter.ts'
import { isObject, parse, stringify, type JsonObject } from '../canonical/json.ts'
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
  { shelf, memory, parents, fresh, memories }: Keeping,
  stop: () => void,
): Keeper {
  const { underway, retention } = memories
  let recorder: Recorder | undefined = memory.recorder(fresh, exchange.newId)
  let size = 0
  let key: string | undefined
  let interruption: Problem | undefined
  const put = async (id: string, memo: JsonObject): Promise<boolean> => {
    try {
      await keep(shelf, memory, { id, parents, memo })
      return true
    } catch {
      // Too large, or the store is down: the answer is worth more than its memory.
      return false
    }
  }
  const whole = (memo: JsonObject): JsonObject => {
    const text = stringify(memo)
    const full = exchange.body.filled(text)
    const value = full === text ? memo : parse(full, memory.verbatim)
    return isObject(value) ? value : memo
  }
  const register = (id: string, recording: Recorder) => {
    key = storeKey(shelf.owner, id)
    const cancel = async () => {
      interruption ??= CANCELLED
      const memo = whole(recording.memo(true))
      stop()
      await put(id, memo)
      return memo
    }
    underway.set(key, { id, memo: () => whole(recording.memo()), cancel })
  }
  const release = () => {
    if (key !== undefined) underway.delete(key)
    recorder = undefined
  }
  const record = (frames: readonly Frame[]) => {
    if (!recorder) return
    for (const { data } of frames) size += data.length
    // What will be too large to be kept is not gathered to its end.
    if (size > FRAMES_PER_REPLY * retention.entryBytes) return release()
    recorder.push(frames)
    if (key === undefined && recorder.id !== undefined) register(recorder.id, recorder)
  }
  exchange.journal.whenOver(release)
  return {
    listen: (writer) => ({
      body: () => writer.body(),
      push(event) {
        const frames = writer.push(event)
        record(frames)
        return frames
      },
    }),
    get interruption() {
      return interruption
    },
    settle() {
      const recorded = recorder
      release()
      if (interruption) return Promise.resolve(true)
      const id = recorded?.id
      return recorded && id !== undefined ? put(id, recorded.memo()) : Promise.resolve(false)
    },
  }
}

/** The frames of a reply say more than once what is kept once. */
const FRAMES_PER_REPLY = 4
