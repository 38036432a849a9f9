/** Where an exchange stands in a trace. */
export interface TraceContext {
  traceId: string
  /** The span of the exchange itself. */
  spanId: string
  /** The caller's span, from its `traceparent`. */
  parentId?: string
  tracestate?: string
  sampled: boolean
  /** The ids of the spans of requests to upstreams, in their order. */
  calls: string[]
  /**
   * Begins the span of one more request; returns the headers for it: a `traceparent`, and the caller's `tracestate`,
   * which goes where its `traceparent` goes (W3C Trace Context, section 3.3).
   */
  beginCall(): Readonly<Record<string, string>>
}

/** How much is traced, and whether callers decide. */
export interface TraceSampling {
  ratio: number
  trust: boolean
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const NOTHING = /^0+$/
const STATE = /^[\x20-\x7e]{1,512}$/

/**
 * The trace of a request, by W3C Trace Context (section 3.2): anything that is not a valid `traceparent` begins a new
 * trace. A caller's *sampled* flag counts only where callers are trusted.
 */
export function traceOf(
  headers: { get(name: string): string | null },
  randomId: () => string,
  { ratio, trust }: TraceSampling,
): TraceContext {
  const [, traceId = '', parentId = '', flags = ''] =
    TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  const isValid = traceId !== '' && !NOTHING.test(traceId) && !NOTHING.test(parentId)
  const own = randomId()
  const id = isValid ? traceId : own
  const wished = (Number.parseInt(flags, 16) & 1) === 1
  const given = isValid ? (headers.get('tracestate') ?? '') : ''
  const state = STATE.test(given) && { tracestate: given }
  // Decided by random bits of our own, because a caller could choose a trace id that is always sampled.
  const isChosen = Number.parseInt(own.slice(0, 13), 16) / 2 ** 52 < ratio
  const sampled = trust && isValid ? wished : isChosen
  const calls: string[] = []
  return {
    traceId: id,
    spanId: randomId().slice(0, 16),
    ...(isValid && { parentId }),
    ...state,
    sampled,
    calls,
    beginCall() {
      const call = randomId().slice(0, 16)
      calls.push(call)
      return { traceparent: `00-${id}-${call}-${sampled ? '01' : '00'}`, ...state }
    },
  }
}
