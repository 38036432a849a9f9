import { startWorker } from '../runtime/worker-runtime.ts'
import { lineServer, type Script } from './line.ts'
import { CALLER_KEY, LIMITS, modelIn, UPSTREAM_KEY, type Stage } from './stage.ts'
import { voices } from './voices.ts'

/** The Worker as it is deployed, in its own runtime, between real sockets. */
export async function openWorkerStage(): Promise<Stage> {
  const scripts = new Map<string, Script>()
  const upstream = await lineServer(modelIn, (model) => scripts.get(model))
  const runtime = await startWorker({
    source: { entryPoints: ['src/worker.ts'] },
    variables: { DRAGOMAN_CONFIG: JSON.stringify(configFor(upstream.port)) },
  })
  const url = await runtime.ready
  return {
    url,
    upstream,
    log: [],
    script: (model, script) => void scripts.set(model, script),
    async close() {
      await runtime.dispose()
      upstream.close()
    },
  }
}

const PATIENT = { connectMs: 300, firstByteMs: 9000, idleMs: 9000, totalMs: 20_000 }
const HASTY = { connectMs: 300, firstByteMs: 300, idleMs: 300, totalMs: 1500 }

function configFor(port: number): object {
  const upstreams = voices.flatMap(({ dialect }) =>
    Object.entries({
      '': [`http://127.0.0.1:${port}/${dialect}`, PATIENT],
      'hasty-': [`http://127.0.0.1:${port}/${dialect}`, HASTY],
      'refusing-': ['http://127.0.0.1:1', PATIENT],
    }).map(([prefix, [url, timeouts]]) => [
      `${prefix}${dialect}`,
      { dialect, url, key: UPSTREAM_KEY, auth: 'bearer', maxOutputTokens: 100, timeouts },
    ]),
  )
  const names = upstreams.map(([name]) => String(name))
  const { bodyBytes, replyBytes, eventBytes, streamBytes, depth, nodes } = LIMITS
  return {
    upstreams: Object.fromEntries(upstreams),
    routes: names.map((name) => ({ model: `${name}--*`, upstream: name })),
    callers: { keys: [CALLER_KEY] },
    state: { store: 'off' },
    limits: { bodyBytes, replyBytes, eventBytes, streamBytes, depth, nodes, heartbeatMs: 350 },
  }
}
