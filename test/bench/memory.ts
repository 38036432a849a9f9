import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Finding, findingsOf } from './goals.ts'
import type { Lane } from './lanes.ts'
import { type Proxy, startLane } from './processes.ts'
import { type Section, verdicts } from './report.ts'
import type { World } from './rounds.ts'
import { modelOf } from './shared.ts'
import { digits } from './table.ts'

const GAUGE = fileURLToPath(new URL('gauge.ts', import.meta.url))
const WARM = {
  kind: 'load',
  connections: 16,
  seconds: 1.5,
  checked: true,
  timed: false,
  pid: undefined,
  upstreamPid: undefined,
} as const
const KIB = 1024
/** Until what was let go has been let go. */
const SETTLE_MS = 700

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** KiB without garbage: what is resident, and what the program itself holds. */
interface Held {
  resident: number
  own: number
}

async function held({ child }: Proxy): Promise<Held> {
  let usage = { rss: Number.NaN, heapUsed: Number.NaN, external: Number.NaN }
  await sleep(SETTLE_MS)
  // What is only let go of by finalizers goes the second time.
  for (const time of [1, 2]) {
    child?.send(time)
    if (child) [usage] = await once(child, 'message')
  }
  return { resident: usage.rss / KIB, own: (usage.heapUsed + usage.external) / KIB }
}

interface ConversationMemory {
  lane: Lane
  atRest: Held
  warm: Held
  begun: Held
  crowded: Held
  afterwards: Held
  problems: string[]
}

const startOf = (lane: Lane, world: World, command: string): Promise<Proxy> =>
  startLane(lane.proxy, {
    upstreamPort: world.upstream.port,
    command,
    // What V8 reserves for young objects is no stream's, and more than all of them take.
    options: ['--expose-gc', '--max-semi-space-size=1', '--import', GAUGE],
    ipc: true,
  })

/** A process of its own for each lane: at rest, warm, with a crowd of idle streams, and when they have left. */
async function memoryOf(lane: Lane, world: World, making: Making): Promise<ConversationMemory> {
  const { upstream, caller } = world
  const proxy = await startOf(lane, world, making.command)
  const { port } = proxy
  const model = modelOf(lane.upstream)
  const asking = { port, caller: lane.caller, model, prompt: 'small', stream: true } as const
  const atRest = await held(proxy)
  await upstream.answer('burst')
  await caller.run({ ...asking, ...WARM })
  const warm = await held(proxy)
  await upstream.answer('idle')
  const crowd = { ...asking, kind: 'crowd' } as const
  // The first ones fill what the process has reserved: those that come after them tell the price.
  const first = await caller.run({ ...crowd, connections: making.streams / 2 })
  const begun = await held(proxy)
  const others = await caller.run({ ...crowd, connections: making.streams })
  const crowded = await held(proxy)
  await caller.run({ ...asking, kind: 'leave' })
  const afterwards = await held(proxy)
  await proxy.stop()
  const problems = [...first.problems, ...others.problems]
  return { lane, atRest, warm, begun, crowded, afterwards, problems }
}

export interface Making {
  command: string
  streams: number
}

export interface Extra {
  section: Section
  findings: Finding[]
  problems: string[]
}

export async function measureMemory(
  world: World,
  lanes: readonly Lane[],
  making: Making,
): Promise<Extra> {
  const memories: ConversationMemory[] = []
  for (const lane of lanes) memories.push(await memoryOf(lane, world, making))
  const perStream = (pick: keyof Held, { begun, crowded }: ConversationMemory) =>
    (crowded[pick] - begun[pick]) / making.streams
  const findings = memories.flatMap((memory) =>
    findingsOf('memory', 'idle', memory.lane, perStream('resident', memory)),
  )
  return {
    findings,
    problems: memories.flatMap(({ lane, problems }) =>
      problems.map((problem) => `memory, ${lane.name}: ${problem}`),
    ),
    section: {
      title: `memory without garbage: resident MB, and KiB for each of ${making.streams} idle streams`,
      head: ['lane', 'at rest', 'warm', 'crowded', 'after', 'resident KiB', 'own KiB', 'goal'],
      rows: memories.map((memory) => [
        memory.lane.name,
        ...[memory.atRest, memory.warm, memory.crowded, memory.afterwards].map(({ resident }) =>
          digits(resident / KIB),
        ),
        digits(perStream('resident', memory)),
        digits(perStream('own', memory)),
        verdicts(findings, memory.lane.name),
      ]),
    },
  }
}
