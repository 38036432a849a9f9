import { open, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** With a log of this size its content is moved into the database file. */
const LARGE_BYTES = 8 * 1024 * 1024

/** Thrown when a file of the database is no longer found by its name: what goes into it now is gone with the process. */
export class MovedError extends Error {}

/** The log to which SQLite writes before the database file. */
export interface WriteAheadLog {
  /** Resolves when everything written before is on the disk, and will be found there. */
  flushed(): Promise<void>
  close(): Promise<void>
}

/**
 * Flushing may take long, and SQLite would stop the whole process meanwhile. So the log is flushed here, once for all
 * writes that wait, and emptied by a thread. `emptyHere`: without a thread, for platforms that have none.
 */
export async function openWriteAheadLog(
  file: string,
  version: number,
  emptyHere: () => void,
): Promise<WriteAheadLog> {
  const path = await realpath(file)
  const log = await open(`${path}-wal`, 'r+')
  const found = await identities(path)
  await flushFolder(dirname(path))
  let thread: Thread | undefined
  let emptied: Promise<void> | undefined
  const empty = async (): Promise<void> => {
    if ((await log.stat()).size < LARGE_BYTES) return
    thread ??= startThread({ file: path, version })
    await thread.empty().catch(emptyHere)
  }
  return {
    flushed: together(async () => {
      await log.datasync()
      if ((await identities(path)) !== found) throw new MovedError()
      emptied ??= empty()
        .catch(() => undefined)
        .finally(() => (emptied = undefined))
    }),
    async close() {
      await emptied
      await thread?.close()
      await log.close()
    },
  }
}

/** Differs when the database, or its log, is another file than before, or none. */
async function identities(path: string): Promise<string> {
  const files = [path, `${path}-wal`].map((each) => stat(each).catch(() => undefined))
  return (await Promise.all(files)).map((file) => file?.ino).join()
}

/** Runs `work` once for all callers that come before it begins. Later callers wait for the next run. */
export function together(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    if (next) return next
    const own = last.then(() => {
      next = undefined
      return work()
    })
    next = own
    last = own.catch(() => undefined)
    return own
  }
}

/** Flushes the names of new files. Not every system can open a folder. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

interface Thread {
  empty(): Promise<void>
  close(): Promise<void>
}

/**
 * First empties what it can without blocking writers, then the rest. The first write after that waits for the disk as
 * well, so the thread makes it; its content is there already.
 */
const PROGRAM = `
  process.removeAllListeners('warning')
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(workerData.file)
  database.exec('PRAGMA busy_timeout = 250; PRAGMA synchronous = FULL')
  parentPort.on('message', (word) => {
    if (word === 'close') {
      database.close()
      parentPort.close()
      return
    }
    let fault
    try {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.exec('PRAGMA user_version = ' + workerData.version)
    } catch (error) {
      fault = String(error)
    }
    parentPort.postMessage(fault)
  })`

function startThread(data: { file: string; version: number }): Thread {
  const worker = new Worker(PROGRAM, { eval: true, workerData: data, execArgv: [] })
  worker.unref()
  let failure: Error | undefined
  worker.on('error', (error) => (failure = error))
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const answered = () =>
    new Promise<void>((resolve, reject) => {
      worker.once('message', (fault: unknown) =>
        fault === undefined ? resolve() : reject(new Error(String(fault))),
      )
      void exited.then(() => reject(failure ?? new Error('the thread has ended')))
    })
  return {
    empty() {
      const answer = answered()
      worker.postMessage('empty', [])
      return answer
    },
    async close() {
      worker.postMessage('close', [])
      worker.ref()
      await exited
    },
  }
}
