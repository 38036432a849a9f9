import { fileURLToPath } from 'node:url'
import type { Extra } from './memory.ts'
import { openConnection } from './connection.ts'
import { findingsOf } from './goals.ts'
import { BASE, type Lane } from './lanes.ts'
import { type Proxy, startLane, startProxy } from './processes.ts'
import { verdicts } from './report.ts'
import { requestFor } from './requests.ts'
import type { World } from './rounds.ts'
import { modelOf } from './shared.ts'
import { ratios, sumUpSeries } from './statistics.ts'
import { digits } from './table.ts'

const NOTHING = fileURLToPath(new URL('nothing.mjs', import.meta.url))

type Start = () => Promise<Proxy>

/** Milliseconds from starting a process to the end of its first answer. */
async function measureOneStart(start: Start, { caller, upstream }: Lane): Promise<number> {
  const begun = performance.now()
  const proxy = await start()
  const { port } = proxy
  const model = modelOf(upstream)
  await answered(port, requestFor({ port, caller, model, prompt: 'small', stream: false }))
  const time = performance.now() - begun
  await proxy.stop()
  return time
}

export function answered(port: number, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = openConnection(port, {
      ended({ startLine }) {
        void opening.then((connection) => connection.close())
        if (startLine.includes(' 200 ')) resolve()
        else reject(new Error(`the first answer: ${startLine}`))
      },
      failed: (reason) => reject(new Error(reason)),
    })
    void opening.then((connection) => connection.ask(request))
  })
}

/** Several starts in turn; everything in proportion to a server that does nothing. */
export async function measureStart(
  { upstream }: World,
  lanes: readonly Lane[],
  { command, rounds }: { command: string; rounds: number },
): Promise<Extra> {
  await upstream.answer('json')
  const making = { upstreamPort: upstream.port, command }
  const kinds = lanes.filter(({ proxy }) => proxy !== 'direct')
  const base: number[] = []
  const times = kinds.map(() => [] as number[])
  const [first = { name: BASE, proxy: BASE, caller: 'messages', upstream: 'messages' }] = kinds
  for (let round = 0; round < rounds; round += 1) {
    base.push(await measureOneStart(() => startProxy([NOTHING]), first))
    for (const [index, lane] of kinds.entries())
      times[index]?.push(await measureOneStart(() => startLane(lane.proxy, making), lane))
  }
  const values = times.map((series) => sumUpSeries(ratios(series, base)))
  const findings = kinds.flatMap((lane, index) =>
    findingsOf('start', 'start', lane, values[index]?.middle),
  )
  const rows = kinds.map((lane, index) => [
    lane.name,
    digits(values[index]?.middle),
    digits(sumUpSeries(times[index] ?? [])?.middle),
    verdicts(findings, lane.name),
  ])
  return {
    findings,
    cases: [
      {
        title: 'start of the process, to a server that does nothing',
        values: kinds.map((lane, index) => ({ lane, value: values[index]?.middle })),
        findings,
      },
    ],
    problems: [],
    section: {
      title: 'start: from the start of the process to its first answer',
      head: ['lane', 'to a bare server', 'ms', 'goal'],
      rows: [['bare node:http server', '1.00', digits(sumUpSeries(base)?.middle), ''], ...rows],
    },
  }
}
