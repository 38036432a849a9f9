import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turnOfOthers, setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50
/** How many characters may wait for the file: many callers with large answers must not fill the memory. */
const WAITING_CHARACTERS = 32 * 1024 * 1024

/** Thrown when another process holds the file for too long. */
export class LockedError extends Error {}

type Database = Pick<DatabaseSync, 'exec'>

/** Work on a file that other processes use too. Only requests that need the file wait for it. */
export interface Exclusive {
  /** Reads, and tries again while the file is locked. */
  read<T>(work: () => T): Promise<T>
  /** Writes all or nothing, in the order of the calls. `size`: the characters that are held meanwhile. */
  write<T>(work: () => T, size?: number): Promise<T>
  /** Resolves when no work waits. */
  idle(): Promise<void>
}

interface Waiting {
  until: number
  /** Tries once; false as long as the file is locked. */
  isDone(): boolean
  reject(error: unknown): void
}

/**
 * A statement of SQLite that waits for a lock would stop the whole process, so none waits. Work that finds the file
 * locked is tried again, with turns of other work between, until `patienceMs` are over.
 */
export function createExclusive(database: Database, patienceMs: number): Exclusive {
  const queue = new WriteQueue()
  let held = 0
  return {
    async read(work) {
      const until = performance.now() + patienceMs
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        const done = unlessLocked(work)
        if (done) return done.result
        if (performance.now() > until) throw new LockedError()
        await sleep(pause)
      }
    },
    async write(work, size = 0) {
      const done = queue.isEmpty() ? transaction(database, work) : undefined
      if (done) return done.result
      if (held + size > WAITING_CHARACTERS) throw new LockedError()
      held += size
      try {
        const until = performance.now() + patienceMs
        return await queue.wait(until, () => transaction(database, work))
      } finally {
        held -= size
      }
    },
    idle: () => queue.idle(),
  }
}

/** Work that waits to be written: one after the other, with turns of other work between. */
class WriteQueue {
  readonly #waiting: Waiting[] = []
  #serving: Promise<void> | undefined

  isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** `attempt` gives undefined as long as the file is locked. */
  wait<T>(until: number, attempt: () => { result: T } | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const isDone = () => {
        try {
          const done = attempt()
          if (done) resolve(done.result)
          return done !== undefined
        } catch (error) {
          reject(error)
          return true
        }
      }
      this.#waiting.push({ until, isDone, reject })
      this.#serving ??= this.#serve()
    })
  }

  async idle(): Promise<void> {
    await this.#serving
  }

  async #serve(): Promise<void> {
    let pause = FIRST_PAUSE_MS
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (next.isDone()) {
        this.#waiting.shift()
        pause = FIRST_PAUSE_MS
        await turnOfOthers()
      } else if (performance.now() > next.until) {
        this.#waiting.shift()
        next.reject(new LockedError())
      } else {
        await sleep(pause)
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
      }
    }
    this.#serving = undefined
  }
}

/** The result of the work; undefined while another process holds the file. */
function transaction<T>(database: Database, work: () => T): { result: T } | undefined {
  if (!unlessLocked(() => database.exec('BEGIN IMMEDIATE'))) return undefined
  try {
    const result = work()
    database.exec('COMMIT')
    return { result }
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** SQLite may have done it itself, as with a full disk; only Node 22.16 and newer say so (`isTransaction`). */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {}
}

function unlessLocked<T>(work: () => T): { result: T } | undefined {
  try {
    return { result: work() }
  } catch (error) {
    if (isLocked(error)) return undefined
    throw error
  }
}

const SQLITE_BUSY = 5

/** SQLite's extended result codes hold the primary code in the lower byte (sqlite.org, "Result and Error Codes"). */
const isLocked = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === SQLITE_BUSY
