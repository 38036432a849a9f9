import type { WireEvent, Writer } from '../../adapters/contract.ts'
import type { ExchangeRecord, Recorder } from './conversation.ts'
import type { JsonObject } from '../json/json.ts'
import type { Problem } from '../model/problem.ts'
import type { MemoryContext, Underway } from './context.ts'
import { CANCELLED } from '../problems/failures.ts'
import { keep } from './records.ts'
import type { Keeping } from './resolve.ts'
import { storeKey } from './store.ts'
import { writtenOnce } from '../stream/event-text.ts'

/** Keeps one exchange while its reply is written. */
export class ReplyRecorder {
  /** The writer, with the recorder listening: the events of a stream are stored with the reply. */
  readonly writer: Writer
  /** Why the reply was stopped from outside; undefined before that. */
  interruption: Problem | undefined
  readonly #exchange: MemoryContext
  readonly #keeping: Keeping
  readonly #stop: () => void
  /** Its place among those that are underway, and the key of that place: undefined before it is taken. */
  readonly #place: { reply: Underway | undefined } = { reply: undefined }
  #key: string | undefined
  #recorder: Recorder | undefined
  #cancelled: Promise<boolean> | undefined
  #isForgotten = false

  /** `stop`: ends the reply while it is written. */
  constructor(exchange: MemoryContext, keeping: Keeping, writer: Writer, stop: () => void) {
    const { memory, fresh } = keeping
    this.#exchange = exchange
    this.#keeping = keeping
    this.#stop = stop
    this.#recorder = memory.recorder({ fresh, writer, newId: exchange.newId })
    this.writer = listenedWriter(writer, (events) => this.#hear(events))
    exchange.journal.onEnd(this.#release)
  }

  /**
   * Stores the whole exchange; false when that failed. Afterwards the reply cannot be stopped any more. `body`: the
   * text of a reply in one body.
   */
  settle(body?: string): Promise<boolean> {
    const recorder = this.#recorder
    this.#recorder = undefined
    const id = (this.#key ?? body) === undefined ? undefined : recorder?.id
    const kept =
      this.#cancelled ??
      (recorder && id !== undefined
        ? this.#put(id, recorder.record(body))
        : Promise.resolve(this.#isForgotten))
    return kept.finally(this.#release)
  }

  readonly #release = (): void => {
    if (this.#key !== undefined) this.#keeping.memories.underway.delete(this.#key)
    // What a map has forgotten it may still point to (docs/decisions/0018-what-leaves.md).
    this.#place.reply = undefined
    this.#recorder = undefined
  }

  #hear(events: readonly WireEvent[]): void {
    const { memories, scoped } = this.#keeping
    const recorder = this.#recorder
    if (!recorder) return
    recorder.push(events)
    // An exchange that will be too large to store is released early.
    if (recorder.size > FRAMES_PER_REPLY * memories.retention.entryBytes) return this.#release()
    const { id } = recorder
    if (this.#key !== undefined || id === undefined) return
    this.#key = storeKey(scoped.owner, id)
    this.#place.reply = this.#underway(id, recorder)
    memories.underway.set(this.#key, this.#place)
  }

  #underway(id: string, recorder: Recorder): Underway {
    const read = ({ text }: ExchangeRecord): JsonObject =>
      this.#keeping.memory.read(this.#exchange.received.filled(text))
    return {
      parents: this.#keeping.parents,
      record: () => read(recorder.unfinished()),
      cancel: async () => {
        this.interruption ??= CANCELLED
        const record = recorder.unfinished(true)
        this.#cancelled = this.#put(id, record)
        this.#stop()
        await this.#cancelled
        return read(record)
      },
      forget: () => {
        this.#isForgotten = true
        this.#release()
      },
    }
  }

  #put(id: string, record: ExchangeRecord): Promise<boolean> {
    const { scoped, issuer, parents } = this.#keeping
    const kept = isKept(keep(scoped, { id, issuer, parents, record }))
    if (this.#place.reply) this.#place.reply.kept = kept
    return kept
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
