import type { Problem } from '../model/problem.ts'
import { CALLER_LEFT, STOPPING, TOOK_TOO_LONG } from '../model/failures.ts'
import { alarm, timer } from '../stream/time.ts'

/** The events outside a call that can end it: its caller leaves, a clock runs out, or the process ends. */
export interface Ends {
  caller: AbortSignal
  deadline?: AbortSignal | undefined
  totalMs: number
}

/** Everything that can end a call before its time. */
export interface CallDeadline {
  /** Aborted when the call is over before its time. */
  readonly signal: AbortSignal
  /** Why the call was ended early; undefined before that. */
  readonly problem: Problem | undefined
  end(problem: Problem): void
  /** Ends the call unless `relax` is called in time. */
  watch(ms: number, problem: Problem): void
  relax(): void
  /** Runs `run` as soon as the call is over before its time; for one at a time. */
  whenEnded(run: () => void): void
  /** Waits for `work`; rejects as soon as the call has ended. One work at a time. */
  wait<T>(work: Promise<T>): Promise<T>
  /** Ends the deadline with the call: no timer or listener remains. */
  close(): void
}

export function callDeadline(ends: Ends): CallDeadline {
  const controller = new AbortController()
  let interrupt: ((reason: Problem) => void) | undefined
  let ended: (() => void) | undefined
  let silence = TOOK_TOO_LONG
  const end = (reason: Problem) => {
    if (line.problem) return
    line.problem = reason
    close()
    controller.abort()
    ended?.()
    interrupt?.(reason)
  }
  const leave = () => end(CALLER_LEFT)
  const stop = () => end(STOPPING)
  const total = timer(() => end(TOOK_TOO_LONG), ends.totalMs)
  const clock = alarm(() => end(silence))
  const close = () => {
    clearTimeout(total)
    clock.close()
    ends.caller.removeEventListener('abort', leave)
    if (ends.deadline) endingOf(ends.deadline).delete(stop)
  }
  // Not a getter: objects with a getter get a shape of their own each, and are collected late.
  const line: CallDeadline & { problem: Problem | undefined } = {
    signal: controller.signal,
    problem: undefined,
    end,
    watch(ms, reason) {
      if (line.problem) return
      silence = reason
      clock.set(ms)
    },
    relax: clock.stop,
    whenEnded: (run) => void (ended = run),
    // `Promise.race` with one long-lived promise would keep every piece of a long stream in memory.
    wait: (work) =>
      new Promise((resolve, reject) => {
        if (line.problem) reject(line.problem)
        interrupt = reject
        work.then(resolve, reject)
      }),
    close,
  }
  ends.caller.addEventListener('abort', leave)
  if (ends.deadline) endingOf(ends.deadline).add(stop)
  if (ends.caller.aborted) leave()
  if (ends.deadline?.aborted) stop()
  return line
}

/**
 * What runs at the end of a signal that all calls share. A signal looks through all its listeners whenever one is
 * added or removed, which would take longer the more calls are open, so there is one for all of them.
 */
class Ending {
  readonly #signal: AbortSignal
  readonly #runs = new Set<() => void>()
  readonly #tell = () => {
    for (const run of this.#runs) run()
  }

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(run: () => void): void {
    if (this.#runs.size === 0) this.#signal.addEventListener('abort', this.#tell)
    this.#runs.add(run)
  }

  delete(run: () => void): void {
    if (this.#runs.delete(run) && this.#runs.size === 0)
      this.#signal.removeEventListener('abort', this.#tell)
  }
}

const endings = new WeakMap<AbortSignal, Ending>()

function endingOf(signal: AbortSignal): Ending {
  const ending = endings.get(signal) ?? new Ending(signal)
  endings.set(signal, ending)
  return ending
}
