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
  /** Why the body breaks off here, where no words of the dialect can say so. */
  broken?: string
}

export interface StreamOptions {
  /** Sent when a step takes longer than `heartbeatMs`. */
  heartbeat?: Uint8Array | undefined
  heartbeatMs: number
  /** The caller left, or reads nothing any more. */
  stop(): void
}

/** A caller that takes nothing for so long will take nothing any more. */
const STALL_MS = 120_000

/**
 * A body that makes one step each time its reader wants more: a slow reader slows the source down, and
 * nothing runs on when the reader is gone. It never fails; a failure is part of what the steps say.
 */
export function pullStream(
  step: () => Promise<Step>,
  options: StreamOptions,
): ReadableStream<Uint8Array> {
  let pending: Promise<Step> | undefined
  let stall: ReturnType<typeof setTimeout> | undefined
  let gone = false
  const stop = () => {
    gone = true
    clearTimeout(stall)
    options.stop()
  }
  const next = (): Promise<Step | typeof SILENT> => {
    pending ??= step()
    return options.heartbeat ? within(pending, options.heartbeatMs) : pending
  }
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    clearTimeout(stall)
    const taken = await next()
    if (gone) return
    if (taken === SILENT) controller.enqueue(options.heartbeat)
    else {
      pending = undefined
      if (taken.broken !== undefined) return controller.error(new Error(taken.broken))
      if (taken.bytes.length > 0) controller.enqueue(taken.bytes)
      if (taken.last) return controller.close()
      if (taken.bytes.length === 0) return pull(controller)
    }
    stall = timer(() => {
      stop()
      controller.close()
    }, STALL_MS)
  }
  return new ReadableStream({ pull, cancel: stop }, { highWaterMark: 0 })
}
