import { open, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** From then on what the log holds is brought into the file itself. */
const LARGE_BYTES = 8 * 1024 * 1024

/** The log into which SQLite writes first what is put into a file. */
export interface WriteAheadLog {
  /** Resolves when everything that was written before is on the disk. */
  flushed(): Promise<void>
  close(): Promise<void>
}

/**
 * A disk may take long, and SQLite would stop the whole process until it is done. So it is told to leave this to
 * others: the log is flushed here, once for all that wait meanwhile, and emptied by a thread. `emptyHere`: the same
 * without a thread, for where there can be none.
 */
export async function openWriteAheadLog(
  file: string,
  version: number,
  emptyHere: () => void,
): Promise<WriteAheadLog> {
  const path = await realpath(file)
  const log = await open(`${path}-wal`, 'r+')
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

/** Work that is begun once for all who ask for it before it begins; who asks later waits for the next time. */
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

/** The names of files that are new; not every system has such a thing. */
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
 * First without holding up those who write, then the rest. The first write behind it waits for the disk too, so it
 * is done here; what it writes is there already.
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
