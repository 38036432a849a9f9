import { readLanes, type Lane } from './lanes.ts'
import { CALLER_KEY, modelOf } from './shared.ts'

/** Another gateway that runs on this machine and is measured beside. */
export interface Gateway {
  port: number
  /** What stands before every path. */
  base: string
  key: string
  /** The name that callers send, where it is not the one of the upstream's dialect. */
  model: string | undefined
  /** Its process, where its time on a processor and its memory are to be read. */
  pid: number | undefined
}

export interface Against {
  url: string
  /** Callers' dialects, or pairs: `m,m:r`. */
  dialects: string
  key: string | undefined
  model: string | undefined
  pid: number | undefined
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost']

function toGateway({ url, key = CALLER_KEY, model, pid }: Against): Gateway {
  const { protocol, hostname, port, pathname } = new URL(url)
  if (protocol !== 'http:' || !LOOPBACK.includes(hostname) || port === '')
    throw new Error('--against needs an address of this machine, such as http://127.0.0.1:4000')
  return { port: Number(port), base: pathname.replace(/\/$/, ''), key, model, pid }
}

/** A lane for each pair that the other gateway is said to serve; a dialect alone is on both sides. */
export function lanesAgainst(against: Against | undefined): Lane[] {
  if (!against) return []
  const gateway = toGateway(against)
  return against.dialects.split(',').flatMap((text) => {
    const name = text.trim()
    const [lane] = readLanes(name.includes(':') ? name : `${name}:${name}`).slice(1)
    if (!lane || lane.proxy !== 'dragoman')
      throw new Error(`--against-dialect: "${name}" is neither a dialect nor a pair such as m:r`)
    return [{ ...lane, name: `against ${lane.name}`, proxy: 'against' as const, gateway }]
  })
}

export const modelFor = ({ upstream, twin, gateway }: Lane): string =>
  gateway?.model ?? modelOf(upstream, twin !== undefined)
