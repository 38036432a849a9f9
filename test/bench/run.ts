import { figuresOf, judged } from './figures.ts'
import type { Finding } from './goals.ts'
import type { Lane } from './lanes.ts'
import type { Extra } from './memory.ts'
import type { Options } from './options.ts'
import { poolsIn, proofOf, type Section, sectionOf } from './report.ts'
import { measure, type World } from './rounds.ts'
import type { Scenario, Short } from './scenarios.ts'
import { markdownTable, textTable } from './table.ts'

const ROUNDS = 5
const WARM_SECONDS = { quick: 0.3, full: 0.5 } as const

/** What a run has found so far. */
export interface Run {
  options: Options
  command: string
  findings: Finding[]
  problems: string[]
}

const isTerminal = process.stderr.isTTY

export function progress(text: string): void {
  if (isTerminal) process.stderr.write(`\r\u001b[K${text}`)
}

export function print({ options }: Run, { title, head, rows }: Section): void {
  const table = options.markdown ? markdownTable(head, rows) : textTable(head, rows)
  console.log(options.markdown ? `\n### ${title}\n\n${table}` : `\n${title}\n${table}`)
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
  const results = await measure(world, lanes, scenario, {
    rounds: options.rounds ?? short?.rounds ?? ROUNDS,
    seconds: options.seconds ?? short?.seconds,
    warmSeconds: WARM_SECONDS[short ? 'quick' : 'full'],
    progress,
  })
  const figures = figuresOf(results, scenario)
  const findings = judged(scenario, figures)
  const problems = figures.flatMap(({ lane, problems }) =>
    problems.map((text) => `${scenario.name}, ${lane.name}: ${text}`),
  )
  show(run, { section: sectionOf(scenario, figures, findings), findings, problems })
  const proof = scenario.manner === 'paced' ? undefined : proofOf(figures)
  for (const line of [...poolsIn(figures), proof])
    if (line !== undefined) console.log(options.markdown ? `\n${line}` : line)
}

export function show(run: Run, { section, findings, problems }: Extra): void {
  run.findings.push(...findings)
  run.problems.push(...problems)
  print(run, section)
}

/** A short run fails when a goal is far; every run does when an answer was wrong. */
export function conclude({ findings, problems, options }: Run): void {
  const count = (verdict: string) => findings.filter((found) => found.verdict === verdict).length
  console.log(
    `\ngoals: ${count('reached')} reached, ${count('missed')} nearly, ${count('far')} far from it`,
  )
  for (const problem of problems) console.log(`PROBLEM ${problem}`)
  if (problems.length > 0 || (options.quick && count('far') > 0)) process.exitCode = 1
}
