import type { Adapter, Frame, Route } from '../../adapters/adapter.ts'
import { SSE_COMMENT, sseFrame } from '../framing/sse.ts'
import { SILENT, timer, within } from './time.ts'

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
      write: (frames) => frames.map(sseFrame).join(''),
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
  /** The caller left, or takes nothing any more. */
  stop(): void
}

/** A caller that takes nothing for so long will take nothing any more. */
const STALL_MS = 120_000

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
  #controller: Controller | undefined
  #pending: Promise<Step> | undefined
  #stall: ReturnType<typeof setTimeout> | undefined
  #over = false

  constructor(step: () => Promise<Step>, options: StreamOptions) {
    this.#step = step
    this.#options = options
  }

  start(controller: Controller): void {
    this.#controller = controller
    const { signal } = this.#options
    if (signal?.aborted) this.#leave()
    else signal?.addEventListener('abort', this.#leave)
  }

  async pull(controller: Controller): Promise<void> {
    clearTimeout(this.#stall)
    const taken = await this.#next()
    if (this.#over) return
    if (taken === SILENT) controller.enqueue(this.#options.heartbeat)
    else {
      this.#pending = undefined
      if (taken.bytes.length > 0) controller.enqueue(taken.bytes)
      if (taken.last) {
        this.#finish()
        return controller.close()
      }
      if (taken.bytes.length === 0) return this.pull(controller)
    }
    this.#stall = timer(this.#leave, STALL_MS)
  }

  cancel(): void {
    if (this.#over) return
    this.#finish()
    this.#options.stop()
  }

  readonly #leave = (): void => {
    if (this.#over) return
    this.cancel()
    this.#controller?.close()
  }

  #next(): Promise<Step | typeof SILENT> {
    this.#pending ??= this.#step()
    const { heartbeat, heartbeatMs } = this.#options
    return heartbeat ? within(this.#pending, heartbeatMs) : this.#pending
  }

  #finish(): void {
    this.#over = true
    clearTimeout(this.#stall)
    this.#options.signal?.removeEventListener('abort', this.#leave)
  }
}
