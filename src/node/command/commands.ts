import { isAscii, isUtf8 } from 'node:buffer'
import type { Adapter } from '../../../adapters/contract.ts'
import { adapters } from '../../../adapters/index.ts'
import { withDemo } from '../../extras/demo/demo.ts'
import { ConfigError } from '../../config/config.ts'
import { parseObject } from '../../json/json.ts'
import { type Finding, writeFault } from '../../config/lint/finding.ts'
import { placed } from '../../config/source.ts'
import { placing } from '../../extras/places/placing.ts'
import { tasks } from '../../extras/tasks/tasks.ts'
import type { AppPorts } from '../../http/app-context.ts'
import { type Send, randomId } from '../../ports.ts'
import { listSecrets } from '../../upstream/secrets.ts'
import type { Settings } from '../../config/settings.ts'
import type { NativeBytes } from '../../extras/recall/fresh-body.ts'
import { createRecall } from '../../extras/recall/recall.ts'
import { createFetchHandler, createReplaceable } from '../../http/app.ts'
import type { Door } from '../../http/admission/guard.ts'
import { createObserver, type Observer } from '../../observe/observer.ts'
import { listedPrice } from '../../observe/prices.ts'
import { createTracer } from '../../observe/traces.ts'
import { toSource } from '../../stream/source.ts'
import { createLog } from '../../observe/log.ts'
import { readableLine } from '../../observe/readable.ts'
import { readEgress, egressSecrets } from '../upstream/egress.ts'
import { greeting, countDown, describeModels, farewell, summary } from './describe.ts'
import { tuneEngine } from '../process/engine.ts'
import { painter, readableExplanation } from './explanation.ts'
import { SharedClock } from '../server/clock.ts'
import { bodyDecoders } from '../server/read-body.ts'
import { bytesFile, errorCode } from '../process/files.ts'
import { filesNow, type FoundSettings, foundSettings, sourceFor } from './found.ts'
import { demandReloadable, refusedReload, secretsInUse } from '../process/reload.ts'
import { signaturesOf, watchFiles } from '../process/watch.ts'
import type { ProcessEvent } from '../../observe/entry.ts'
import { modelFindings, modelList, modelText } from './models.ts'
import { compareOnline, heardOnline } from '../process/online.ts'
import type { Options } from './options.ts'
import type { Process } from '../process/process.ts'
import { openRecord, watchedBy } from '../record/open.ts'
import { createSend } from '../upstream/send.ts'
import { startServer, type RunningServer, type ServerOptions } from '../server/server.ts'
import { SharedWrites } from '../store/shared-writes.ts'
import type { PageOptions } from './inspector.ts'
import { createSharedCounts, createStore, STORE } from '../store/open.ts'
import { storeFault } from '../store/store.ts'
import { writeSample } from '../../exchange/reply/sample.ts'
import { VERSION } from '../../version.ts'

/** The configuration for a command. The address decides whether callers need keys. */
export const settingsFor = (options: Options, world: Process): Settings =>
  foundSettings(options, world).settings

/** A proxy that listens. */
export interface Proxy {
  url: string
  /** Reads the configuration again. A faulty one changes nothing. */
  reload(): Promise<void>
  /** Resolves when all exchanges have ended or have been ended. */
  stop(): Promise<void>
}

/** A proxy of this process. */
export interface OwnProxy extends Proxy {
  /** Goes by settings that another process has read, or counts that it refused some. */
  adopt(settings: Settings | undefined): void
}

/** What another process does for this one: it tells that both listen, and adds up what they count. */
export interface Helper {
  around(answer: ServerOptions['answer'], observer: Observer): ServerOptions['answer']
}

/** Starts the proxy; rejects with the system's error when the address is taken. */
export async function serve(
  options: Options,
  world: Process,
  found: Pick<FoundSettings, 'settings' | 'files'> = foundSettings(options, world),
  helper?: Helper,
): Promise<OwnProxy> {
  const { settings } = found
  const seen = signaturesOf(found.files)
  const parts = await openParts(options, world, settings, () => ({ ports, reloader }))
  const { log, observer, upstreams, secrets, egress, writes } = parts
  const { deadline, breakOff } = createDeadline()
  let draining = false
  let send = withDemo(settings, adapters, upstreams.send)
  const ports: AppPorts = {
    ...processPorts(parts, (request) => send(request)),
    draining: () => draining,
    deadline,
  }
  const { host, port, watch } = options
  const handler = createReplaceable(settings, ports, doorAt(host, helper))
  const reloader = createReloader(options, world, found, {
    log,
    refused: () => observer.reloaded('error'),
    take: (next) => {
      send = withDemo(next, adapters, upstreams.send)
      const over = handler.replace(next)
      secrets.replace([...listSecrets(next), ...egress], over)
      observer.reloaded('ok')
    },
  })
  // A store that hangs delays the start, and files may change meanwhile.
  const unwatch = watch ? watchFiles(reloader.files, reloader.reload, seen) : () => undefined
  const answer = helper ? helper.around(handler.answer, observer) : handler.answer
  const { limits } = settings
  const shared = { sockets: handler, breakOff, writes }
  const server = await startServer({ answer, host, port, limits, ...shared })
  const url = `http://${reachable(host)}:${server.port}`
  if (!helper) announce(world, log, settings, { url, page: parts.page.url })
  return {
    url,
    adopt: reloader.adopt,
    reload: async () => void (draining || reloader.reload()),
    async stop() {
      draining = true
      unwatch()
      await drain(server, world, log, reloader.settings().limits)
      await closeParts(parts)
    },
  }
}

