import { isAscii, isUtf8 } from 'node:buffer'
import { ConfigError } from '../../config/config.ts'
import { DEFAULT_RETENTION } from '../../config/defaults.ts'
import { placing } from '../../extras/places/placing.ts'
import { tasks } from '../../extras/tasks/tasks.ts'
import type { AppPorts } from '../../http/app-context.ts'
import { type Send, randomId } from '../../ports.ts'
import { listSecrets } from '../../upstream/secrets.ts'
import type { Settings } from '../../config/settings.ts'
import type { NativeBytes } from '../../extras/recall/fresh-body.ts'
import { createRecall } from '../../extras/recall/recall.ts'
import { memoryStore } from '../../memory/stores/memory.ts'
import { createObserver } from '../../observe/observer.ts'
import { listedPrice } from '../../observe/prices.ts'
import { createTracer } from '../../observe/traces.ts'
import { toSource } from '../../stream/source.ts'
import { createLog } from '../../observe/log.ts'
import { readableLine } from '../../observe/readable.ts'
import { readEgress, egressSecrets } from '../upstream/egress.ts'
import { tuneEngine } from '../process/engine.ts'
import { SharedClock } from '../server/clock.ts'
import { bodyDecoders } from '../server/read-body.ts'
import { errorCode } from '../process/files.ts'
import { sourceFor } from './found.ts'
import { secretsInUse } from '../process/reload.ts'
import type { Options } from './options.ts'
import type { Process } from '../process/process.ts'
import { openRecord, watchedBy } from '../record/open.ts'
import { createSend } from '../upstream/send.ts'
import { SharedWrites } from '../store/shared-writes.ts'
import type { PageOptions } from './inspector.ts'
import { createSharedCounts, createStore } from '../store/open.ts'
import { VERSION } from '../../version.ts'

/** The ports of a proxy that listens nowhere. */
export const barePorts = (send: Send): AppPorts => ({
  send,
  now: Date.now,
  randomId,
  placing,
  tasks,
  log: () => undefined,
})

/** Everything that a proxy consists of, but for its server. `current`: the settings in use. */
export async function openParts(
  options: Options,
  world: Process,
  settings: Settings,
  later: () => { ports: AppPorts; reloader: { settings(): Settings } },
) {
  tuneEngine()
  const egress = egressSecrets(world.environment)
  const secrets = secretsInUse([...listSecrets(settings), ...egress])
  const writes = new SharedWrites()
  const upstreams = createSend(readEgress(world.environment), writes.write)
  const store = await createStore(settings, () => sourceFor(options, world), world.complain)
  const counts = await createSharedCounts(settings)
  const log = logTo(world, secrets.all)
  const observer = createObserver({ version: VERSION, runtime: 'node' }, Date.now)
  const tracer = tracerFor(settings, upstreams.send)
  const page = await pageFor(options, settings, {
    settings: () => later().reloader.settings(),
    ports: () => later().ports,
    secrets: secrets.all,
    store,
  })
  const record = await openRecord(settings, world.directory, secrets.all, log)
  const recall = createRecall({
    bytes: settings.recallBytes ?? 0,
    isSame: isSameMemory,
    native: nativeBytes,
  })
  return {
    record,
    recall,
    egress,
    secrets,
    upstreams,
    store,
    counts,
    log,
    observer,
    tracer,
    page,
    writes,
  }
}

/** The log of a process. */
export const logTo = ({ write, logStyle }: Process, secrets: () => readonly string[]) =>
  createLog({
    write: (text) => write(`${text}\n`),
    now: Date.now,
    later: soonOrAtExit(),
    spell: logStyle === 'json' ? undefined : readableLine(logStyle === 'colour'),
    secrets,
  })

export type ProxyParts = Awaited<ReturnType<typeof openParts>>

/** What the end of the process means for exchanges. */
type Ending = Required<Pick<AppPorts, 'draining' | 'deadline'>>

