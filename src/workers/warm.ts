import { addressOf, type Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { demoConfig, readSettings } from '../config/config.ts'
import { ISOLATE_LIMITS } from '../config/defaults.ts'
import type { Settings } from '../config/settings.ts'
import type { Answer } from '../exchange/exchange.ts'
import { writeSample } from '../exchange/reply/sample.ts'
import { demoSend } from '../extras/demo/demo.ts'
import type { AppPorts } from '../http/app-context.ts'
import { createHandler } from '../http/app.ts'
import { encoded } from '../json/bytes.ts'
import { stringify } from '../json/json.ts'
import { createLog } from '../observe/log.ts'
import type { HttpRequest } from '../ports.ts'
import type { MakeAlarm } from '../stream/time.ts'

/** Global scope has neither timers nor random values, and its clock stands at 0. */
const now = () => 0
const silent: MakeAlarm = () => ({ set() {}, setAt() {}, stop() {}, close() {} })
const noNetwork = () => Promise.reject(new Error('expected the demo alone'))
const PATIENT = { bodyMs: Infinity, heartbeatMs: Infinity, gatherMs: 0 }

const KEY = 'asked-while-it-starts'

interface Answered {
  status: number
  size: number
}

/**
 * Exchanges with the demo while an isolate starts, so that no request pays for what the engine compiles at its first
 * call. Each caller's dialect streams and is answered as a whole, over two of the dialects that are served: those
 * that are left share nearly all with these. Nothing here waits for anything. What was answered, for a test.
 */
export async function warmIsolate({ upstreams }: Pick<Settings, 'upstreams'>): Promise<Answered[]> {
  const answer = createHandler(ownSettings(), portsOfStart(), { kind: 'isolate' })
  const dialects = new Set([...upstreams.values()].map(({ dialect }) => dialect))
  const served = adapters.filter(({ dialect }) => dialects.has(dialect))
  const answers: Answered[] = []
  for (const stream of [true, false])
    for (const [at, caller] of adapters.entries()) {
      const upstream = served[(stream ? at : at + 1) % served.length]
      if (!upstream) continue
      const { status, body } = await answer(requestOf(caller, upstream, stream))
      answers.push({ status, size: await sizeOf(body) })
    }
  return answers
}

function ownSettings(): Settings {
  const config = {
    ...demoConfig(),
    callers: { keys: [KEY] },
    state: { store: 'off' },
  }
  const settings = readSettings(config, {}, { limits: ISOLATE_LIMITS, stores: 'isolate' })
  return { ...settings, limits: { ...settings.limits, ...PATIENT } }
}

const portsOfStart = (): AppPorts => ({
  send: demoSend(adapters, noNetwork),
  now,
  randomId: () => '0'.repeat(32),
  alarm: silent,
  log: createLog({ write() {}, now, secrets: [KEY] }),
})

function requestOf(caller: Adapter, { dialect }: Adapter, stream: boolean): HttpRequest {
  const sample = writeSample(caller, `demo-${dialect}`, stream)
  const bytes = encoded(stringify(sample.body))
  return {
    method: 'POST',
    url: `https://start.invalid${addressOf(sample)}`,
    headers: new Headers({
      ...sample.headers,
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-length': `${bytes.length}`,
    }),
    body: null,
    arrayBuffer: async () => new Uint8Array(bytes).buffer,
    signal: new AbortController().signal,
  }
}

/** What follows the end of a stream is waited for with a timer, so that here it fails. */
async function sizeOf(body: Answer['body']): Promise<number> {
  if (body === null || typeof body === 'string' || 'length' in body) return body?.length ?? 0
  let size = 0
  try {
    for (let piece = await body.read(); piece; piece = await body.read()) size += piece.length
  } catch {
    // All that was to be warmed has come.
  }
  return size
}
