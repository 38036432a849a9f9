import type { Lookup } from '../model/lookup.ts'
import { headerWait } from '../problems/wait.ts'

/** A span in OTLP/HTTP JSON (opentelemetry.io, "OTLP Specification"): ids in hexadecimal, times as text. */
export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  name: string
  /** 2: SPAN_KIND_SERVER, 3: SPAN_KIND_CLIENT. */
  kind: 2 | 3
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: readonly Attribute[]
  /** 2: STATUS_CODE_ERROR. */
  status: { code?: 2; message?: string }
}

export interface Attribute {
  key: string
  value: OtlpValue
}
type OtlpValue =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: OtlpValue[] } }

/** OTLP writes 64-bit integers as text. Absent values are left out. */
export const toAttributes = (
  values: readonly (readonly [string, string | number | boolean | string[] | undefined])[],
): Attribute[] =>
  values.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: otlpValue(value) }]))

function otlpValue(value: string | number | boolean | string[]): OtlpValue {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(otlpValue) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

export const unixNano = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

const MOST_SPANS = 2048
const BATCH = 512
const EVERY_MS = 5000
const TIMEOUT_MS = 10_000
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504])
const LONGEST_WAIT_MS = 300_000

/** Sends a batch. Of the answer only these two members are used. */
export type Post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<{ status: number; headers: Lookup }>

export interface ExporterOptions {
  endpoint: string
  headers: Readonly<Record<string, string>>
  resource: readonly Attribute[]
  scope: { name: string; version: string }
  schemaUrl: string
  post: Post
  now(): number
}

export interface Exporter {
  /** Never waits: what there is no room for is dropped and counted. */
  add(spans: readonly Span[]): void
  dropped(): number
  waiting(): number
  /** Sends what is left, for at most this time. */
  stop(ms: number): Promise<void>
}

export function createExporter(options: ExporterOptions): Exporter {
  let queue: Span[] = []
  let dropped = 0
  let underway: Promise<void> | undefined
  let notBefore = 0
  const flush = async (): Promise<void> => {
    while (queue.length > 0 && options.now() >= notBefore) {
      const batch = queue.slice(0, BATCH)
      const wait = await sendBatch(options, batch)
      if (wait === undefined) queue = queue.slice(batch.length)
      else notBefore = options.now() + wait
    }
  }
  const begin = () => (underway ??= flush().finally(() => (underway = undefined)))
  const clock = setInterval(begin, EVERY_MS)
  if (typeof clock === 'object' && 'unref' in clock) clock.unref()
  return {
    add(spans) {
      const room = Math.max(0, MOST_SPANS - queue.length)
      dropped += Math.max(0, spans.length - room)
      queue.push(...spans.slice(0, room))
      if (queue.length >= BATCH) void begin()
    },
    dropped: () => dropped,
    waiting: () => queue.length,
    async stop(ms) {
      clearInterval(clock)
      notBefore = 0
      let late: ReturnType<typeof setTimeout> | undefined
      const over = new Promise<void>((resolve) => (late = setTimeout(resolve, ms)))
      await Promise.race([begin(), over])
      clearTimeout(late)
    },
  }
}

/** Undefined when the batch is done with, else the time until it is sent again. */
async function sendBatch(
  options: ExporterOptions,
  spans: readonly Span[],
): Promise<number | undefined> {
  const { endpoint, headers, resource, scope, schemaUrl } = options
  const scopeSpans = [{ scope, schemaUrl, spans }]
  const body = { resourceSpans: [{ resource: { attributes: resource }, scopeSpans }] }
  try {
    const { status, headers: replied } = await options.post(
      `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      { 'content-type': 'application/json', ...headers },
      JSON.stringify(body),
      AbortSignal.timeout(TIMEOUT_MS),
    )
    if (!AGAIN.has(status)) return undefined
    return Math.min(LONGEST_WAIT_MS, Math.max(EVERY_MS, headerWait(replied, options.now()) ?? 0))
  } catch {
    return EVERY_MS
  }
}
