import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Finding, findingsOf } from './goals.ts'
import type { Lane } from './lanes.ts'
import { foreign, type Proxy, startLane } from './processes.ts'
import type { Case } from './overview.ts'
import { type Section, verdicts } from './report.ts'
import type { World } from './rounds.ts'
import { modelFor } from './against.ts'
import { digits } from './table.ts'
import { residentKib } from './usage.ts'

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

/** KiB that the process is given by the system, without any help to be tidy. */
async function resident({ pid }: Proxy): Promise<number> {
  await sleep(SETTLE_MS)
  return residentKib(pid) ?? Number.NaN
}

/** KiB that the program itself holds when the garbage has been collected. */
async function own({ child }: Proxy): Promise<number> {
  let usage = { heapUsed: Number.NaN, external: Number.NaN }
  // What is only let go of by finalizers goes the second time.
  for (const time of [1, 2]) {
    await sleep(SETTLE_MS / 2)
    child?.send(time)
    if (child) [usage] = await once(child, 'message')
  }
  return (usage.heapUsed + usage.external) / KIB
}

interface LaneMemory {
  lane: Lane
  /** Resident KiB. */
  atRest: number
  warm: number
  half: number
  crowded: number
  afterwards: number
  /** KiB that the program holds for all streams, without garbage. */
  held: number
  problems: string[]
}

const startLaneWith = async (lane: Lane, world: World, command: string): Promise<Proxy> =>
  lane.gateway
    ? foreign(lane.gateway)
    : startLane(lane.proxy, {
        upstreamPort: world.upstream.port,
        command,
        options: ['--expose-gc', '--import', GAUGE],
        ipc: true,
      })

/**
 * A process of its own for each lane: at rest, warm and without garbage, with a crowd of idle streams, and when
 * they have left. While the crowd comes, nothing is collected that would not be collected by itself.
 */
async function measureLaneMemory(lane: Lane, world: World, making: Making): Promise<LaneMemory> {
  const { upstream, caller } = world
  const proxy = await startLaneWith(lane, world, making.command)
  const { port } = proxy
  const { caller: dialect, gateway } = lane
  const asking = {
    port,
    ...(gateway && { base: gateway.base, key: gateway.key }),
    caller: dialect,
    model: modelFor(lane),
    prompt: 'small',
    stream: true,
  } as const
  const atRest = await resident(proxy)
  await upstream.answer('burst')
  await caller.run({ ...asking, ...WARM })
  const alone = await own(proxy)
  const warm = await resident(proxy)
  await upstream.answer('idle')
  const crowd = { ...asking, kind: 'crowd', connections: making.streams / 2 } as const
  const first = await caller.run(crowd)
  const half = await resident(proxy)
  const second = await caller.run(crowd)
  const crowded = await resident(proxy)
  const held = (await own(proxy)) - alone
  await caller.run({ ...asking, kind: 'leave' })
  const afterwards = await resident(proxy)
  await proxy.stop()
  const problems = [...first.problems, ...second.problems]
  return { lane, atRest, warm, half, crowded, afterwards, held, problems }
}

export interface Making {
  command: string
  streams: number
}

export interface Extra {
  section: Section
  findings: Finding[]
  problems: string[]
  cases?: Case[]
}

export async function measureMemory(
  world: World,
  lanes: readonly Lane[],
  making: Making,
): Promise<Extra> {
  const memories: LaneMemory[] = []
  for (const lane of lanes) memories.push(await measureLaneMemory(lane, world, making))
  // What the engine takes once, when the first half comes, is not theirs.
  const perStream = ({ crowded, half }: LaneMemory) => (crowded - half) / (making.streams / 2)
  const findings = memories.flatMap((memory) =>
    findingsOf('memory', 'idle', memory.lane, perStream(memory)),
  )
  return {
    findings,
    cases: [
      {
        title: 'resident KiB for each idle stream',
        values: memories.map((memory) => ({ lane: memory.lane, value: perStream(memory) })),
        findings,
      },
    ],
    problems: memories.flatMap(({ lane, problems }) =>
      problems.map((problem) => `memory, ${lane.name}: ${problem}`),
    ),
    section: {
      title: `memory: resident MB, and KiB for each of ${making.streams} idle streams`,
      head: ['lane', 'at rest', 'warm', 'crowded', 'after', 'resident KiB', 'own KiB', 'goal'],
      rows: memories.map((memory) => [
        memory.lane.name,
        ...[memory.atRest, memory.warm, memory.crowded, memory.afterwards].map((kib) =>
          digits(kib / KIB),
        ),
        digits(perStream(memory)),
        digits(memory.held / making.streams),
        verdicts(findings, memory.lane.name),
      ]),
    },
  }
}
