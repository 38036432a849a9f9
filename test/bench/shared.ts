import type { Dialect } from '../../adapters/dialect.ts'

/** What the processes of the benchmark have to agree on. */

export { DIALECTS, type Dialect } from '../../adapters/dialect.ts'

/**
 * What is asked: 1 KB; the history of an agent (100 KB), of another session each time; the same with wide
 * characters; sessions that grow from request to request (20 to 150 KB, wide characters); an image (10 MB).
 */
export type Prompt = 'small' | 'agent' | 'agent-wide' | 'growing' | 'image'

/**
 * How the upstream answers: JSON of 1 KB; a stream of one HTTP chunk per event in small writes, in one write, in
 * a write per event, or at its own pace, for a short while or for all deltas; a stream that stays silent after its
 * beginning.
 */
export type Manner = 'json' | 'burst' | 'block' | 'each' | 'paced' | 'talk' | 'idle'

export const DELTAS = 200
export const PACED_DELTAS = 25
export const PACE_MS = 20

export const CALLER_KEY = 'a-key-of-the-benchmark'
/** `pooled`: the name that two upstreams serve. */
export const modelOf = (upstream: Dialect, pooled = false): string =>
  `bench-${pooled ? 'pooled-' : ''}${upstream}`

export { LAST_WORDS } from './words.ts'
/** One request, as a caller of a dialect puts it. */
export interface Asking {
  port: number
  /** What stands before the path, and the key: of another gateway. */
  base?: string
  key?: string
  caller: Dialect
  model: string
  prompt: Prompt
  stream: boolean
}

/** A closed loop: every connection asks again as soon as it has its answer. */
export interface Load extends Asking {
  kind: 'load'
  connections: number
  seconds: number
  /** Whether an answer is read and looked at before anything is counted. */
  checked: boolean
  /** Whether the events carry the time of their writing. */
  timed: boolean
  /** The processes whose CPU is read: what is measured, and the upstream. */
  pid: number | undefined
  upstreamPid: number | undefined
}

/** So many requests, one after another over one connection. */
export interface Few extends Asking {
  kind: 'few'
  requests: number
  /** The process whose CPU is read. */
  pid: number | undefined
}

/** A request every so often, whatever becomes of the ones before. */
export interface Drip extends Asking {
  kind: 'drip'
  everyMs: number
  seconds: number
}

/** Opens streams and keeps them until told otherwise. */
export interface Crowd extends Asking {
  kind: 'crowd'
  connections: number
}

export interface Leave {
  kind: 'leave'
}

export type Job = Load | Few | Drip | Crowd | Leave

/** How much of one processor each of the processes took, from 0 to 1. */
export interface Busy {
  proxy: number
  upstream: number
  callers: number
}

export interface Spread {
  p50: number
  p99: number
  most: number
}

/** What a slice of load came to. */
export interface Score {
  requests: number
  perSecond: number
  /** Of the process that was measured, for one request; undefined where the system does not tell. */
  cpuMs: number | undefined
  /** Milliseconds from the request to the end of the answer, and to the first byte of its body. */
  wait: Spread
  first: Spread
  /** Milliseconds from the upstream's write to the caller's read of an event; of paced streams only. */
  delay: Spread | undefined
  busy: Busy | undefined
  problems: string[]
}

/** Microseconds of a clock that all processes of a machine share. */
export function clockUs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e6 + nanoseconds / 1e3
}

const STAMP_DIGITS = 14

/** The time of its writing as the text of a delta, always as long. */
export const stamp = (): string =>
  `@${Math.round(clockUs()).toString().padStart(STAMP_DIGITS, '0')} `

export const STAMP = new RegExp(`@(\\d{${STAMP_DIGITS}}) `, 'g')
export const STAMP_LENGTH = STAMP_DIGITS + 2
