import type { Json, JsonObject } from '../../src/json/json.ts'
import { type NameRule, fit } from '../../src/model/names.ts'
import { fingerprint } from '../../src/model/proof.ts'
import type { Turn } from '../../src/model/request.ts'
import type { ServerFacts } from '../contract.ts'
import { textIn, type WriteContext } from './dialect.ts'

/** A turn, with the canonical place that it comes from. */
export interface PlacedTurn {
  turn: Turn
  path: string
}

/**
 * Joins several turns of another dialect's model into one message, as they were one reply. Results must stand
 * directly behind the message with their calls, and the templates of Gemma and Mistral want roles to alternate.
 */
export function writtenTogether(
  turns: readonly Turn[],
  { own }: WriteContext,
): [PlacedTurn, ...PlacedTurn[]][] {
  const list: [PlacedTurn, ...PlacedTurn[]][] = []
  for (const [index, turn] of turns.entries()) {
    const told = { turn, path: `turns.${index}` }
    const last = list.at(-1)
    if (last && !own && turn.role === 'assistant' && last[0].turn.role === 'assistant')
      last.push(told)
    else list.push([told])
  }
  return list
}

/** OpenAI refuses a longer id. */
const LONGEST_ID = 40
const NINE = 9

/** Writes the same id for a call and for its result; changes it only where the server would refuse it. */
export function writeCallId(id: string, { callIds = LONGEST_ID }: ServerFacts): string {
  if (callIds !== 'nine') return fit(id, idRule(callIds))
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : nineOf(id)
}

const idRule = (maxLength: number): NameRule => ({ forbidden: /(?!)/, maxLength })

/** Mistral takes ids of nine letters and digits, so the id becomes a hash of 46 bits. */
const nineOf = (id: string): string =>
  BigInt(`0x${fingerprint(id)}`)
    .toString(36)
    .padStart(NINE, '0')
    .slice(-NINE)

/** One message on its way out. */
export interface Placed {
  /** The canonical place of what it comes from. */
  path: string
  message: JsonObject
  /** The ids of the calls that it makes. */
  calls?: string[]
  /** The id of the call that it answers. */
  resultOf?: string
}

/**
 * Results must stand directly behind the message with their calls, with nothing between. So results are moved
 * there, missing ones are made up, and a result without a call becomes text of the user.
 */
export function repair(placed: readonly Placed[], context: WriteContext): JsonObject[] {
  const messages: JsonObject[] = []
  let open: { calls: Placed; behind: Placed[] } | undefined
  const settle = () => {
    if (open) messages.push(...answered(open.calls, open.behind, context))
    open = undefined
  }
  for (const one of placed) {
    if (one.message['role'] === 'assistant') settle()
    if (one.calls && one.calls.length > 0) {
      messages.push(one.message)
      open = { calls: one, behind: [] }
    } else if (open) open.behind.push(one)
    else messages.push(one.resultOf === undefined ? one.message : orphan(one, context))
  }
  settle()
  return messages
}

function answered(
  { calls = [], path }: Placed,
  behind: Placed[],
  context: WriteContext,
): JsonObject[] {
  const waiting = new Map<string, number>()
  for (const id of calls) waiting.set(id, (waiting.get(id) ?? 0) + 1)
  const results: JsonObject[] = []
  const others: JsonObject[] = []
  let moved = false
  for (const one of behind) {
    const left = waiting.get(one.resultOf ?? '') ?? 0
    if (one.resultOf === undefined) others.push(one.message)
    else if (left > 0) {
      waiting.set(one.resultOf, left - 1)
      moved ||= others.length > 0
      results.push(one.message)
    } else others.push(orphan(one, context))
  }
  if (moved) context.lose('reordered', `${path}.results`, 'results follow their calls')
  for (const [id, count] of waiting)
    for (let missing = count; missing > 0; missing -= 1) {
      context.lose('defaulted', `${path}.results`, 'a call without a result')
      results.push({ role: 'tool', tool_call_id: id, content: '[no result: interrupted]' })
    }
  return [...results, ...others]
}

/** A result whose call is not the model's last one is told in words. */
function orphan({ message, path, resultOf = '' }: Placed, { lose, own }: WriteContext): JsonObject {
  if (message['role'] === 'function' || (own && resultOf === '')) return message
  lose('approximated', path, 'a result without its call')
  const heading = `[result of an earlier tool call, ${resultOf}]`
  return { role: 'user', content: `${heading}\n${plain(message['content'])}` }
}

const plain = (content: Json | undefined): string =>
  Array.isArray(content)
    ? content
        .map((part) =>
          typeof part === 'object' && part !== null && 'text' in part ? textIn(part['text']) : '',
        )
        .join('')
    : textIn(content)