export const processPorts = (
  { record, recall, page, log, observer, tracer, store, counts }: ProxyParts,
  send: Send,
  ending: Ending,
): AppPorts => ({
  ...barePorts(send),
  alarm: new SharedClock().alarm,
  decoders: bodyDecoders(),
  recall,
  ...watchedBy(page.ports.inspector, record?.ports.inspector),
  log,
  observer,
  ...(tracer && { tracer }),
  prices: listedPrice,
  ...(store && { store }),
  ...(counts && { sharing: { counts, warn: (error) => log({ event: 'limits', error }) } }),
  ...ending,
})

const NO_PAGE = { ports: {}, stop: () => undefined }

const unheardParts = (
  parts: ProxyParts,
  world: Process,
  { recallBytes = 0 }: Settings,
): ProxyParts => ({
  ...parts,
  record: undefined,
  recall: createRecall({ bytes: recallBytes, isSame: isSameMemory, native: nativeBytes }),
  page: NO_PAGE,
  log: logTo({ ...world, write() {} }, () => []),
  observer: createObserver({ version: VERSION, runtime: 'node' }, Date.now),
  tracer: undefined,
  store: parts.store && memoryStore(DEFAULT_RETENTION),
  counts: undefined,
})

/** Ports for the proxy's own exchanges: no log, no count, no page, no store has anything of them. */
export const unheardPorts =
  (parts: ProxyParts, world: Process, settings: Settings, ending: Ending) =>
  (send: Send): AppPorts =>
    processPorts(unheardParts(parts, world, settings), send, ending)

export async function closeParts({
  record,
  page,
  tracer,
  upstreams,
  store,
  counts,
  log,
}: ProxyParts): Promise<void> {
  page.stop()
  await tracer?.exporter.stop(TRACES_MS)
  upstreams.destroy()
  await record?.close()
  await counts?.close()
  await store?.close()
  log({ event: 'stop' })
}

/** The fastest comparison that there is here. */
const isSameMemory = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0

const nativeBytes: NativeBytes = {
  isAscii,
  isUtf8,
  latin1: ({ buffer, byteLength, byteOffset }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('latin1'),
}

/** The page, where it was asked for, and in the demo, which holds no secrets. */
async function pageFor(
  { inspect, inspectPort = 0 }: Options,
  first: Settings,
  shown: Omit<PageOptions, 'port' | 'prices'>,
): Promise<{ ports: Pick<AppPorts, 'inspector'>; url?: string; stop(): void }> {
  if (!(inspect ?? first.inspect ?? first.origin === 'demo')) return NO_PAGE
  const { startInspector } = await import('./inspector.ts')
  try {
    return await startInspector({ ...shown, port: inspectPort, prices: listedPrice })
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE')
      throw new Error(
        `127.0.0.1:${inspectPort} is taken by another program; --inspect-port N chooses another`,
        { cause: error },
      )
    throw new ConfigError('--inspect-port', 'expected a port of 127.0.0.1 that may be listened on')
  }
}

/** How long a stopping process waits for the collector of traces. */
const TRACES_MS = 2000

function tracerFor({ telemetry }: Settings, send: Send) {
  if (!telemetry) return undefined
  const connectMs = 10_000
  return createTracer({
    telemetry,
    version: VERSION,
    now: Date.now,
    randomId,
    async post(url, headers, body, signal) {
      const bytes = new TextEncoder().encode(body)
      const answer = await send({
        method: 'POST',
        url,
        headers: { ...headers },
        body: bytes,
        signal,
        connectMs,
      })
      if (answer.body) void toSource(answer.body).cancel()
      return answer
    },
  })
}

/** How long a line may wait for others. */
const GATHER_MS = 10

/** Runs always the same work, a little later: lines that come soon after each other are one system call. */
function soonOrAtExit(): (run: () => void) => void {
  let isFirst = true
  return (run) => {
    // The last lines are those that explain why the process ends.
    if (isFirst) process.on('exit', run)
    isFirst = false
    setTimeout(run, GATHER_MS)
  }
}
