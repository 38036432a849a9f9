import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turnOfOthers, setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50
/** What may wait for the file at once, in characters: a crowd with large answers must not fill the memory. */
const WAITING_CHARACTERS = 32 * 1024 * 1024

/** Another process has the file for itself. */
export class LockedError extends Error {}

/** Work on a file that other processes use too. Only the request that needs it waits until it is free. */
export interface Exclusive {
  /** Reads; repeated while the file is locked. */
  read<T>(work: () => T): Promise<T>
  /** Writes, all or nothing, and in the order in which it was asked for. `size`: what is held meanwhile. */
  write<T>(work: () => T, size?: number): Promise<T>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

interface Waiting {
  until: number
  /** False as long as the file is locked. */
  attempt(): boolean
  reject(error: unknown): void
}

/**
 * A statement of SQLite that waits for a lock stops the whole process. So none waits: what finds the file
 * locked is tried again between the turns of everybody else, until its `patienceMs` are over.
 */
export function createExclusive(database: DatabaseSync, patienceMs: number): Exclusive {
  const queue: Waiting[] = []
  let held = 0
  let serving: Promise<void> | undefined

  const serve = async () => {
    let pause = FIRST_PAUSE_MS
    for (let next = queue[0]; next; next = queue[0]) {
      if (next.attempt()) {
        queue.shift()
        pause = FIRST_PAUSE_MS
        await turnOfOthers()
      } else if (performance.now() > next.until) {
        queue.shift()
        next.reject(new LockedError())
      } else {
        await sleep(pause)
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
      }
    }
    serving = undefined
  }
  const wait = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const attempt = () => {
        try {
          const done = transaction(database, work)
          if (done) resolve(done.result)
          return done !== undefined
        } catch (error) {
          reject(error)
          return true
        }
      }
      queue.push({ until: performance.now() + patienceMs, attempt, reject })
      serving ??= serve()
    })
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
      const done = queue.length === 0 ? transaction(database, work) : undefined
      if (done) return done.result
      if (held + size > WAITING_CHARACTERS) throw new LockedError()
      held += size
      try {
        return await wait(work)
      } finally {
        held -= size
      }
    },
    async idle() {
      await serving
    },
  }
}

/** What the work gave; undefined while another process has the file. */
function transaction<T>(database: DatabaseSync, work: () => T): { result: T } | undefined {
  if (!unlessLocked(() => database.exec('BEGIN IMMEDIATE'))) return undefined
  try {
    const result = work()
    database.exec('COMMIT')
    return { result }
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
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

/** The lower byte says what it is, the others why. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 0xff) === SQLITE_BUSY
