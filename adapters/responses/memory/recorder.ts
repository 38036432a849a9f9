import type { WireEvent } from '../../contract.ts'
import type { ExchangeRecord, Recorder, RecorderContext } from '../../../src/memory/conversation.ts'
import {
  isObject,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../../../src/json/json.ts'
import { objectsOf, memberText } from '../dialect.ts'
import { idsFor, writeRecord } from './record.ts'
import { FramePacker } from './frames.ts'

export const recorder = (context: RecorderContext): Recorder => new ReplyRecorder(context)

class ReplyRecorder implements Recorder {
  readonly #context: RecorderContext
  readonly #frames = new FramePacker()
  #ids: Json[] | undefined

  constructor(context: RecorderContext) {
    this.#context = context
  }

  get id(): string | undefined {
    return memberText(this.#context.writer.body(), 'id')
  }

  get size(): number {
    return this.#frames.size
  }

  push(events: readonly WireEvent[]): void {
    for (const event of events) this.#frames.add(event)
  }

  record(body?: string): ExchangeRecord {
    const { output } = this.#context.writer.body()
    if (body !== undefined) return this.#record(output, body, '')
    const { final } = this.#frames
    return final === undefined
      ? this.unfinished()
      : this.#record(output, final, this.#frames.packed())
  }

  unfinished(cancelled = false): ExchangeRecord {
    const response = this.#context.writer.body()
    const { final } = this.#frames
    const output = final === undefined ? itemsIn(this.#frames.whole()) : response['output']
    const state = { ...response, ...(cancelled && CANCELLED), ...(output && { output }) }
    return this.#record(output, stringify(state))
  }

  #record(output: Json | undefined, response: string, stream?: string): ExchangeRecord {
    const { fresh, newId } = this.#context
    this.#ids ??= idsFor(fresh.items, newId)
    return { text: writeRecord(fresh, this.#ids, response, stream), items: idsIn(output) }
  }
}

const CANCELLED = { status: 'cancelled', error: null }

/** The finished items. */
const itemsIn = (frames: readonly string[]): JsonObject[] =>
  frames.flatMap((data) => {
    const { type, item = null } = parseObject(data) ?? {}
    return type === 'response.output_item.done' && isObject(item) ? [item] : []
  })

export const idsIn = (output: Json | undefined): string[] =>
  objectsOf(output).flatMap((item) => memberText(item, 'id') ?? [])
