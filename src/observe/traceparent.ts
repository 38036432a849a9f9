/** Where an exchange stands in a trace. */
export interface TraceContext {
  traceId: string
  /** The span of the exchange itself. */
  spanId: string
  /** The caller's span, where it told one. */
  parentId?: string
  tracestate?: string
  sampled: boolean
  /** One span per request to an upstream, as they were begun. */
  calls: string[]
  /** Begins one more, and says what an upstream may be told of it. */
  beginCall(): string
}

/** How much is traced, and whether callers may ask for it. */
export interface TraceSampling {
  ratio: number
  trust: boolean
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const NOTHING = /^0+$/
const MOST_STATE = 512

/**
 * The trace that a request belongs to, by the rules of W3C Trace Context: what is not exactly a `traceparent` begins
 * a new one. The flag *sampled* of a caller is a wish, which only a trusted one is granted.
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
  const state = isValid ? headers.get('tracestate') : null
  // By bits that are ours: a caller could choose an id that is always taken.
  const isChosen = Number.parseInt(own.slice(0, 13), 16) / 2 ** 52 < ratio
  const sampled = trust && isValid ? wished : isChosen
  const calls: string[] = []
  return {
    traceId: id,
    spanId: randomId().slice(0, 16),
    ...(isValid && { parentId }),
    ...(state !== null && state.length <= MOST_STATE && { tracestate: state }),
    sampled,
    calls,
    beginCall() {
      const call = randomId().slice(0, 16)
      calls.push(call)
      return `00-${id}-${call}-${sampled ? '01' : '00'}`
    },
  }
}
