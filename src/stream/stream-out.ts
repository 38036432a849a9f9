import type { Framing, Heartbeat } from './codec.ts'
import { eventFrame, eventText } from './event-text.ts'
import { oneLine } from './one-line.ts'
import { SSE_COMMENT, sseEvents, sseFrame } from './sse.ts'
import type { ByteSource } from './source.ts'
import { alarm, STALL_MS, type Alarm } from './time.ts'
import type { WireEvent } from './wire-events.ts'

/** How events become the text of a body. */
export interface Framer {
  readonly contentType: string
  write(events: readonly WireEvent[]): string
  end(): string
}

/** `begun`: something stands before, and is gone on with. */
export function framer(framing: Framing | undefined, begun = false): Framer {
  return framing === 'json-array' ? arrayFramer(begun) : eventFramer()
}

function eventFramer(): Framer {
  const textOf = sseEvents()
  return {
    contentType: 'text/event-stream; charset=utf-8',
    write(events) {
      let text = ''
      for (const event of events) text += textOf(event)
      return text
    },
    end: () => '',
  }
}

function arrayFramer(begun: boolean): Framer {
  let opener = begun ? ',\n' : '['
  return {
    contentType: 'application/json',
    write(events) {
      let text = ''
      for (const event of events) {
        text += opener + oneLine(eventText(event))
        opener = ',\n'
      }
      return text
    },
    end: () => (opener === '[' ? '[]' : ']'),
  }
}

/** What a silent stream is kept alive with. A JSON array bears nothing between its elements. */
export function encodeHeartbeat(
  heartbeat: Heartbeat | undefined,
  framing: Framing | undefined,
): (() => Uint8Array) | undefined {
  if (heartbeat === undefined || framing === 'json-array') return undefined
  const text = heartbeat === 'comment' ? SSE_COMMENT : sseFrame(eventFrame(heartbeat))
  return () => new TextEncoder().encode(text)
}

/** Intermediaries must neither keep nor gather a stream. */
export const STREAM_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

export interface Step {
  bytes: Uint8Array
  last: boolean
}

export interface StreamOptions {
  /** Sent when a step takes longer than `heartbeatMs`; undefined where nothing can be said just now. */
  heartbeat?: (() => Uint8Array | undefined) | undefined
  heartbeatMs: number
  /** Aborted when the caller leaves; a runtime may say so here, or by cancelling the stream, or both. */
  signal?: AbortSignal
  stallMs?: number
  /** The caller left. */
  stop(): void
  /** The caller takes nothing any more; should it come back, it finds this. Without it, it has left. */
  stalled?(): Step | Promise<Step>
}

/** The same as `next`, of which the first result has been asked for already. */
export function begunWith<T>(first: Promise<T>, next: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined = first
  return () => {
    const result = begun ?? next()
    begun = undefined
    return result
  }
}

/**
 * A body that makes one step each time its reader wants more: a slow reader slows the source down, and
 * nothing runs on when the reader is gone. It fails only with what a step throws; any other failure is part
 * of what the steps say.
 */
export const steppedSource = (step: () => Promise<Step>, options: StreamOptions): ByteSource =>
  new SteppedSource(step, options)

interface Reader {
  resolve(bytes: Uint8Array | undefined): void
  reject(error: unknown): void
}

class SteppedSource implements ByteSource {
  readonly #step: () => Promise<Step>
  readonly #options: StreamOptions
  readonly #heartbeat: Alarm
  readonly #stall: Alarm
  #stepping = false
  /** Set while a read waits. */
  #reader: Reader | undefined
  /** What came while no read waited: a heartbeat had taken its place, or the reader was given up. */
  readonly #ready: Promise<Uint8Array | undefined>[] = []
  #over = false

  constructor(step: () => Promise<Step>, options: StreamOptions) {
    this.#step = step
    this.#options = options
    this.#heartbeat = alarm(() => this.#beat())
    this.#stall = alarm(() => this.#giveUp())
    const { signal } = options
    if (signal?.aborted) this.cancel()
    else signal?.addEventListener('abort', this.#leave)
  }

  read(): Promise<Uint8Array | undefined> {
    const ready = this.#ready.shift()
    if (ready) return ready
    if (this.#over) return Promise.resolve(undefined)
    this.#stall.stop()
    const { heartbeat, heartbeatMs } = this.#options
    if (heartbeat) this.#heartbeat.set(heartbeatMs)
    if (!this.#stepping) this.#advance()
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }))
  }

  cancel(): void {
    if (this.#over) return
    this.#finish()
    this.#options.stop()
    this.#take()?.resolve(undefined)
  }

  /** One step; it goes on where a heartbeat has taken its place. */
  #advance(): void {
    this.#stepping = true
    this.#step().then(this.#taken, this.#broken)
  }

  readonly #taken = ({ bytes, last }: Step): void => {
    this.#stepping = false
    if (this.#over) return
    if (last) this.#finish()
    else if (bytes.length === 0) return this.#advance()
    this.#supply(bytes.length > 0 ? bytes : undefined)
  }

  #beat(): void {
    const { heartbeat, heartbeatMs } = this.#options
    const bytes = heartbeat?.()
    if (bytes) this.#supply(bytes)
    else this.#heartbeat.set(heartbeatMs)
  }

  readonly #broken = (error: unknown): void => {
    if (this.#over) return
    this.#finish()
    const reader = this.#take()
    if (reader) reader.reject(error)
    else this.#ready.push(failure(error))
  }

  #supply(bytes: Uint8Array | undefined): void {
    this.#heartbeat.stop()
    if (!this.#over) this.#stall.set(this.#options.stallMs ?? STALL_MS)
    const reader = this.#take()
    if (reader) reader.resolve(bytes)
    else this.#ready.push(Promise.resolve(bytes))
  }

  #take(): Reader | undefined {
    const reader = this.#reader
    this.#reader = undefined
    return reader
  }

  readonly #leave = (): void => this.cancel()

  /** An end without a word would look like the end of the reply to who reads on after all. */
  #giveUp(): void {
    const { stalled } = this.#options
    if (!stalled) return this.cancel()
    this.#finish()
    this.#ready.push(farewell(stalled))
  }

  #finish(): void {
    this.#over = true
    this.#heartbeat.close()
    this.#stall.close()
    this.#options.signal?.removeEventListener('abort', this.#leave)
  }
}

/** The next read hears of it; there need not be one. */
function failure(reason: unknown): Promise<never> {
  const rejection = Promise.reject(reason)
  rejection.catch(() => {})
  return rejection
}

async function farewell(
  stalled: NonNullable<StreamOptions['stalled']>,
): Promise<Uint8Array | undefined> {
  const { bytes } = await stalled()
  return bytes.length > 0 ? bytes : undefined
}
