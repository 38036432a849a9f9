import type { Adapter, Frame, Route } from '../../adapters/adapter.ts'
import { SSE_COMMENT, sseFrame } from '../framing/sse.ts'
import { alarm, STALL_MS, type Alarm } from './time.ts'

/** How frames become the text of a body. */
export interface Framer {
  readonly contentType: string
  write(frames: readonly Frame[]): string
  end(): string
}

/** `begun`: something stands before, and is gone on with. */
export function framer(framing: Route['framing'], begun = false): Framer {
  if (framing !== 'json-array')
    return {
      contentType: 'text/event-stream; charset=utf-8',
      write(frames) {
        let text = ''
        for (const frame of frames) text += sseFrame(frame)
        return text
      },
      end: () => '',
    }
  let opener = begun ? ',\n' : '['
  return {
    contentType: 'application/json',
    write(frames) {
      let text = ''
      for (const frame of frames) {
        text += opener + frame.data
        opener = ',\n'
      }
      return text
    },
    end: () => (opener === '[' ? '[]' : ']'),
  }
}

/** What a silent stream is kept alive with. A JSON array bears nothing between its elements. */
export function heartbeatOf(adapter: Adapter, framing: Route['framing']): string | undefined {
  const { heartbeat } = adapter.caller
  if (heartbeat === undefined || framing === 'json-array') return undefined
  return heartbeat === 'comment' ? SSE_COMMENT : sseFrame(heartbeat)
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
  /** Sent when a step takes longer than `heartbeatMs`. */
  heartbeat?: Uint8Array | undefined
  heartbeatMs: number
  /** Aborted when the caller leaves; a runtime may say so here, or by cancelling the stream, or both. */
  signal?: AbortSignal
  stallMs?: number
  /** The caller left. */
  stop(): void
  /** The caller takes nothing any more; should it come back, it finds this. Without it, it has left. */
  stalled?(): Step | Promise<Step>
}

/**
 * A body that makes one step each time its reader wants more: a slow reader slows the source down, and
 * nothing runs on when the reader is gone. It never fails; a failure is part of what the steps say.
 */
export const pullStream = (
  step: () => Promise<Step>,
  options: StreamOptions,
): ReadableStream<Uint8Array> =>
  new ReadableStream(new PullSource(step, options), { highWaterMark: 0 })

type Controller = ReadableStreamDefaultController<Uint8Array>

class PullSource {
  readonly #step: () => Promise<Step>
  readonly #options: StreamOptions
  readonly #heartbeat: Alarm
  readonly #stall: Alarm
  #controller: Controller | undefined
  #stepping = false
  /** Set while the reader waits for something. */
  #supplied: (() => void) | undefined
  #over = false

  constructor(step: () => Promise<Step>, options: StreamOptions) {
    this.#step = step
    this.#options = options
    this.#heartbeat = alarm(() => this.#supply(options.heartbeat))
    this.#stall = alarm(() => void this.#giveUp())
  }

  start(controller: Controller): void {
    this.#controller = controller
    const { signal } = this.#options
    if (signal?.aborted) this.#leave()
    else signal?.addEventListener('abort', this.#leave)
  }

  pull(): Promise<void> {
    this.#stall.stop()
    const { heartbeat, heartbeatMs } = this.#options
    if (heartbeat) this.#heartbeat.set(heartbeatMs)
    if (!this.#stepping) this.#advance()
    return new Promise((resolve) => (this.#supplied = resolve))
  }

  cancel(): void {
    if (this.#over) return
    this.#finish()
    this.#options.stop()
  }

  /** One step; it goes on where a heartbeat has taken its place. */
  #advance(): void {
    this.#stepping = true
    this.#step().then(this.#taken, (error: unknown) => this.#broken(error))
  }

  readonly #taken = ({ bytes, last }: Step): void => {
    this.#stepping = false
    if (this.#over) return
    if (last) this.#finish()
    else if (bytes.length === 0) return this.#advance()
    this.#supply(bytes)
    if (last) this.#controller?.close()
  }

  #broken(error: unknown): void {
    if (this.#over) return
    this.#finish()
    this.#controller?.error(error)
    this.#supply(undefined)
  }

  #supply(bytes: Uint8Array | undefined): void {
    this.#heartbeat.stop()
    if (bytes && bytes.length > 0) this.#controller?.enqueue(bytes)
    if (!this.#over) this.#stall.set(this.#options.stallMs ?? STALL_MS)
    const supplied = this.#supplied
    this.#supplied = undefined
    supplied?.()
  }

  readonly #leave = (): void => {
    if (this.#over) return
    this.cancel()
    this.#controller?.close()
    this.#supply(undefined)
  }

  /** An end without a word would look like the end of the reply to who reads on after all. */
  async #giveUp(): Promise<void> {
    const { stalled } = this.#options
    if (!stalled) return this.#leave()
    this.#finish()
    const { bytes } = await stalled()
    if (bytes.length > 0) this.#controller?.enqueue(bytes)
    this.#controller?.close()
  }

  #finish(): void {
    this.#over = true
    this.#heartbeat.close()
    this.#stall.close()
    this.#options.signal?.removeEventListener('abort', this.#leave)
  }
}
