import type { Framing, Heartbeat } from './codec.ts'
import { eventFrame } from './event-text.ts'
import { framingOf } from './framings.ts'
import { SSE_COMMENT, sseFrame } from './sse.ts'
import type { ByteSource } from './source.ts'
import { alarm, STALL_MS, type Alarm, type MakeAlarm } from './time.ts'

/** The bytes of a heartbeat. */
export function encodeHeartbeat(
  heartbeat: Heartbeat | undefined,
  framing: Framing | undefined,
): (() => Uint8Array) | undefined {
  if (heartbeat === undefined || framingOf(framing).isJson) return undefined
  const write = () => (heartbeat === 'comment' ? SSE_COMMENT : sseFrame(eventFrame(heartbeat)))
  return () => new TextEncoder().encode(write())
}

/** Tells intermediaries neither to cache nor to buffer a stream. */
export const STREAM_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

export interface Step {
  bytes: Uint8Array
  last: boolean
}

export interface StreamOptions {
  /** The heartbeat for a step that takes longer than `heartbeatMs`; undefined where none may be written now. */
  heartbeat?: (() => Uint8Array | undefined) | undefined
  heartbeatMs: number
  /** Aborted when the caller leaves. A runtime may tell this by the signal, by cancelling the stream, or by both. */
  signal?: AbortSignal
  stallMs?: number
  /** Makes the clock of the stream. */
  alarm?: MakeAlarm | undefined
  /** The caller left. */
  stop(): void
  /**
   * The caller has stopped reading; the step is what it finds if it reads again. Without `stalled`, it counts as
   * gone.
   */
  stalled?(): Step | Promise<Step>
}

/**
 * A body that makes one step each time its reader asks: a slow reader slows the source down, and nothing runs on
 * when the reader is gone. It fails only with an error that a step throws; other failures are part of the steps.
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
  /** For the next heartbeat while a read waits, and for a caller that does not read while none does. */
  readonly #clock: Alarm
  #stepping = false
  /** Set while a read waits. */
  #reader: Reader | undefined
  /** Results that came while no read waited: a heartbeat had taken their place, or the reader was given up. */
  readonly #ready: Promise<Uint8Array | undefined>[] = []
  #over = false

  constructor(step: () => Promise<Step>, options: StreamOptions) {
    this.#step = step
    this.#options = options
    const { signal, alarm: made = alarm } = options
    this.#clock = made(() => (this.#reader ? this.#beat() : this.#giveUp()))
    if (signal?.aborted) this.cancel()
    else signal?.addEventListener('abort', this.#leave)
  }

  read(): Promise<Uint8Array | undefined> {
    const ready = this.#ready.shift()
    if (ready) return ready
    if (this.#over) return Promise.resolve(undefined)
    const { heartbeat, heartbeatMs } = this.#options
    if (heartbeat) this.#clock.set(heartbeatMs)
    else this.#clock.stop()
    if (!this.#stepping) this.#advance()
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }))
  }

  cancel(): void {
    if (this.#over) return
    this.#finish()
    this.#options.stop()
    this.#take()?.resolve(undefined)
  }

  /** Makes one step; a step whose place a heartbeat has taken goes on. */
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
    else this.#clock.set(heartbeatMs)
  }

  readonly #broken = (error: unknown): void => {
    if (this.#over) return
    this.#finish()
    const reader = this.#take()
    if (reader) reader.reject(error)
    else this.#ready.push(failure(error))
  }

  #supply(bytes: Uint8Array | undefined): void {
    if (!this.#over) this.#clock.set(this.#options.stallMs ?? STALL_MS)
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

  /** Ends with an error, because a caller that reads on would take a silent end for the end of the reply. */
  #giveUp(): void {
    const { stalled } = this.#options
    if (!stalled) return this.cancel()
    this.#finish()
    this.#ready.push(farewell(stalled))
  }

  #finish(): void {
    this.#over = true
    this.#clock.close()
    this.#options.signal?.removeEventListener('abort', this.#leave)
  }
}

/** A rejection that the next read will see; it counts as handled, because there may be no next read. */
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
