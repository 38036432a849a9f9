import { parseObject, stringify, type JsonObject } from '../../../src/json/json.ts'
import { scanStructure } from '../../../src/json/structure.ts'
import { UNLIMITED, type Slice } from '../../../src/json/tokens.ts'
import type { LaneContext } from '../../../src/sockets/mode.ts'

/** An event has its type within so many characters from its beginning. */
const LOOKED_AT = 200
const BRINGS_RESPONSE =
  /"type"\s*:\s*"response\.(?:created|in_progress|queued|completed|failed|incomplete)"/
const IS_ERROR = /"type"\s*:\s*"error"/
/** Events of this type hold nothing but a delta. */
const DELTA = /^\{"type":"response\.[\w.]+\.delta"/

/** One event as a message: its data alone, with the lane at its end. `refusalIn`: the shape of errors on a socket. */
export function laneEvent(
  data: string,
  context: LaneContext,
  refusalIn: (event: JsonObject, lane: string | undefined) => JsonObject,
): string | undefined {
  if (DELTA.test(data)) return withLane(data, context.lane)
  const head = data.slice(0, LOOKED_AT)
  if (IS_ERROR.test(head) || !head.includes('"type"')) {
    const event = parseObject(data)
    if (!event) return undefined
    if (event['type'] === 'error') return stringify(refusalIn(event, context.lane))
  }
  const { previous } = context
  const continued =
    previous !== undefined && BRINGS_RESPONSE.test(head) ? withPrevious(data, previous) : data
  return withLane(continued, context.lane)
}

function withLane(data: string, lane: string | undefined): string {
  if (lane === undefined) return data
  const end = data.lastIndexOf('}')
  return end < 0 ? data : `${data.slice(0, end)},"stream_id":"${lane}"}`
}

/** The reply names what it continues, although the service was sent the whole conversation. */
function withPrevious(data: string, previous: string): string {
  const response = memberIn(data, { start: 0, end: data.length }, 'response')
  const named = response && memberIn(data, response, 'previous_response_id')
  return named
    ? data.slice(0, named.start) + JSON.stringify(previous) + data.slice(named.end)
    : data
}

/** Where a member of an object stands. */
function memberIn(text: string, { start, end }: Slice, name: string): Slice | undefined {
  const found = scanStructure(text.slice(start, end), UNLIMITED)?.members.get(name)
  return found && { start: start + found.start, end: start + found.end }
}
