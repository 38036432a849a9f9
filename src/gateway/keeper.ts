import type { Frame, Memo, Recorder, Writer } from '../../adapters/adapter.ts'
import type { JsonObject } from '../canonical/json.ts'
import type { Problem } from '../canonical/problem.ts'
import type { Exchange } from './exchange.ts'
import { CANCELLED } from './failures.ts'
import { keep } from './memories.ts'
import type { Keeping } from './recall.ts'
import { storeKey } from './store.ts'

/** Keeps one exchange while its reply is written. */
export interface Keeper {
  /** The same writer, listened to: what a stream told is kept with the reply. */
  readonly writer: Writer
  /** Why the reply is broken off from outside, once it is. */
  readonly interruption: Problem | undefined
  /**
   * Keeps the whole exchange; false when that could not be done. The reply is nobody's to stop any more.
   * `body`: the text of a reply that leaves as one.
   */
  settle(body?: string): Promise<boolean>
}

/** `stop`: ends the reply that is underway. */
export function keeperOf(
  exchange: Exchange,
  { shelf, memory, parents, fresh, memories }: Keeping,
  writer: Writer,
  stop: () => void,
): Keeper {
  const { underway, retention } = memories
  let recorder: Recorder | undefined = memory.recorder({ fresh, writer, newId: exchange.newId })
  let key: string | undefined
  const put = (id: string, memo: Memo): Promise<boolean> =>
    keep(shelf, { id, parents, memo }).then(
      () => true,
      // Too large, or the store is down: the answer is worth more than its memory.
      () => false,
    )
  const read = ({ text }: Memo): JsonObject => memory.read(exchange.body.filled(text))
  const register = (id: string, recording: Recorder) => {
    key = storeKey(shelf.owner, id)
    const cancel = async () => {
      keeper.interruption ??= CANCELLED
      const memo = recording.unfinished(true)
      stop()
      await put(id, memo)
      return read(memo)
    }
    underway.set(key, { id, memo: () => read(recording.unfinished()), cancel })
  }
  const release = () => {
    if (key !== undefined) underway.delete(key)
    recorder = undefined
  }
  const record = (frames: readonly Frame[]) => {
    if (!recorder) return
    recorder.push(frames)
    // What will be too large to be kept is not gathered to its end.
    if (recorder.size > FRAMES_PER_REPLY * retention.entryBytes) return release()
    if (key === undefined && recorder.id !== undefined) register(recorder.id, recorder)
  }
  exchange.journal.whenOver(release)
  const keeper: Keeper & { interruption: Problem | undefined } = {
    writer: {
      body: () => writer.body(),
      push(event) {
        const frames = writer.push(event)
        record(frames)
        return frames
      },
    },
    interruption: undefined,
    settle(body) {
      const recorded = recorder
      release()
      if (keeper.interruption) return Promise.resolve(true)
      const id = key === undefined && body === undefined ? undefined : recorded?.id
      return recorded && id !== undefined ? put(id, recorded.memo(body)) : Promise.resolve(false)
    },
  }
  return keeper
}

/** The frames of a reply say more than once what is kept once. */
const FRAMES_PER_REPLY = 4
