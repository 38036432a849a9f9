import { objectIn, parseObject, type Json, type JsonObject } from '../../../src/json/json.ts'
import { invalidBy, type Problem } from '../../../src/model/problem.ts'
import type { CreateOrder, SocketMessage, Order } from '../../../src/sockets/mode.ts'

const CREATE = 'response.create'
const STEER = 'response.steer'

/** The name of a lane. */
const LANE = /^[\w.-]{1,256}$/

/** Members that the connection sets, or that are about it alone. Codex (0.171.0) always sends `stream`. */
const UNSENT: ReadonlySet<string> = new Set([
  'type',
  'stream_id',
  'generate',
  'stream',
  'stream_options',
  'background',
  'previous_response_id',
  'input',
])

export function read(message: SocketMessage | undefined): Order {
  if (!message) return refused(undefined, NO_OBJECT)
  const lane = valueOf(message, 'stream_id')
  if (lane !== undefined && (typeof lane !== 'string' || !LANE.test(lane)))
    return refused(undefined, BAD_LANE)
  switch (valueOf(message, 'type')) {
    case CREATE:
      return readCreate(message, lane)
    case STEER:
      return { kind: 'answered', lane, event: steerFailed(message.parsed(), lane) }
    default:
      return refused(lane, UNKNOWN_TYPE)
  }
}

function readCreate(message: SocketMessage, lane: string | undefined): CreateOrder | Order {
  if (valueOf(message, 'background') === true) return refused(lane, IN_BACKGROUND)
  const previous = valueOf(message, 'previous_response_id') ?? undefined
  if (previous !== undefined && typeof previous !== 'string') return refused(lane, NO_ID)
  const { prewarm } = objectIn(valueOf(message, 'prompt_cache_options'))
  const members = [...message.members.keys()].filter((name) => !UNSENT.has(name))
  return {
    kind: 'create',
    lane,
    previous,
    // `prewarm` warms the service's cache, so the service has to be asked.
    warms: valueOf(message, 'generate') === false && prewarm !== true,
    keeps: valueOf(message, 'store') !== false,
    members: members.map((name) => `${JSON.stringify(name)}:${message.memberText(name)},`).join(''),
    input: message.memberText('input'),
  }
}

/** The value of a member, which is parsed and so has to be short; undefined where it is absent. */
const valueOf = (message: SocketMessage, name: string): Json | undefined => {
  const text = message.memberText(name)
  return text === undefined ? undefined : parseObject(`{"value":${text}}`)?.['value']
}

const refused = (lane: string | undefined, problem: Problem): Order => ({
  kind: 'refused',
  lane,
  problem,
})

const NO_OBJECT = invalidBy('A message has to be one JSON object.')
const UNKNOWN_TYPE = invalidBy(
  `The type of a message has to be "${CREATE}".`,
  'type',
  'unknown_event_type',
)
const BAD_LANE = invalidBy(
  'A stream_id has 1 to 256 characters of A-Z, a-z, 0-9, "_", "." and "-".',
  'stream_id',
  'invalid_stream_id',
)
const IN_BACKGROUND = invalidBy(
  'A reply in the background is asked for with POST /v1/responses.',
  'background',
)
const NO_ID = invalidBy(
  "Invalid 'previous_response_id': expected a string.",
  'previous_response_id',
)

/** No reply can be steered: upstreams are asked over HTTP, which has no word for it. */
function steerFailed(message: Json, lane: string | undefined): JsonObject {
  const { previous_response_id = null, input = null } = objectIn(message)
  return {
    type: 'response.steer.failed',
    sequence_number: 0,
    ...(lane !== undefined && { stream_id: lane }),
    steer: { previous_response_id, input },
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'A reply cannot be steered here. Let it end, or close the connection.',
    },
  }
}
