import type { Problem } from '../model/problem.ts'
import { CALLER_LEFT, STOPPING, TOOK_TOO_LONG } from '../problems/failures.ts'
import { alarm, type Alarm, type MakeAlarm } from '../stream/time.ts'

/** The events outside a call that can end it: its caller leaves, a clock runs out, or the process ends. */
export interface Ends {
  caller: AbortSignal
  deadline?: AbortSignal | undefined
  totalMs: number
  /** Makes the clock of the call. */
  alarm?: MakeAlarm | undefined
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

/** The whole time counts from here. Its clock is set with the first `watch` or `relax`, not twice. */
export const callDeadline = (ends: Ends): CallDeadline => new Deadline(ends)

class Deadline implements CallDeadline {
  problem: Problem | undefined
  readonly #controller = new AbortController()
  readonly #ends: Ends
  /** When the whole time is over. */
  readonly #endsAt: number
  /** For what runs out first, the whole time or the time that is watched. */
  readonly #clock: Alarm
  #lateness = TOOK_TOO_LONG
  #isSet = false
  #isOver = false
  #ended: (() => void) | undefined
  #interrupt: ((reason: Problem) => void) | undefined

  constructor(ends: Ends) {
    this.#ends = ends
    const { caller, deadline, totalMs, alarm: made = alarm } = ends
    this.#clock = made(this.#ring)
    this.#endsAt = performance.now() + totalMs
    caller.addEventListener('abort', this.#leave)
    if (deadline) listen(deadline, this.#stop)
    if (caller.aborted) this.#leave()
    if (deadline?.aborted) this.end(STOPPING)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(reason: Problem): void {
    if (this.problem) return
    this.problem = reason
    this.close()
    this.#controller.abort()
    this.#ended?.()
    this.#interrupt?.(reason)
  }

  watch(ms: number, reason: Problem): void {
    if (this.#isOver) return
    const due = performance.now() + ms
    const isSooner = due < this.#endsAt
    this.#lateness = isSooner ? reason : TOOK_TOO_LONG
    this.#isSet = true
    this.#clock.setAt(isSooner ? due : this.#endsAt)
  }

  /** The clock stays as it was set, since the next piece is watched again. */
  relax(): void {
    if (!this.#isSet) return this.watch(Infinity, TOOK_TOO_LONG)
    this.#lateness = TOOK_TOO_LONG
  }

  whenEnded(run: () => void): void {
    this.#ended = run
  }

  /** `Promise.race` with one long-lived promise would keep every piece of a long stream in memory. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.problem) reject(this.problem)
      this.#interrupt = reject
      work.then(resolve, reject)
    })
  }

  close(): void {
    const { caller, deadline } = this.#ends
    this.#isOver = true
    this.#clock.close()
    caller.removeEventListener('abort', this.#leave)
    if (deadline) unlisten(deadline, this.#stop)
  }

  /** What was watched may be watched no more. */
  readonly #ring = (): void => {
    const isEarly = this.#lateness === TOOK_TOO_LONG && performance.now() < this.#endsAt
    if (isEarly) this.#clock.setAt(this.#endsAt)
    else this.end(this.#lateness)
  }

  readonly #leave = (): void => this.end(CALLER_LEFT)

  readonly #stop: Listener = { run: () => this.end(STOPPING) }
}

/** Emptied when it leaves: what a set has forgotten it may still point to (docs/decisions/0018-what-leaves.md). */
interface Listener {
  run: (() => void) | undefined
}

/**
 * What runs at the end of a signal that all calls share. A signal looks through all its listeners whenever one is
 * added or removed, which would take longer the more calls are open, so there is one for all of them.
 */
const shared = new WeakMap<EventTarget, Set<Listener>>()

const tell = ({ target }: Event): void => {
  for (const { run } of (target && shared.get(target)) ?? []) run?.()
}

function listen(signal: AbortSignal, listener: Listener): void {
  const listeners = shared.get(signal) ?? new Set()
  if (listeners.size === 0) signal.addEventListener('abort', tell)
  shared.set(signal, listeners.add(listener))
}

/** Inverse of `listen`. */
function unlisten(signal: AbortSignal, listener: Listener): void {
  const listeners = shared.get(signal)
  listener.run = undefined
  if (listeners?.delete(listener) && listeners.size === 0) signal.removeEventListener('abort', tell)
}
