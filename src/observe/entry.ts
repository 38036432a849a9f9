import type { Loss } from '../model/loss.ts'
import type { TraceContext } from './traceparent.ts'
import type { FinishReason, Usage } from '../model/request.ts'

/** What is known of an exchange when it is over. It never holds a body or a credential. */
export interface LogEntry {
  id: string
  method: string
  /** The path without its query. */
  path: string
  /** The id of the socket on which it came. */
  connection?: string | undefined
  /** The name of the caller's key; `open` where none is needed. */
  caller?: string | undefined
  /** Where the request came from, and the program that says to have sent it; only where the configuration asks. */
  address?: string | undefined
  userAgent?: string | undefined
  /** The labels that the webhook `before` gave the request, and why it gave no answer. */
  labels?: Readonly<Record<string, string>> | undefined
  before?: string | undefined
  /** The caller's dialect. */
  dialect?: string | undefined
  operation?: Operation | undefined
  upstream?: string | undefined
  /** Which of the upstream's keys was used. */
  member?: string | undefined
  upstreamDialect?: string | undefined
  /** The upstream's own id of this exchange. */
  upstreamRequestId?: string | undefined
  route?: string | undefined
  model?: string | undefined
  sentModel?: string | undefined
  /** Of a model that is not known, where something went by what is known: the one it was taken for, or `unknown`. */
  takenFor?: string | undefined
  stream?: boolean | undefined
  /** Its place in a trace; the log writes the trace's id. */
  trace?: TraceContext | undefined
  traceId?: string | undefined
  /** The conversation that it belongs to, as a hash. */
  session?: string | undefined
  /** All requests to upstreams in their order, where there were several. */
  attempts?: readonly Attempt[] | undefined
  status: number
  outcome?: Outcome | undefined
  firstByteMs?: number | undefined
  totalMs: number
  /** From the end of the caller's body to the request to the upstream; absent where none was sent. */
  overheadMs?: number | undefined
  usage?: Tokens | undefined
  /** Some of the tokens are an estimate, because the upstream has not counted all of them. */
  estimated?: true | undefined
  /** In US dollars; absent where the price is not known. */
  cost?: number | undefined
  finish?: FinishReason | undefined
  losses?: readonly Loss[] | undefined
  bytesIn?: number | undefined
  bytesOut?: number | undefined
  /** The error that the caller was told. */
  error?: string | undefined
  /** The reason that the caller is not told, such as the system's error of a connection. */
  reason?: string | undefined
}

/** What was asked for: a reply, a token count, a stored response, a task, or an explanation. */
export type Operation = 'create' | 'count' | 'stored' | 'task' | 'explain'

/** `shed`: refused because of a limit of this process, before anything was done. */
export type Outcome = 'ok' | 'client_error' | 'upstream_error' | 'proxy_error' | 'left' | 'shed'

/** One request to one key of an upstream. */
export interface Attempt {
  member: string
  status?: number
  /** Why there was no status. */
  reason?: string
  ms: number
}

/** A line of the log, and a header, have room for so many attempts; metrics count all. */
export const ATTEMPTS_SHOWN = 8

/** The counts that the model names; an upstream's own counts are left out. */
export type Tokens = Omit<Usage, 'ext'>

const COUNTS = [
  'input',
  'cacheRead',
  'cacheWrite',
  'output',
  'reasoning',
  'toolUse',
] as const satisfies readonly (keyof Tokens)[]

/** More than any exchange takes: a larger count is none. */
export const MOST_TOKENS = 100_000_000

const isCount = (count: number): boolean => count >= 0 && count <= MOST_TOKENS

/** The counts that can be true. */
export function tokensIn(usage: Usage): Tokens {
  const tokens: Tokens = {}
  for (const name of COUNTS) {
    const count = usage[name]
    if (count !== undefined && isCount(count)) tokens[name] = count
  }
  return tokens
}

/** What two requests took together. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one, ...other }
  for (const name of COUNTS) {
    const counts = [one[name], other[name]].filter((count) => count !== undefined)
    if (counts.length > 0) sum[name] = counts.reduce((all, count) => all + count, 0)
  }
  return sum
}

/**
 * The tokens of a request that is over: where the upstream has not counted, the larger of what it has said and an
 * estimate. `isWhole`: it has counted at the end. Nothing is made of no input, so 0 is no count of what was sent, nor of
 * what was received where something was.
 */
export function settledTokens(
  heard: Tokens = {},
  estimate: { input: number; output: number },
  isWhole: boolean,
): Pick<LogEntry, 'usage' | 'estimated'> {
  const { input = 0, output } = heard
  const isCounted = isWhole && (output ?? 0) >= Math.min(1, estimate.output) && output !== undefined
  if (input > 0 && isCounted) return { usage: heard }
  const usage = {
    ...heard,
    input: input > 0 ? input : estimate.input,
    output: isCounted ? output : Math.max(output ?? 0, estimate.output),
  }
  return { usage, estimated: true }
}

/** Shares are rounded to this part. */
const SHARE_PART = 1000

/** The share of the prompt that was read from a cache; undefined where nothing was counted. */
export function cachedShare({ input = 0, cacheRead = 0 }: Tokens = {}): number | undefined {
  return input > 0
    ? Math.round(Math.min(1, cacheRead / input) * SHARE_PART) / SHARE_PART
    : undefined
}

/** Something that happens to the process, and not to one exchange. */
export type ProcessEvent =
  | { event: 'start'; version: string; url: string; configuration: string }
  | { event: 'reload'; result: 'ok'; configuration: string }
  | RefusedReload
  /** The limits of callers are counted by this process alone, because of this. */
  | { event: 'limits'; error: string }
  /** Exchanges that were not written down. */
  | { event: 'record'; dropped: number; error: string }
  | { event: 'drain'; open: number; lingerMs: number; drainMs: number }
  | { event: 'stop' }

export interface RefusedReload {
  event: 'reload'
  result: 'error'
  configuration: string
  error: string
  faults: string[]
}

export type Level = 'info' | 'warn' | 'error'

/**
 * How urgent an entry is: an error for failures of the proxy or an upstream, a warning for refusals of either. Of a stream
 * that failed after its beginning the status is no longer what happened.
 */
export function levelOf(entry: LogEntry | ProcessEvent): Level {
  if ('event' in entry) return levelOfEvent(entry)
  const { status, outcome } = entry
  if (outcome === 'left') return 'info'
  if (status >= 400) return status >= 500 ? 'error' : 'warn'
  return outcome === 'upstream_error' || outcome === 'proxy_error' ? 'error' : 'info'
}

function levelOfEvent(event: ProcessEvent): Level {
  if (event.event === 'limits' || event.event === 'record') return 'warn'
  return event.event === 'reload' && event.result === 'error' ? 'error' : 'info'
}
