import type { Cluster, Worker } from 'node:cluster'
import type { Readable } from 'node:stream'
import { listSecrets } from '../../upstream/secrets.ts'
import { VERSION } from '../../version.ts'
import type { Proxy } from '../command/commands.ts'
import { logTo } from '../command/parts.ts'
import { greeting } from '../command/describe.ts'
import { egressSecrets } from '../upstream/egress.ts'
import { errorCode } from '../process/files.ts'
import { filesNow, type FoundSettings, foundSettings } from '../command/found.ts'
import type { Options } from '../command/options.ts'
import type { Process } from '../process/process.ts'
import { demandReloadable, refusedReload } from '../process/reload.ts'
import { signaturesOf, watchFiles } from '../process/watch.ts'
import { createCounts } from './counts.ts'
import { sendTo, type ToPrimary, type ToWorker } from './messages.ts'

/**
 * Several processes behind one port: this one has the port and hands connections round. It reads the configuration
 * for all, so that all go by the same, hears signals, writes the log, and starts again what has ended.
 */

/** Pauses before an ended process is replaced grow from the first to the longest, and begin anew after one that served. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000
const LIVED_MS = 60_000
/** How long a process may take to end once its time for draining is over. */
const FAREWELL_MS = 5000

/** A process that did not come up: what it said, and how it ended. */
export class WorkerFailure extends Error {
  readonly code: number

  constructor(said: string, code: number) {
    super(said)
    this.code = code
  }
}

export async function serveTogether(
  cluster: Cluster,
  options: Options,
  world: Process,
): Promise<Proxy> {
  let found = foundSettings(options, world)
  const seen = signaturesOf(found.files)
  const workers = new Workers(cluster, world, () => found)
  const url = await workers.start(options.workers ?? 1)
  const egress = egressSecrets(world.environment)
  const log = logTo(world, () => [...listSecrets(found.settings), ...egress])
  const { settings } = found
  world.say(greeting(settings, url, world.environment, { processes: options.workers }))
  log({ event: 'start', version: VERSION, url, configuration: settings.origin })
  const reload = (): void => {
    try {
      const next = foundSettings(options, world, found.settings.origin)
      demandReloadable(found.settings, next.settings)
      found = next
      workers.tell({ kind: 'reload', read: next.read })
      log({ event: 'reload', result: 'ok', configuration: next.settings.origin })
    } catch (error) {
      const event = refusedReload(error, found.settings.origin)
      workers.tell({ kind: 'refused' })
      log(event)
      for (const line of event.faults) world.complain(`not reloaded: ${line}`)
    }
  }
  const files = () => [...new Set([...found.files, ...filesNow(options, world)])]
  const unwatch = options.watch ? watchFiles(files, reload, seen) : () => undefined
  return {
    url,
    async reload() {
      if (!workers.isStopping) reload()
    },
    async stop() {
      unwatch()
      const { drainMs, lingerMs } = found.settings.limits
      await workers.stop(drainMs + lingerMs + FAREWELL_MS)
    },
  }
}

/** The processes that serve: as many as are wanted, each with the settings that hold. */
class Workers {
  readonly #cluster: Cluster
  readonly #world: Process
  readonly #found: () => FoundSettings
  readonly #running = new Set<Worker>()
  /** Those that serve. One that is still at its start has counted nothing. */
  readonly #listening = new Set<Worker>()
  readonly #counts = createCounts(this.#listening)
  /** Warnings of processes at their start: all have the same ones. */
  readonly #warnings = new Set<string>()
  #started = false
  #stopping = false
  #pauseMs = FIRST_PAUSE_MS

  constructor(cluster: Cluster, world: Process, found: () => FoundSettings) {
    this.#cluster = cluster
    this.#world = world
    this.#found = found
    cluster.setupPrimary({ silent: true, args: process.argv.slice(2) })
  }

  get isStopping(): boolean {
    return this.#stopping
  }

