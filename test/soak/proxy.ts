import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DEFAULT_RETENTION, PROCESS_LIMITS, TIMEOUTS } from '../../src/config/defaults.ts'
import type { Settings, UpstreamSettings } from '../../src/config/settings.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { createSend } from '../../src/node/upstream/send.ts'
import { startServer } from '../../src/node/server/server.ts'
import { SharedWrites } from '../../src/node/store/shared-writes.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { DIALECTS, IN_FLIGHT_BYTES, type Sample, STREAMS } from './shared.ts'

/** The proxy of the soak, in a process of its own, which can say how it feels. */

const upstreamPort = Number(process.argv[2])
/** `memory` when conversations are to be kept. */
const state = process.argv[3] ?? 'off'
const HASTY = { ...TIMEOUTS, firstByteMs: 300, jsonMs: 300, idleMs: 300 }

const configureUpstream = (name: string, dialect: string): [string, UpstreamSettings] => [
  name,
  {
    name,
    dialect,
    base: `http://127.0.0.1:${upstreamPort}/${dialect}/upstream`,
    key: { kind: 'none' },
    auth: 'bearer',
    headers: {},
    maxOutputTokens: 100,
    models: new Map(),
    timeouts: name === dialect ? TIMEOUTS : HASTY,
  },
]

const upstreams = DIALECTS.flatMap((dialect) => [
  configureUpstream(dialect, dialect),
  configureUpstream(`hasty-${dialect}`, dialect),
])
const settings: Settings = {
  upstreams: new Map(upstreams),
  routes: upstreams.map(([upstream]) => ({ model: `${upstream}--*`, upstream })),
  callers: { kind: 'open' },
  tasks: {},
  state,
  losses: 'report',
  limits: { ...PROCESS_LIMITS, streams: STREAMS, inFlightBytes: IN_FLIGHT_BYTES },
  origin: 'soak',
}

const writes = new SharedWrites()
const client = createSend(undefined, writes.write)
const sockets = createReplaceable(settings, {
  send: client.send,
  now: Date.now,
  randomId: () => crypto.randomUUID().replaceAll('-', ''),
  log: () => undefined,
  ...(state === 'memory' && { store: memoryStore(DEFAULT_RETENTION) }),
})
const server = await startServer({
  answer: sockets.answer,
  sockets,
  host: '127.0.0.1',
  port: 0,
  limits: settings.limits,
  breakOff: () => undefined,
  writes,
})

const MEGABYTE = 1024 * 1024
const NANOSECONDS_PER_MS = 1e6
const lag = monitorEventLoopDelay({ resolution: 5 })
lag.enable()
const started = performance.now()

/** What this itself costs is nobody's lateness. */
function sample(): Sample {
  const lagP99Ms = lag.percentile(99) / NANOSECONDS_PER_MS
  const lagMostMs = lag.max / NANOSECONDS_PER_MS
  lag.disable()
  global.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  setImmediate(() => {
    lag.reset()
    lag.enable()
  })
  return {
    seconds: (performance.now() - started) / 1000,
    heap: heapUsed / MEGABYTE,
    rss: rss / MEGABYTE,
    resources: process.getActiveResourcesInfo().length,
    lagP99Ms,
    lagMostMs,
    peak: process.resourceUsage().maxRSS / 1024,
  }
}

async function stop(): Promise<void> {
  await server.stop(0)
  client.destroy()
  process.exit(0)
}

process.on('message', () => process.send?.(sample()))
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => void stop())
process.send?.(server.port)
