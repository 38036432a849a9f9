import type { Json, JsonObject } from '../../../src/json/json.ts'
import { isObject, listOf, objectIn, objectsOf } from '../../../src/json/json.ts'
import { invalidBy, statusOf, type Problem } from '../../../src/model/problem.ts'
import type {
  Calls,
  Continued,
  CreateOrder,
  RefusingAnswer,
  SocketMode,
} from '../../../src/sockets/mode.ts'
import { memberText } from '../dialect.ts'
import { memory } from '../memory/index.ts'
import { problemIn, writeProblem } from '../problems.ts'
import { hasWords, isUnproven } from '../reasoning.ts'
import { read } from './orders.ts'
import { laneEvent } from './events.ts'

/** WebSocket mode of `/v1/responses` (openai 7.59, `resources/responses`; the vendor's guide of autumn 2026). */
export const socketMode: SocketMode = {
  read,
  header: (name, value) => (name === 'openai-beta' ? withoutMode(value) : value),
  body,
  calls,
  goOn,
  isWhole: ({ status }) => status === 'completed' || status === 'incomplete',
  event: (data, context) => laneEvent(data, context, refusalIn),
  refusal,
  problems: {
    noCall: (id) => inInput(`No tool call found for function call output with call_id ${id}.`),
    lanes: (most) =>
      invalidBy(
        `This connection has ${most} named lanes already. Use one of them, or make another connection.`,
        'stream_id',
        'websocket_stream_limit_reached',
      ),
    expired: (minutes) =>
      invalidBy(
        `Responses websocket connection limit reached (${minutes} minutes). Create a new websocket connection to continue.`,
        undefined,
        'websocket_connection_limit_reached',
      ),
    unreadable: {
      kind: 'invalid-request',
      message: 'A message has to be text: binary ones are not read.',
    },
  },
}

const inInput = (message: string): Problem => invalidBy(message, 'input')

/** Codex (0.171.0) names the mode itself, which a service that is asked over HTTP does not know. */
function withoutMode(value: string): string | null {
  const names = value.split(',').map((name) => name.trim())
  return names.filter((name) => !name.startsWith('responses_websockets=')).join(', ') || null
}

/** The items of a reply that go on in the conversation: the same that a stored reply brings. */
function goOn(response: JsonObject): JsonObject[] {
  const { body: replayed } = memory.resolve(
    { input: [] },
    { chain: [{ response }], items: new Map() },
  )
  return objectsOf(objectIn(replayed)['input']).filter(isRemembered)
}

/** A thought without words and without a proof is nothing here: only a service that stored it could know it. */
const isRemembered = (item: JsonObject): boolean => !isUnproven(item) || hasWords(item)

/** The input stands last, so that the bodies of one conversation begin alike. */
function body({ members, previous, input }: CreateOrder, continued?: Continued) {
  const base = continued ? continued.base : previous
  const reference = base === undefined ? '' : `"previous_response_id":${JSON.stringify(base)},`
  const head = `{${members}${reference}"stream":true`
  if (!continued || continued.items.length === 0)
    return { head, tail: input === undefined ? '}' : `,"input":${input}}` }
  const fresh = memory.itemsText(input).trimEnd().slice(1, -1).trim()
  return { head: `${head},"input":[`, tail: `${fresh === '' ? '' : `,${fresh}`}]}` }
}

/** The output of a call has the type of the call with this at its end (`function_call_output`). */
const OUTPUT = '_output'

function calls(items: string): Calls {
  const all = objectsOf(parseList(items)).flatMap((item) => {
    const id = memberText(item, 'call_id')
    return id === undefined ? [] : [{ id, isOutput: memberText(item, 'type')?.endsWith(OUTPUT) }]
  })
  return {
    made: all.flatMap(({ id, isOutput }) => (isOutput ? [] : [id])),
    answered: all.flatMap(({ id, isOutput }) => (isOutput ? [id] : [])),
  }
}

function parseList(text: string): Json[] {
  try {
    return listOf(JSON.parse(text))
  } catch {
    return []
  }
}

/** The headers of an answer that say something about its body alone. */
const ABOUT_BODY = /^content-/

/** One shape for all errors, with a code that is a string: the suite of the open standard reads nothing else. */
function refusal({ status, headers, body: said }: RefusingAnswer, lane?: string): JsonObject {
  const { error } = objectIn(said)
  const failure = isObject(error) ? error : {}
  const message =
    memberText(failure, 'message') ?? `The request was answered with status ${status}.`
  const type = memberText(failure, 'type') ?? 'server_error'
  const kept = Object.entries(headers).filter(([name]) => !ABOUT_BODY.test(name))
  return {
    type: 'error',
    status,
    ...(lane !== undefined && { stream_id: lane }),
    error: {
      ...failure,
      type,
      code: memberText(failure, 'code') || CODES.get(type) || type,
      message,
      param: failure['param'] ?? null,
      ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
    },
  }
}

/** The codes of refusals that have none, because their place (`param`) says what is wrong. */
const CODES: ReadonlyMap<string, string> = new Map([['invalid_request_error', 'invalid_value']])

/** The same for the event that ends a stream without a response. */
function refusalIn(event: JsonObject, lane: string | undefined): JsonObject {
  const problem = problemIn(event) ?? { kind: 'internal', message: 'The reply has failed.' }
  const { error } = writeProblem(problem).body
  const body = { error: { ...objectIn(error), ...codeBeside(event) } }
  const { sequence_number } = event
  const refused = refusal({ status: statusOf(problem), headers: {}, body }, lane)
  return sequence_number === undefined ? refused : { ...refused, sequence_number }
}

const codeBeside = (event: JsonObject): JsonObject => {
  const code = memberText(event, 'code')
  return code === undefined ? {} : { code }
}
