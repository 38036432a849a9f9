import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Section } from './report.ts'

/** What of a CPU profile is needed to tell who took the time. */
interface Profile {
  nodes: { id: number; callFrame: Frame }[]
  samples: number[]
  timeDeltas: number[]
}

interface Frame {
  functionName: string
  url: string
  lineNumber: number
}

const LONGEST = 40

const shortened = (url: string): string =>
  url.replace(/^file:\/\//, '').replace(`${process.cwd()}/`, '')

const titleOf = ({ functionName, url, lineNumber }: Frame): string => {
  const place = url === '' ? '' : ` ${shortened(url)}:${lineNumber + 1}`
  return (functionName || '(anonymous)') + place
}

/** Functions by the time they took themselves, the greediest first. */
export function greediest({ nodes, samples, timeDeltas }: Profile): [string, number][] {
  const titles = new Map(nodes.map(({ id, callFrame }) => [id, titleOf(callFrame)] as const))
  const times = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const title = titles.get(id) ?? ''
    times.set(title, (times.get(title) ?? 0) + (timeDeltas[index] ?? 0))
  }
  times.delete('(idle)')
  return [...times].toSorted(([, a], [, b]) => b - a)
}

/** The newest profile of a folder. */
export function profileIn(folder: string): Section {
  const name = readdirSync(folder)
    .filter((file) => file.endsWith('.cpuprofile'))
    .toSorted((a, b) => timeIn(a).localeCompare(timeIn(b)))
    .at(-1)
  if (name === undefined) throw new Error(`There is no profile in ${folder}.`)
  const path = join(folder, name)
  const functions = greediest(JSON.parse(readFileSync(path, 'utf8')))
  const total = functions.reduce((sum, [, time]) => sum + time, 0)
  return {
    title: `${path}: share of the busy time that functions took themselves`,
    head: ['function', '%'],
    rows: functions
      .slice(0, LONGEST)
      .map(([title, time]) => [title, ((time / total) * 100).toFixed(1)]),
  }
}

/** Node puts the date and time of the start into the name. */
const timeIn = (name: string): string => /\d{8}\.\d{6}/.exec(name)?.[0] ?? ''
