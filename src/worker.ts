import { env } from 'cloudflare:workers'
import { adapters } from '../adapters/index.ts'
import type { Problem } from './model/problem.ts'
import { withDemo } from './extras/demo/demo.ts'
import {
  ConfigError,
  type Environment,
  examined,
  type Platform,
  settingsIn,
} from './config/config.ts'
import { writeFault } from './config/lint/finding.ts'
import { type ConfigSource, objectSource, textSource } from './config/source.ts'
import { environmentSource, withVariables } from './config/variables.ts'
import { DEFAULT_RETENTION, ISOLATE_LIMITS } from './config/defaults.ts'
import { randomId } from './ports.ts'
import { fetchSend } from './upstream/fetch-send.ts'
import type { Ports } from './ports.ts'
import type { AppPorts } from './http/app-context.ts'
import { createRecall } from './extras/recall/recall.ts'
import { tasks } from './extras/tasks/tasks.ts'
import { listSecrets } from './upstream/secrets.ts'
import type { Settings } from './config/settings.ts'
import { createReplaceable, fetchOf, refusingAll } from './http/app.ts'
import { asksForSocket } from './http/sockets.ts'
import { appOf } from './http/hono-app.ts'
import { createLog } from './observe/log.ts'
import { isSameMemory } from './workers/same-bytes.ts'
import { openSocket } from './workers/sockets.ts'
import { openWorkersStore } from './workers/store.ts'
import { warmIsolate } from './workers/warm.ts'

export { StateObject } from './workers/durable.ts'

/** Variables and secrets are strings, or objects for tables in `wrangler.toml`; bindings are other objects. */
type WorkerEnvironment = Readonly<Record<string, unknown>>

type Handler = (request: Request) => Response | Promise<Response>

const VARIABLE = 'DRAGOMAN_CONFIG'
const PLATFORM: Platform = { limits: ISOLATE_LIMITS, stores: 'isolate' }

/** The handlers of this isolate. In practice it has one environment and one handler. */
const handlers = new WeakMap<WorkerEnvironment, Handler>()

export default {
  fetch(request: Request, environment: WorkerEnvironment): Response | Promise<Response> {
    const known = handlers.get(environment)
    if (known) return known(request)
    const isOfStart = atStart && isSame(environment, env)
    const { handler } = isOfStart ? atStart : handlerFor(environment)
    handlers.set(environment, handler)
    return handler(request)
  },
}

/** In global scope nothing may throw: then it is thrown again with the first request. */
function startWith(environment: WorkerEnvironment): Made | undefined {
  try {
    const made = handlerFor(environment)
    if (made.settings && environment['DRAGOMAN_WARM'] !== 'off')
      void warmIsolate(made.settings).catch(() => undefined)
    return made
  } catch {
    return undefined
  }
}

/** The environment of a request is another object than that of global scope. */
function isSame(one: WorkerEnvironment, other: WorkerEnvironment): boolean {
  const names = Object.keys(one)
  const isAlike = names.length === Object.keys(other).length
  return isAlike && names.every((name) => Object.is(one[name], other[name]))
}

interface Made {
  handler: Handler
  /** Absent where the configuration is faulty. */
  settings?: Settings
}

/** A line of the log about the configuration. */
interface Note {
  level: 'error' | 'warn'
  text: string
}

/**
 * A Worker cannot refuse to start, so with a faulty configuration it refuses each request; what is wrong is written
 * to the log alone, with the first request: the platform shows nothing that came before.
 */
function handlerFor(environment: WorkerEnvironment): Made {
  const notes: Note[] = []
  const { handler, ...made } = makeFor(environment, notes)
  const telling: Handler = (request) => {
    for (const { level, text } of notes.splice(0)) console[level](`dragoman: ${text}`)
    return handler(request)
  }
  return { ...made, handler: telling }
}

function makeFor(environment: WorkerEnvironment, notes: Note[]): Made {
  try {
    const settings = findSettings(environment, notes)
    return { settings, handler: proxyHandler(settings, environment) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    notes.push({ level: 'error', text: error.message })
    const ports = { now: Date.now, randomId, log: workerLog([]), tasks }
    return { handler: refusingAll(ports, NOT_CONFIGURED) }
  }
}

const NOT_CONFIGURED: Problem = {
  kind: 'internal',
  message: 'This proxy is not configured as it should be; its log says what is wrong.',
  code: 'configuration',
}

const workerLog = (secrets: readonly string[]): Ports['log'] =>
  createLog({ write: (line) => console.log(line), now: Date.now, secrets })

function proxyHandler(settings: Settings, bindings: WorkerEnvironment): Handler {
  const ports: AppPorts = {
    send: withDemo(settings, adapters, fetchSend),
    now: Date.now,
    randomId,
    tasks,
    log: workerLog(listSecrets(settings)),
    recall: createRecall({ bytes: settings.recallBytes ?? 0, isSame: isSameMemory }),
    ...createStore(settings, bindings),
  }
  const handler = createReplaceable(settings, ports, { kind: 'isolate' })
  const answer = fetchOf(handler.answer)
  const app = appOf(({ req }) => answer(req.raw))
  const upgrade = fetchOf(handler.upgrade, openSocket)
  return (request) => (asksForSocket(request) ? upgrade(request) : app.fetch(request))
}

function createStore(
  { state, retention, origin }: Settings,
  bindings: WorkerEnvironment,
): Pick<Ports, 'store'> {
  if (state === 'off') return {}
  try {
    return { store: openWorkersStore(state, { ...DEFAULT_RETENTION, ...retention }, bindings) }
  } catch (error) {
    throw error instanceof ConfigError ? error.within(origin) : error
  }
}

function findSettings(environment: WorkerEnvironment, notes: Note[]): Settings {
  const variables = stringVariables(environment)
  const source = sourceIn(environment[VARIABLE], variables)
  // The demo needs no keys, because it holds no secret and calls no service.
  const exposed = source.origin !== 'demo'
  const result = examined(source, variables, { ...PLATFORM, exposed })
  const settings = settingsIn(result)
  notes.push(...result.faults.map((fault): Note => ({ level: 'warn', text: writeFault(fault) })))
  return settings
}

/** The first of: DRAGOMAN_CONFIG with the variables' values added, the variables alone, the demo. */
function sourceIn(config: unknown, variables: Environment): ConfigSource {
  if (typeof config === 'object' && config !== null)
    return withVariables(objectSource(config, VARIABLE), variables)
  if (typeof config === 'string' && config.trim() !== '')
    return withVariables(textSource(config, VARIABLE), variables)
  return environmentSource(variables)
}

const stringVariables = (environment: WorkerEnvironment): Environment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )

/** What was made of the environment while the isolate started: no request pays for that. */
const atStart = startWith(env)