const doorAt = (host: string, helper: Helper | undefined): Door => ({
  kind: 'listener',
  host,
  shared: helper !== undefined,
})

/** What ends the exchanges that are still open after the drain. */
function createDeadline(): { deadline: AbortSignal; breakOff(): void } {
  const controller = new AbortController()
  const breakOff = () => controller.abort(new Error('the proxy is stopping'))
  return { deadline: controller.signal, breakOff }
}

/** Everything that a proxy consists of, but for its server. `current`: the settings in use. */
async function openParts(
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

type Parts = Awaited<ReturnType<typeof openParts>>

const processPorts = (
  { record, recall, page, log, observer, tracer, store, counts }: Parts,
  send: Send,
): AppPorts => ({
  ...portsWith(send),
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
})

/** Resolves when the open exchanges are over, or have been broken off after their time. */
async function drain(
  server: RunningServer,
  world: Process,
  log: Parts['log'],
  { drainMs, lingerMs }: Settings['limits'],
): Promise<void> {
  const waiting = farewell(server.open(), lingerMs, drainMs)
  if (waiting) world.complain(waiting)
  log({ event: 'drain', open: server.open(), lingerMs, drainMs })
  const settled = countDown(() => server.open(), lingerMs + drainMs, world.replaceLine)
  await server.stop(drainMs, lingerMs)
  settled()
}

async function closeParts({
  record,
  page,
  tracer,
  upstreams,
  store,
  counts,
  log,
}: Parts): Promise<void> {
  page.stop()
  await tracer?.exporter.stop(TRACES_MS)
  upstreams.destroy()
  await record?.close()
  await counts?.close()
  await store?.close()
  log({ event: 'stop' })
}

function announce(
  world: Process,
  log: (event: ProcessEvent) => void,
  settings: Settings,
  { url, page }: { url: string; page: string | undefined },
): void {
  world.say(greeting(settings, url, world.environment, { page }))
  log({ event: 'start', version: VERSION, url, configuration: settings.origin })
}

/** The fastest comparison that there is here. */
const isSameMemory = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0

const nativeBytes: NativeBytes = {
  isAscii,
  isUtf8,
  signs: ({ buffer, byteLength, byteOffset }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('latin1'),
}

/** The page, where it was asked for, and in the demo, which holds no secrets. */
async function pageFor(
  { inspect, inspectPort = 0 }: Options,
  first: Settings,
  shown: Omit<PageOptions, 'port' | 'prices'>,
): Promise<{ ports: Pick<AppPorts, 'inspector'>; url?: string; stop(): void }> {
  if (!(inspect ?? first.inspect ?? first.origin === 'demo'))
    return { ports: {}, stop: () => undefined }
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

interface ReloadSteps {
  log(event: ProcessEvent): void
  take(settings: Settings): void
  refused(): void
}

/**
 * Reads the configuration again and replaces the settings; with a faulty one it reports the faults and keeps them.
 */
function createReloader(
  options: Options,
  world: Process,
  first: Pick<FoundSettings, 'settings' | 'files'>,
  { log, take, refused }: ReloadSteps,
) {
  let current = first
  return {
    settings: () => current.settings,
    files: () => [...new Set([...current.files, ...filesNow(options, world)])],
    adopt(settings: Settings | undefined) {
      if (!settings) return refused()
      take(settings)
      current = { ...current, settings }
    },
    reload() {
      try {
        const next = foundSettings(options, world, current.settings.origin)
        demandReloadable(current.settings, next.settings)
        take(next.settings)
        current = next
        log({ event: 'reload', result: 'ok', configuration: next.settings.origin })
      } catch (error) {
        const event = refusedReload(error, current.settings.origin)
        refused()
        log(event)
        for (const line of event.faults) world.complain(`not reloaded: ${line}`)
      }
    },
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

/**
 * Checks the configuration and what it names on this machine, and describes it; with --online it asks the upstreams
 * too. With --strict a warning is a fault; false where there was one.
 */
export async function check(options: Options, world: Process): Promise<boolean> {
  const { settings, warnings } = foundSettings(options, world)
  const egress = readEgress(world.environment)
  const paint = painter(world.logStyle === 'colour')
  const lines = [...summary(settings, paint, options.workers, egress), ...describeModels(settings)]
  world.write(`configuration: ${settings.origin}\n${lines.join('\n')}\n`)
  const fault = storeFault(settings.state)
  const findings = [
    ...(fault === undefined ? [] : [{ path: STORE, text: fault }]),
    ...modelFindings(settings),
    ...(options.online ? await askOnline(settings, world) : []),
  ]
  const source = sourceFor(options, world)
  const faults = findings.map((each) => placed(each, source))
  const first = faults.find(({ severity }) => severity === 'fault')
  if (first) throw new ConfigError(first.place, first.expected, first.origin, faults)
  for (const warning of faults) world.complain(writeFault(warning))
  const all = warnings + faults.length
  if (!options.strict || all === 0) return true
  world.complain(`--strict takes no warnings: there are ${all}`)
  return false
}

/** Prints what is known of a model, here and as it is configured; or all names. */
export function models(options: Options, world: Process): void {
  const { file: name } = options
  const settings = options.config === undefined ? undefined : settingsFor(options, world)
  world.write(name === undefined ? modelList() : modelText(name, settings))
}

async function askOnline(settings: Settings, world: Process): Promise<Finding[]> {
  const upstreams = createSend(readEgress(world.environment))
  const [heard, differing] = await Promise.all([
    heardOnline(settings, upstreams.send),
    compareOnline(settings, upstreams.send),
  ])
  upstreams.destroy()
  for (const { upstream, words } of heard) world.write(`  online    ${upstream}: ${words}\n`)
  return [...heard.flatMap(({ findings }) => findings), ...differing]
}

/** Writes what an upstream would be sent and what would be lost; false when the answer is an error. */
export async function explain(options: Options, world: Process): Promise<boolean> {
  const settings = settingsFor(options, world)
  const body = bytesFile(world.directory, options.file ?? '-')
  const answer = createFetchHandler(
    { ...settings, callers: { kind: 'open' } },
    portsWith(sendNothing),
  )
  const path = options.path ?? ''
  const { text, ok } = await explainFile(answer, path, body)
  const readable = () => readableExplanation(text, painter(world.logStyle === 'colour'))
  world.write(`${world.logStyle === 'json' ? text : readable()}\n`)
  if (!ok && refersTo(path, body))
    world.complain(
      `explain knows no stored responses: POST the body to /explain${path} of the proxy that keeps them`,
    )
  return ok
}

/** Whether a body names what only a store knows: an earlier response, or an item of one. */
function refersTo(path: string, body: Uint8Array): boolean {
  const memory = callerAt(path)?.caller.memory
  const json = memory && parseObject(new TextDecoder().decode(body))
  if (!json) return false
  const { previous, references } = memory.asks(json)
  return previous !== undefined || references.length > 0
}

const sendNothing: Send = () => Promise.reject(new Error('nothing is sent'))

const portsWith = (send: Send): AppPorts => ({
  send,
  now: Date.now,
  randomId,
  placing,
  tasks,
  log: () => undefined,
})

/** An address by which this machine reaches a proxy that listens at all addresses. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return '127.0.0.1'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

const ORIGIN = 'http://127.0.0.1'

/** Explains one request through the same route that answers it over HTTP. */
async function explainFile(
  answer: (request: Request) => Promise<Response>,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ text: string; ok: boolean }> {
  const response = await answer(
    new Request(`${ORIGIN}/explain${path}`, { method: 'POST', headers: headersFor(path), body }),
  )
  return { text: indented(await response.text()), ok: response.ok }
}

function callerAt(path: string): Adapter | undefined {
  const url = new URL(path, ORIGIN)
  const incoming = { method: 'POST', path: url.pathname, query: url.searchParams }
  return adapters.find(({ caller }) => caller.match(incoming))
}

/** The headers that clients of the path's dialect send, such as its version. */
function headersFor(path: string): Record<string, string> {
  const adapter = callerAt(path)
  return { 'content-type': 'application/json', ...(adapter && writeSample(adapter, 'any').headers) }
}

/** Indented, where that changes only white space: JSON.parse would change large numbers. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
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
