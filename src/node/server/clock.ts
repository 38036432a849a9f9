import { timer, type Alarm, type MakeAlarm } from '../../stream/time.ts'

/** The shortest time between two looks at all alarms, and so how late one may ring. */
const LOOK_MS = 10

/**
 * Alarms that share one timer. Every call to an upstream and every stream has an alarm that almost never rings, and
 * a timer of its own costs twenty times as much as a place in a set. Only for runtimes where timers belong to the
 * process: a Worker's timer ends with the request that set it.
 */
export class SharedClock {
  readonly #alarms = new Set<SharedAlarm>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When the timer fires, which may be before any alarm is due: one that was earlier may be gone. */
  #firesAt = Infinity

  readonly alarm: MakeAlarm = (ring) => new SharedAlarm(this, ring)

  expect(alarm: SharedAlarm): void {
    this.#alarms.add(alarm)
    if (alarm.due < this.#firesAt) this.#fireAt(alarm.due)
  }

  forget(alarm: SharedAlarm): void {
    this.#alarms.delete(alarm)
  }

  /** How many alarms there are. */
  get size(): number {
    return this.#alarms.size
  }

  #fireAt(due: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = due
    if (due === Infinity) return
    // A timer counts whole milliseconds: one that fires before the alarm is due would make it late.
    const left = Math.ceil(due - performance.now())
    // The connection that an alarm watches keeps the process alive; the timer need not.
    this.#timer = timer(this.#fire, left).unref()
  }

  readonly #fire = (): void => {
    const now = performance.now()
    let next = Infinity
    const due: SharedAlarm[] = []
    for (const alarm of this.#alarms)
      if (alarm.due <= now) due.push(alarm)
      else if (alarm.due < next) next = alarm.due
    this.#fireAt(Math.max(next, now + LOOK_MS))
    // An alarm that rings may set, stop and close others, so they are listed before the first one rings.
    for (const alarm of due.toSorted((one, other) => one.due - other.due)) alarm.ringAt(now)
  }
}

class SharedAlarm implements Alarm {
  due = Infinity
  readonly #clock: SharedClock
  #ring: () => void

  constructor(clock: SharedClock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  set(ms: number): void {
    this.setAt(performance.now() + ms)
  }

  setAt(due: number): void {
    this.due = due
    this.#clock.expect(this)
  }

  stop(): void {
    this.due = Infinity
  }

  close(): void {
    this.due = Infinity
    // What a set has forgotten it may still point to (docs/decisions/0018-what-leaves.md).
    this.#ring = nothing
    this.#clock.forget(this)
  }

  /** Rings, unless it was stopped or set anew in the meantime. */
  ringAt(now: number): void {
    if (this.due > now) return
    this.due = Infinity
    this.#ring()
  }
}

const nothing = (): void => {}
