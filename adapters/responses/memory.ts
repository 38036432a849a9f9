import type { Ask, Frame, Memory, Recalled, Recorder, Resolved } from '../adapter.ts'
import {
  defined,
  isObject,
  parseObject,
  verbatimPaths,
  type Json,
  type JsonObject,
} from '../../src/canonical/json.ts'
import { ProblemError, type Problem } from '../../src/canonical/problem.ts'
import { listOf, lookup, objectsOf, textIn } from './members.ts'
import { FramePacker, TERMINAL, unpackFrames } from './memory-frames.ts'
import { answerStored, matchStored } from './memory-routes.ts'
import { inputOf, outputOf, responseOf } from './memo.ts'
import { checkRequest, typeOfItem } from './wire.ts'

const MEMO_VERBATIM = verbatimPaths(
  'input.*.tools.*.parameters',
  'input.*.tools.*.tools.*.parameters',
)

const isReference = (item: Json): item is JsonObject =>
  isObject(item) && typeOfItem(item) === 'item_reference'

function asks(body: Json): Ask {
  const { store, previous_response_id: previous, input } = isObject(body) ? body : {}
  return defined({
    keep: store !== false,
    previous: typeof previous === 'string' ? previous : undefined,
    references: listOf(input)
      .filter(isReference)
      .flatMap((item) => textIn(item, 'id') ?? []),
  })
}

/** The instructions of earlier requests are not carried over; they are no part of the input. */
function resolve(body: Json, { chain, items }: Recalled): Resolved {
  const request = checkRequest(body, true)
  const past = chain.flatMap((memo) => [...inputOf(memo), ...replayed(memo)])
  const fresh = freshInput(request['input']).flatMap((item, index): Json[] =>
    isReference(item) ? referred(item, index, items, chain) : [item],
  )
  const input = [...past, ...fresh]
  return { body: { ...request, ...wantsProofs(request, input), input }, fresh }
}

const PROOFS = 'reasoning.encrypted_content'

/**
 * An upstream of this dialect that is sent the whole conversation does not keep it, so what it thinks has
 * to come back with its proof. It may be asked for one only where the model reasons.
 */
function wantsProofs({ reasoning, include }: JsonObject, input: readonly Json[]): JsonObject {
  const asked = listOf(include)
  const reasons =
    isObject(reasoning) || objectsOf([...input]).some((item) => item['type'] === 'reasoning')
  return reasons && !asked.includes(PROOFS) ? { include: [...asked, PROOFS] } : {}
}

const freshInput = (input: Json | undefined): Json[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)

/** An item that the chain brings anyway is not said twice. */
function referred(
  reference: JsonObject,
  index: number,
  items: Recalled['items'],
  chain: Recalled['chain'],
): JsonObject[] {
  const id = textIn(reference, 'id') ?? ''
  const memo = items.get(id)
  const found = memo && itemWith(memo, id)
  if (!found) throw new ProblemError({ ...missingItem(id), param: `input.${index}` })
  return chain.some((earlier) => itemWith(earlier, id)) ? [] : [found]
}

function itemWith(memo: JsonObject, id: string): JsonObject | undefined {
  const output = outputOf(memo).find((item) => item['id'] === id)
  if (output) return withoutId(output)
  const at = listOf(memo['ids']).indexOf(id)
  const input = inputOf(memo)
  return at < 0 ? input.find((item) => item['id'] === id) : input[at]
}

/** What a reply that was cut off left unfinished is not said again. */
function replayed(memo: JsonObject): JsonObject[] {
  const { status } = responseOf(memo)
  const isBroken = status === 'failed' || status === 'cancelled'
  const items = outputOf(memo).filter((item) => !isBroken || item['status'] !== 'incomplete')
  return items.map(withoutId)
}

/** Types whose ids an upstream need not be sent; it would look for one that it did not give. */
const NAMELESS = new Set<Json | undefined>([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
])

function withoutId(item: JsonObject): JsonObject {
  if (!NAMELESS.has(item['type'])) return item
  const { id: _, ...rest } = item
  return rest
}

