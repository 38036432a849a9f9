import type { Json, JsonObject } from '../../src/json/json.ts'
import { textIn, type WriteContext } from './dialect.ts'

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
 * Every call must be answered right behind its message, and nothing else may be: results move there, missing ones
 * are made up, and one without a call becomes the user's text.
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
