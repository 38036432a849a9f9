import type { Json } from '../../json/json.ts'

/** A body, as JSON where it is that. `text`: as it came, where that is not how JSON.stringify writes it. */
export interface RecordedBody {
  body?: Json
  /** The events of a stream. */
  sse?: string
  text?: string
}

export interface RecordedRequest extends RecordedBody {
  method: string
  /** Without the query. */
  path: string
  query: Record<string, string>
  headers: Record<string, string>
}

export interface RecordedResponse extends RecordedBody {
  status: number
  headers: Record<string, string>
}

/** A request to an upstream, and what came of it: an answer, or none at all. */
export interface RecordedCall {
  request: RecordedRequest
  response?: RecordedResponse
  /** `connect`: no connection; `stale`: a reused one was closed; `lost`: it broke, or took too long. */
  failure?: 'connect' | 'stale' | 'lost'
}

/**
 * One line of a record, in the form that `npm run replay` reads: `dialect`, `request` and `response` are those of the
 * upstream that was asked last, and the caller's stand beside them.
 */
export interface RecordedExchange extends RecordedCall {
  id: string
  dialect: string
  op: string
  model: string
  /** Milliseconds since 1970. */
  at: number
  /** What wrote the line. */
  version: string
  upstream: string
  /** Which keys of which upstreams were asked, in their order. */
  members: string[]
  caller: {
    name: string
    dialect: string
    request: RecordedRequest
    response: RecordedResponse
  }
  /** The requests before the last one, where there were several. */
  earlier?: RecordedCall[]
  /** The caller left before the end. */
  cut?: true
  /** What the exchange was given of chance and of time: random ids, and the clock by its steps. */
  ids: string[]
  clock: number[]
}

/** The text of a body as it was. */
export const textOf = ({ text, sse, body }: RecordedBody): string | undefined =>
  text ?? sse ?? (body === undefined ? undefined : JSON.stringify(body))

/** Inverse of `textOf`. */
export function bodyOf(text: string, type: string | null): RecordedBody {
  if (text === '') return {}
  if (type !== null && /event-stream/i.test(type)) return { sse: text }
  try {
    const body: Json = JSON.parse(text)
    return JSON.stringify(body) === text ? { body } : { body, text }
  } catch {
    return { text }
  }
}

/** A line that is a whole exchange; otherwise what is wrong with it. */
export function recordIn(line: string): RecordedExchange | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'is no JSON'
  }
  if (typeof value !== 'object' || value === null) return 'is no object'
  const { request, response, caller, failure } = value as Partial<RecordedExchange>
  if (!caller?.request || !caller.response) return 'has no caller'
  if (!request || (!response && failure === undefined)) return 'has no upstream'
  // What Dragoman has written itself.
  return value as RecordedExchange
}
