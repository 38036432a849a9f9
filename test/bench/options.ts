import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Against } from './against.ts'

export const HELP = `npm run bench -- [options]

  --quick            the scenarios with goals, in two minutes; fails when a goal is far
  --only a,b         scenarios by name or the beginning of it: small, agent-16, image, burst, block, paced,
                     talk-64, memory, resident, start, first, inspect, pool, callers, several, size,
                     workers, edge
  --lanes a,b        direct, node:http, pass-through, parse+serialise; pairs as messages:responses or m:r;
                     m:r*2 (two upstreams); bare, same, cross, pairs, pools
  --rounds n         rounds of every scenario
  --seconds s        length of a slice
  --prof LANE        a CPU profile of dragoman under one lane (with --only, default small-64), 5 seconds
  --prof-dir DIR     where the profile goes
  --command FILE     another build of the command
  --no-build         take the build as it is
  --markdown         tables as Markdown
  --docs             write the table of the last section into docs/performance.md
  --record           keep what the lanes took on a processor as what they usually take
  --against URL      another gateway on this machine as a lane in every case that it can serve
  --against-dialect m,m:r   what it serves: a dialect on both sides, or caller and upstream (default messages)
  --against-key KEY, --against-model NAME   what its callers send, if not what callers here send
  --against-pid N    its process, to read its time on a processor and its memory
  --upstream-port N  where the upstream of all lanes listens, to be told to the other gateway
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
  docs: boolean
  record: boolean
  against: Against | undefined
  upstreamPort: number | undefined
  help: boolean
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

export function readOptions(args: readonly string[]): Options {
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
      docs: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      against: { type: 'string' },
      'against-dialect': { type: 'string', default: 'messages' },
      'against-key': { type: 'string' },
      'against-model': { type: 'string' },
      'against-pid': { type: 'string' },
      'upstream-port': { type: 'string' },
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
    docs: values.docs,
    record: values.record,
    against:
      values.against === undefined
        ? undefined
        : {
            url: values.against,
            dialects: values['against-dialect'],
            key: values['against-key'],
            model: values['against-model'],
            pid: numberOf(values['against-pid']),
          },
    upstreamPort: numberOf(values['upstream-port']),
    help: values.help,
  }
}
