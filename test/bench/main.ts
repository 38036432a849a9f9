import { buildIfOlder, COMMAND } from './build.ts'
import { figuresOf, judged } from './figures.ts'
import { type Finding, LEAST_DIRECT } from './goals.ts'
import { type Lane, lanesOf } from './lanes.ts'
import { HELP, type Options, optionsOf } from './options.ts'
import { type Proxy, startCaller, startLane, startUpstream } from './processes.ts'
import { type Section, sectionOf } from './report.ts'
import { measure, type World } from './rounds.ts'
import { SCENARIOS, type Scenario, scenariosOf } from './scenarios.ts'
import { markdownTable, textTable } from './table.ts'

/** `npm run bench`: dragoman against bare proxies, everything in proportion to one of them. */

const ROUNDS = { quick: 3, full: 5 } as const
const WARM_SECONDS = 0.5

interface Run {
  options: Options
  command: string
  world: World
  findings: Finding[]
  problems: string[]
}

const isTerminal = process.stderr.isTTY

function progress(text: string): void {
  if (isTerminal) process.stderr.write(`\r\u001b[K${text}`)
}

function print({ options }: Run, { title, head, rows }: Section): void {
  const table = options.markdown ? markdownTable(head, rows) : textTable(head, rows)
  console.log(options.markdown ? `\n### ${title}\n\n${table}` : `\n${title}\n${table}`)
}

/** Processes for the lanes, each started when it is first needed. */
function proxies(upstreamPort: number, command: string, options: readonly string[] = []) {
  const started = new Map<string, Promise<Proxy>>()
  return {
    proxyOf({ proxy }: Lane): Promise<Proxy> {
      const known = started.get(proxy) ?? startLane(proxy, { upstreamPort, command, options })
      started.set(proxy, known)
      return known
    },
    async stop() {
      for (const proxy of started.values()) await (await proxy).stop()
    },
  }
}

async function withWorld(
  command: string,
  options: readonly string[],
  work: (world: World) => Promise<void>,
): Promise<void> {
  const upstream = await startUpstream()
  const caller = startCaller()
  const bystander = startCaller()
  const lanes = proxies(upstream.port, command, options)
  try {
    await work({ upstream, caller, bystander, proxyOf: lanes.proxyOf })
  } finally {
    await lanes.stop()
    for (const child of [caller, bystander, upstream]) child.stop()
  }
}

async function scenario(run: Run, each: Scenario, lanes: readonly Lane[]): Promise<void> {
  const { options, world, findings, problems } = run
  const results = await measure(world, lanes, each, {
    rounds: options.rounds ?? (options.quick ? ROUNDS.quick : ROUNDS.full),
    seconds: options.seconds,
    warmSeconds: WARM_SECONDS,
    progress,
  })
  const figures = figuresOf(results, each)
  const found = judged(each, figures)
  findings.push(...found)
  print(run, sectionOf(each, figures, found))
  for (const { lane, problems: texts } of figures)
    problems.push(...texts.map((text) => `${each.name}, ${lane.name}: ${text}`))
  const direct = figures.find(({ lane }) => lane.proxy === 'direct')?.rate?.middle
  if (direct !== undefined && each.manner !== 'paced')
    console.log(`direct is ${direct.toFixed(1)} times the pass-through, wanted: ${LEAST_DIRECT}`)
}

function conclude({ findings, problems, options }: Run): void {
  const count = (verdict: string) => findings.filter((found) => found.verdict === verdict).length
  console.log(
    `\ngoals: ${count('reached')} reached, ${count('missed')} nearly, ${count('far')} not`,
  )
  for (const problem of problems) console.log(`PROBLEM ${problem}`)
  if (problems.length > 0 || (options.quick && count('far') > 0)) process.exitCode = 1
}

function wanted({ only, quick }: Options): readonly Scenario[] {
  if (only !== undefined) return scenariosOf(only)
  return quick ? SCENARIOS.filter((each) => each.quick) : SCENARIOS
}

async function main(): Promise<void> {
  const options = optionsOf(process.argv.slice(2))
  if (options.help) return console.log(HELP)
  const command = options.command ?? COMMAND
  if (options.build && options.command === undefined) buildIfOlder()
  await withWorld(command, [], async (world) => {
    const run: Run = { options, command, world, findings: [], problems: [] }
    const lanes = lanesOf(options.lanes)
    for (const each of wanted(options)) await scenario(run, each, lanes)
    conclude(run)
  })
}

await main()
