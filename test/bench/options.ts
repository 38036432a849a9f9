import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

export const HELP = `npm run bench -- [options]

  --quick            the scenarios with goals, in two minutes; fails when a goal is far
  --only a,b         scenarios by name or the beginning of it: small, agent-16, image, burst, block, paced,
                     memory, start, inspect, size, workers
  --lanes a,b        direct, node:http, pass-through, parse+serialise; pairs as messages:responses or m:r;
                     m:r*2 (two upstreams); bare, same, cross, pairs, pools
  --rounds n         rounds of every scenario
  --seconds s        length of a slice
  --prof LANE        a CPU profile of dragoman under one lane (with --only, default small-64), 5 seconds
  --prof-dir DIR     where the profile goes
  --command FILE     another build of the command
  --no-build         take the build as it is
  --markdown         tables as Markdown
`

export interface Options {
  quick: boolean
  only: string | undefined
  lanes: string | undefined
  rounds: number | undefined
  seconds: number | undefined
  prof: string | undefined
  profDir: string
  command: string | undefined
  build: boolean
  markdown: boolean
  help: boolean
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      lanes: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      prof: { type: 'string' },
      'prof-dir': { type: 'string', default: join(tmpdir(), 'dragoman-profiles') },
      command: { type: 'string' },
      build: { type: 'boolean', default: true },
      markdown: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return {
    quick: values.quick,
    only: values.only,
    lanes: values.lanes,
    rounds: numberOf(values.rounds),
    seconds: numberOf(values.seconds),
    prof: values.prof,
    profDir: values['prof-dir'],
    command: values.command,
    build: values.build,
    markdown: values.markdown,
    help: values.help,
  }
}
