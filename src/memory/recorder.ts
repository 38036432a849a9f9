import type { WireEvent, Writer } from '../../adapters/contract.ts'
import type { ExchangeRecord, Recorder } from './conversation.ts'
import type { JsonObject } from '../json/json.ts'
import type { Problem } from '../model/problem.ts'
import type { Memories, MemoryContext, Underway } from './context.ts'
import { CANCELLED } from '../model/failures.ts'
import { keep } from './records.ts'
import type { Keeping } from './resolve.ts'
import { storeKey } from './store.ts'
import { writtenOnce } from '../stream/event-text.ts'

/** Keeps one exchange while its reply is written. */
export interface ReplyRecorder {
  /** The writer, with the recorder listening: the events of a stream are stored with the reply. */
  readonly writer: Writer
  /** Why the reply was stopped from outside; undefined before that. */
  readonly interruption: Problem | undefined
  /**
   * Stores the whole exchange; false when that failed. Afterwards the reply cannot be stopped any more. `body`: the
   * text of a reply in one body.
   */
  settle(body?: string): Promise<boolean>
}

/** `stop`: ends the reply while it is written. */
export function recordReply(
  exchange: MemoryContext,
  { scoped, memory, parents, fresh, memories }: Keeping,
  writer: Writer,
  stop: () => void,
): ReplyRecorder {
  const { underway, retention } = memories
  let recorder: Recorder | undefined = memory.recorder({ fresh, writer, newId: exchange.newId })
  const place = new Place()
  let cancelled = Promise.resolve(true)
  const put = (id: string, record: ExchangeRecord): Promise<boolean> =>
    isKept(keep(scoped, { id, parents, record }))
  const read = ({ text }: ExchangeRecord): JsonObject => memory.read(exchange.body.filled(text))
  const register = (id: string, recording: Recorder) => {
    const cancel = async () => {
      replyRecorder.interruption ??= CANCELLED
      const record = recording.unfinished(true)
      cancelled = put(id, record)
      stop()
      await cancelled
      return read(record)
    }
    const reply = { id, record: () => read(recording.unfinished()), cancel }
    place.take(underway, storeKey(scoped.owner, id), reply)
  }
  const release = () => {
    place.leave(underway)
    recorder = undefined
  }
  const record = (events: readonly WireEvent[]) => {
    if (!recorder) return
    recorder.push(events)
    // An exchange that will be too large to store is released early.
    if (recorder.size > FRAMES_PER_REPLY * retention.entryBytes) return release()
    if (place.key === undefined && recorder.id !== undefined) register(recorder.id, recorder)
  }
  exchange.journal.whenOver(release)
  const replyRecorder: ReplyRecorder & { interruption: Problem | undefined } = {
    writer: listenedWriter(writer, record),
    interruption: undefined,
    settle(body) {
      const recorded = recorder
      release()
      if (replyRecorder.interruption) return cancelled
      const id = place.key === undefined && body === undefined ? undefined : recorded?.id
      return recorded && id !== undefined ? put(id, recorded.record(body)) : Promise.resolve(false)
    },
  }
  return replyRecorder
}

/** The place of one reply among those that can still be stopped. */
class Place {
  /** Undefined before it is taken. */
  key: string | undefined
  reply: Underway | undefined

  take(all: Memories['underway'], key: string, reply: Underway): void {
    this.key = key
    this.reply = reply
    all.set(key, this)
  }

  leave(all: Memories['underway']): void {
    if (this.key !== undefined) all.delete(this.key)
    // What a map has forgotten it may still point to (docs/decisions/0018-what-leaves.md).
    this.reply = undefined
  }
}

const listenedWriter = (
  writer: Writer,
  listen: (events: readonly WireEvent[]) => void,
): Writer => ({
  body: () => writer.body(),
  push(event) {
    const events = writer.push(event).map(writtenOnce)
    listen(events)
    return events
  },
})

/** An entry that is too large, or a store that is down, does not fail the reply. */
const isKept = (keeping: Promise<unknown>): Promise<boolean> =>
  keeping.then(
    () => true,
    () => false,
  )

/** Frames repeat content that is stored only once, so they may be larger than the entry by this factor. */
const FRAMES_PER_REPLY = 4
