import { type Figures, measureFigures, judged } from './figures.ts'
import { pickBetter, type Finding } from './goals.ts'
import { type Lane, withBases } from './lanes.ts'
import type { Extra } from './memory.ts'
import type { Options } from './options.ts'
import { type Case, casesOf, writeOverview } from './overview.ts'
import { writePages } from './pages.ts'
import { poolsIn, proofOf, type Section, writeSection } from './report.ts'
import { measure, type World } from './rounds.ts'
import type { Scenario, Short } from './scenarios.ts'
import { markdownTable, textTable } from './table.ts'
import { record } from './usual.ts'

const ROUNDS = 5
const WARM_SECONDS = { quick: 0.3, full: 0.5 } as const

/** What a run has found so far. */
export interface Run {
  options: Options
  command: string
  findings: Finding[]
  problems: string[]
  cases: Case[]
}

const isTerminal = process.stderr.isTTY

export function progress(text: string): void {
  if (isTerminal) process.stderr.write(`\r\u001b[K${text}`)
}

export function print({ options }: Run, { title, head, rows }: Section): void {
  const table = options.markdown ? markdownTable(head, rows) : textTable(head, rows)
  console.log(options.markdown ? `\n### ${title}\n\n${table}` : `\n${title}\n${table}`)
}

interface Plan {
  run: Run
  world: World
  scenario: Scenario
  short: Short | undefined
}

/** What the rounds say about some lanes. */
async function figuresFor(
  { run: { options }, world, scenario, short }: Plan,
  lanes: readonly Lane[],
): Promise<Figures[]> {
  const results = await measure(world, lanes, scenario, {
    rounds: options.rounds ?? short?.rounds ?? ROUNDS,
    seconds: options.seconds ?? short?.seconds,
    warmSeconds: WARM_SECONDS[short ? 'quick' : 'full'],
    progress,
  })
  return measureFigures(results, scenario)
}

/** Another look at what is far, beside what it is put in proportion to: a busy moment passes, a slow lane stays. */
async function lookedAtAgain(
  plan: Plan,
  lanes: readonly Lane[],
  findings: readonly Finding[],
): Promise<Finding[]> {
  const far = findings.filter(({ verdict }) => verdict === 'far').map(({ lane }) => lane)
  if (far.length === 0) return [...findings]
  const isNeeded = ({ name, proxy }: Lane) => proxy !== 'dragoman' || far.includes(name)
  const again = await figuresFor(
    plan,
    lanes.filter((lane) => isNeeded(lane) && !lane.gateway),
  )
  return pickBetter(findings, judged(plan.scenario, again))
}

/** Measures one scenario and prints it. */
export async function runScenario(
  run: Run,
  world: World,
  scenario: Scenario,
  lanes: readonly Lane[],
  short?: Short,
): Promise<void> {
  const { options } = run
  const plan = { run, world, scenario, short }
  const all = withBases(lanes, scenario.manner)
  const figures = await figuresFor(plan, all)
  if (options.record) record(scenario.name, figures)
  const findings = await lookedAtAgain(plan, all, judged(scenario, figures))
  const told = figures.map(({ lane, problems }) => ({
    isOurs: lane.gateway === undefined,
    lines: problems.map((text) => `${scenario.name}, ${lane.name}: ${text}`),
  }))
  const writeLines = (ours: boolean) =>
    told.filter(({ isOurs }) => isOurs === ours).flatMap(({ lines }) => lines)
  show(run, {
    section: writeSection(scenario, figures, findings),
    findings,
    problems: writeLines(true),
    cases: casesOf(scenario, figures, findings),
  })
  const proof = scenario.manner === 'paced' ? undefined : proofOf(figures)
  for (const line of [...poolsIn(figures), proof, ...writeLines(false)])
    if (line !== undefined) console.log(options.markdown ? `\n${line}` : line)
}

export function show(run: Run, { section, findings, problems, cases = [] }: Extra): void {
  run.findings.push(...findings)
  run.problems.push(...problems)
  run.cases.push(...cases)
  print(run, section)
}

/** A short run fails when a goal is far; every run does when an answer was wrong. */
export function conclude(run: Run): void {
  const { findings, problems, cases, options } = run
  const count = (verdict: string) => findings.filter((found) => found.verdict === verdict).length
  const overview = writeOverview(cases)
  if (cases.length > 0) print(run, overview)
  if (options.docs) writePages(cases)
  console.log(
    `\ngoals: ${count('reached')} reached, ${count('missed')} nearly, ${count('far')} far from it`,
  )
  for (const problem of problems) console.log(`PROBLEM ${problem}`)
  if (problems.length > 0 || (options.quick && count('far') > 0)) process.exitCode = 1
}
