import { Session, type Profiler } from 'node:inspector/promises'
import { createApp } from '../../src/index.ts'
import type { Config } from '../../src/config/type.ts'
import type { Ports } from '../../src/ports.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { replyIn, wordAt } from '../bench/replies.ts'
import { bodyTexts } from '../bench/requests.ts'
import { kits } from '../dialects/index.ts'

/** How far one exchange goes through the code, from the caller's request to the last byte of its answer. */
export interface Way {
  files: number
  functions: number
  calls: number
  callsPerDelta: number
}

const WARMING = 40
const DELTAS = 100
const OURS = /\/(?:src|adapters)\//

/** What is measured is what stands in these sources, so the measured process has them, and no bundle, loaded. */
export async function measured(caller: Dialect, upstream: Dialect): Promise<Way> {
  const ask = asker(caller, upstream)
  for (let round = 0; round < WARMING; round += 1) {
    await ask(0)
    await ask(DELTAS)
  }
  const whole = await counted(() => ask(0))
  const few = await counted(() => ask(DELTAS))
  const many = await counted(() => ask(2 * DELTAS))
  return { ...whole, callsPerDelta: Math.round((many.calls - few.calls) / DELTAS) }
}

/** Asks for a whole reply, or for a stream of so many deltas, each in a chunk of its own. */
function asker(caller: Dialect, upstream: Dialect): (deltas: number) => Promise<string> {
  const model = 'rooms'
  const config: Config = {
    upstreams: {
      only: { dialect: upstream, url: 'https://upstream.test', key: 'key-of-upstream' },
    },
    callers: 'open',
  }
  const { http } = kits[caller]
  let asked = 0
  const send: Ports['send'] = async () => replyOf(upstream, asked)
  const app = createApp(config, { send, log: () => undefined })
  return async (deltas) => {
    asked = deltas
    const stream = deltas > 0
    const [body = ''] = bodyTexts({ caller, prompt: 'small', model, stream })
    const answer = await app.request(`http://127.0.0.1${http.path(model, stream)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...http.credentials('any') },
      body,
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${caller} over ${upstream}: ${text}`)
    return text
  }
}

async function replyOf(upstream: Dialect, deltas: number) {
  const { json, opening, delta, closing } = replyIn(upstream)
  const words = Array.from({ length: deltas }, (_, index) => delta(wordAt(index), index))
  const pieces = deltas > 0 ? [...opening, ...words, ...closing(deltas)] : [json]
  const type = deltas > 0 ? 'text/event-stream' : 'application/json'
  return new Response(chunks(pieces), { headers: { 'content-type': type } })
}

const chunks = (pieces: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })

/** Counts, with the engine's own counters, what is called while something runs. */
async function counted(run: () => Promise<unknown>): Promise<Omit<Way, 'callsPerDelta'>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return summed(result)
}

function summed(scripts: readonly Profiler.ScriptCoverage[]): Omit<Way, 'callsPerDelta'> {
  const counts = scripts
    .filter(({ url }) => OURS.test(url))
    .map(({ functions }) =>
      functions
        .filter(
          ({ functionName, ranges: [range] }) => functionName !== '' || range?.startOffset !== 0,
        )
        .map(({ ranges: [range] }) => range?.count ?? 0)
        .filter((count) => count > 0),
    )
    .filter((calls) => calls.length > 0)
  const all = counts.flat()
  return {
    files: counts.length,
    functions: all.length,
    calls: all.reduce((sum, count) => sum + count, 0),
  }
}
