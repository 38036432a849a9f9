import type { Adapter } from '../../../adapters/contract.ts'
import { adapters } from '../../../adapters/index.ts'
import { withDemo } from '../../extras/demo/demo.ts'
import { ConfigError } from '../../config/config.ts'
import { parseObject } from '../../json/json.ts'
import { type Finding, writeFault } from '../../config/lint/finding.ts'
import { placed } from '../../config/source.ts'
import { type Send } from '../../ports.ts'
import { listSecrets } from '../../upstream/secrets.ts'
import type { Settings } from '../../config/settings.ts'
import { createFetchHandler, createReplaceable } from '../../http/app.ts'
import type { Door } from '../../http/admission/guard.ts'
import { type Observer } from '../../observe/observer.ts'
import { readEgress } from '../upstream/egress.ts'
import { greeting, countDown, describeModels, farewell, summary } from './describe.ts'
import { warmUp } from '../warm/warm.ts'
import { painter, readableExplanation } from './explanation.ts'
import { bytesFile } from '../process/files.ts'
import { filesNow, type FoundSettings, foundSettings, sourceFor } from './found.ts'
import { demandReloadable, refusedReload } from '../process/reload.ts'
import { signaturesOf, watchFiles } from '../process/watch.ts'
import type { ProcessEvent } from '../../observe/entry.ts'
import { modelFindings, modelList, modelText } from './models.ts'
import { compareOnline, heardOnline } from '../process/online.ts'
import type { Options } from './options.ts'
import {
  barePorts,
  closeParts,
  openParts,
  type ProxyParts,
  processPorts,
  unheardPorts,
} from './parts.ts'
import type { Process } from '../process/process.ts'
import { createSend } from '../upstream/send.ts'
import { startServer, type RunningServer, type ServerOptions } from '../server/server.ts'
import { STORE } from '../store/open.ts'
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
  const ending = { draining: () => draining, deadline }
  const ports = processPorts(parts, (request) => send(request), ending)
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
  const shared = { limits: settings.limits, sockets: handler, breakOff, writes }
  const server = await startServer({ answer, host, port, ...shared })
  const url = `http://${reachable(host)}:${server.port}`
  if (!helper) announce(world, log, settings, { url, page: parts.page.url })
  const isBusy = () => server.open() > 0
  const portsWith = unheardPorts(parts, world, settings, ending)
  const warming = options.warm ? warmUp({ settings, portsWith, isBusy }) : undefined
  return {
    url,
    adopt: reloader.adopt,
    reload: async () => void (draining || reloader.reload()),
    async stop() {
      draining = true
      unwatch()
      const { limits: now } = reloader.settings()
      await Promise.all([warming?.stop(), drain(server, world, log, now)])
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

/** Resolves when the open exchanges are over, or have been broken off after their time. */
async function drain(
  server: RunningServer,
  world: Process,
  log: ProxyParts['log'],
  { drainMs, lingerMs }: Settings['limits'],
): Promise<void> {
  const waiting = farewell(server.open(), lingerMs, drainMs)
  if (waiting) world.complain(waiting)
  log({ event: 'drain', open: server.open(), lingerMs, drainMs })
  const settled = countDown(() => server.open(), lingerMs + drainMs, world.replaceLine)
  await server.stop(drainMs, lingerMs)
  settled()
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
    barePorts(sendNothing),
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