function recorder(fresh: readonly Json[], newId: (prefix: string) => string): Recorder {
  const frames = new FramePacker()
  let id: string | undefined
  let ids: Json[] | undefined
  return {
    get id() {
      return id
    },
    push(written) {
      for (const frame of written) frames.add(frame)
      id ??= idIn(written[0])
    },
    memo(cancelled) {
      ids ??= fresh.map((item) => mintedId(item, newId))
      const input = [...fresh]
      const last = frames.last()
      const { response } = last
      if (!TERMINAL.has(last['type']) || !isObject(response))
        return { input, ids, response: unfinished(frames, cancelled) }
      if (cancelled) return { input, ids, response: { ...response, ...CANCELLED } }
      return { input, ids, response, frames: frames.packed(response) }
    },
  }
}

const CANCELLED = { status: 'cancelled', error: null }

/** The response as the frames tell it so far. */
function unfinished(frames: FramePacker, cancelled = false): JsonObject {
  const events = [...frames.events()]
  const response = events[0]?.['response']
  const output = events
    .filter(({ type }) => type === 'response.output_item.done')
    .flatMap(({ item = null }) => (isObject(item) ? [item] : []))
  return { ...(isObject(response) && response), ...(cancelled && CANCELLED), output }
}

const FINAL = /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/
/** The type of an event stands at its beginning. */
const LOOKED_AT = 200

function replyIn({ event, data }: Frame): JsonObject | undefined {
  if (!TERMINAL.has(event) && !FINAL.test(data.slice(0, LOOKED_AT))) return undefined
  const { response } = parseObject(data) ?? {}
  return isObject(response) ? response : undefined
}

function memoOf(
  fresh: readonly Json[],
  reply: Json,
  newId: (prefix: string) => string,
): ReturnType<Memory['memoOf']> {
  const id = isObject(reply) ? textIn(reply, 'id') : undefined
  if (!isObject(reply) || id === undefined) return undefined
  const ids = fresh.map((item) => mintedId(item, newId))
  const whole = reply['status'] !== 'queued' && reply['status'] !== 'in_progress'
  return { id, memo: { input: [...fresh], ids, response: reply }, whole }
}

const idIn = (frame: Frame | undefined): string | undefined => {
  const { response } = (frame && parseObject(frame.data)) ?? {}
  return isObject(response) ? textIn(response, 'id') : undefined
}

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  function_call_output: 'fco_',
  custom_tool_call_output: 'ctco_',
}

/** Null where an item has an id of its own. */
function mintedId(item: Json, newId: (prefix: string) => string): Json {
  if (!isObject(item) || typeof item['id'] === 'string') return null
  return newId(lookup(PREFIXES, typeOfItem(item)) ?? 'item_')
}

/** The frames of a kept exchange, as they were sent; undefined when it has none. */
export function framesOf(memo: JsonObject): Frame[] | undefined {
  const { frames } = memo
  return Array.isArray(frames) ? unpackFrames(frames, responseOf(memo)) : undefined
}

const missingItem = (id: string): Problem => ({
  kind: 'not-found',
  message: `Item with id '${id}' not found.`,
  param: 'input',
  code: '',
})

const MISSING: Record<Parameters<Memory['missing']>[0], (id: string) => Problem> = {
  previous: (id) => ({
    kind: 'invalid-request',
    message: `Previous response with id '${id}' not found.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  }),
  item: missingItem,
  stored: (id) => ({
    kind: 'not-found',
    message: `Response with id '${id}' not found.`,
    code: '',
  }),
}

/** Replies that can be continued, referred to, and asked for again. */
export const memory: Memory = {
  verbatim: MEMO_VERBATIM,
  keepMember: 'store',
  mayRefer: (text) =>
    text.includes('"previous_response_id"') || /"(?:item_reference|id)"/.test(text),
  asks,
  resolve,
  recorder,
  idIn,
  replyIn,
  memoOf,
  itemsOf: (memo) => outputOf(memo).flatMap((item) => textIn(item, 'id') ?? []),
  match: matchStored,
  query: [
    'include',
    'include[]',
    'include_obfuscation',
    'stream',
    'starting_after',
    'after',
    'limit',
    'order',
  ],
  answer: (action, chain, query) => answerStored(action, chain, query, framesOf),
  missing: (what, id) => MISSING[what](id),
}