  /** Resolves with the address when all listen; rejects with what the first one says that does not. */
  async start(count: number): Promise<string> {
    try {
      const [url = ''] = await Promise.all(Array.from({ length: count }, () => this.#begin()))
      this.#started = true
      for (const line of this.#warnings) this.#world.say(line)
      return url
    } catch (error) {
      await this.#ended(0)
      throw error
    }
  }

  tell(message: ToWorker): void {
    for (const worker of this.#running) sendTo(worker, message)
  }

  async stop(mostMs: number): Promise<void> {
    const ended = this.#ended(mostMs)
    this.tell({ kind: 'stop' })
    await ended
  }

  /** Resolves with its address. */
  #begin(): Promise<string> {
    const worker = this.#cluster.fork()
    this.#running.add(worker)
    const bornAt = performance.now()
    const said = this.#forward(worker)
    const dropLast = lastConnectionOf(worker)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#listenTo(worker, resolve)
    worker.process.once('close', (code: number | null, signal: string | null) => {
      dropLast()
      this.#running.delete(worker)
      this.#listening.delete(worker)
      this.#counts.leave(worker)
      const end = signal ?? String(code)
      const words = said() || `dragoman: a process has ended at its start (${end})\n`
      reject(new WorkerFailure(words, code || 1))
      if (!this.#started || this.#stopping) return
      this.#again(`process ${worker.process.pid} has ended (${end})`, performance.now() - bornAt)
    })
    // For example that it cannot be written to, since it has just ended: that is noticed above.
    worker.on('error', () => undefined)
    return promise
  }

  #listenTo(worker: Worker, listens: (url: string) => void): void {
    let given: FoundSettings | undefined
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'ready') {
        given = this.#found()
        sendTo(worker, { kind: 'begin', read: given.read, logStyle: this.#world.logStyle })
      } else if (message.kind === 'listens') {
        this.#listening.add(worker)
        // What has come meanwhile.
        const { read } = this.#found()
        if (read !== given?.read) sendTo(worker, { kind: 'reload', read })
        listens(message.url)
      } else this.#counts.hear(worker, message)
    })
  }

  #again(why: string, livedMs: number): void {
    if (livedMs > LIVED_MS) this.#pauseMs = FIRST_PAUSE_MS
    const { complain } = this.#world
    complain(`${why}; another one starts in ${this.#pauseMs / 1000} s`)
    setTimeout(() => {
      if (!this.#stopping) this.#replace()
    }, this.#pauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
  }

  #replace(): void {
    const { complain } = this.#world
    try {
      this.#begin().then(
        () => complain('another one listens'),
        () => undefined,
      )
    } catch (error) {
      // The system has no room for it now; those that are there go on.
      this.#again(`a process cannot be started (${errorCode(error)})`, 0)
    }
  }

  async #ended(mostMs: number): Promise<void> {
    this.#stopping = true
    const ends = [...this.#running].map(closed)
    const kill = setTimeout(() => {
      for (const worker of this.#running) worker.process.kill('SIGKILL')
    }, mostMs)
    await Promise.all(ends)
    clearTimeout(kill)
  }

  /** Whole lines, so that those of different processes do not mix. At the start errors are kept for one telling. */
  #forward(worker: Worker): () => string {
    let said = ''
    readLines(worker.process.stdout, this.#world.write)
    readLines(worker.process.stderr, (text) => {
      if (this.#started) return this.#world.say(text)
      said += text
      for (const line of text.match(/^dragoman: .+\n/gm) ?? []) this.#warnings.add(line)
    })
    return () => said
  }
}

/**
 * Closes the connection that a process was given last, if it has not said that it has it: Node forgets such a one
 * with the process, and its caller would wait for an answer until its patience ends (`handoff` in Node 24.21's
 * internal/cluster/round_robin_handle, which gives a process one at a time).
 */
function lastConnectionOf({ process }: Worker): () => void {
  let last: { close?(): void } | undefined
  const send = process.send.bind(process) as (...sent: unknown[]) => boolean
  process.send = (...sent: unknown[]) => {
    const [, handle] = sent
    if (typeof handle === 'object' && handle) last = handle
    return send(...sent)
  }
  return () => last?.close?.()
}

/** Its end, and that of all it has said. */
const closed = ({ process }: Worker): Promise<void> =>
  new Promise((resolve) => process.once('close', () => resolve()))

function readLines(from: Readable | null, write: (text: string) => void): void {
  let rest = ''
  from?.setEncoding('utf8')
  from?.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end === 0) rest += text
    else {
      write(rest + text.slice(0, end))
      rest = text.slice(end)
    }
  })
  from?.on('end', () => {
    if (rest !== '') write(`${rest}\n`)
  })
}
