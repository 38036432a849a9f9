import type { Json, JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { objectsIn, textIn } from './dialect.ts'
import type { WireBlock } from './wire.ts'

/** One wire block on its way into a message. */
export interface MessagePiece {
  role: 'user' | 'assistant' | 'system'
  value: WireBlock
  /** The canonical place of the turn that it comes from. */
  place: string
}

/** Neighbouring pieces of one role, which become one message. */
export interface Message {
  role: MessagePiece['role']
  pieces: MessagePiece[]
  left: JsonObject
}

/**
 * Results must stand at the very beginning of the message after their calls, before anything else. So results are
 * moved there, missing ones are made up as failures, and a result without a call becomes text.
 */
export function pairResults(messages: Message[], lose: Lose): Message[] {
  const paired: Message[] = []
  let calls: string[] = []
  for (const message of messages) {
    if (message.role === 'system') paired.push(message)
    else if (message.role === 'assistant') {
      calls = message.pieces.flatMap(({ value }) => idsIn(value, 'tool_use', 'id'))
      paired.push(message)
    } else {
      paired.push(answer(message, calls, lose))
      calls = []
    }
  }
  return paired
}

const idsIn = (value: WireBlock, type: string, member: string): string[] =>
  value.type === type ? [textIn(value[member])] : []

function answer(message: Message, calls: string[], lose: Lose): Message {
  const place = message.pieces[0]?.place ?? 'turns'
  const results = new Map<string, MessagePiece>()
  const others: MessagePiece[] = []
  const known = new Set(calls)
  let moved = false
  for (const piece of message.pieces) {
    const [id] = idsIn(piece.value, 'tool_result', 'tool_use_id')
    if (id === undefined) others.push(piece)
    else if (known.has(id) && !results.has(id)) {
      moved ||= others.length > 0
      results.set(id, piece)
    } else others.push(...orphan(piece, lose))
  }
  if (moved) lose('reordered', `${place}.blocks`, 'results come first')
  const answered = calls.every((id) => results.has(id))
  if (!answered) lose('defaulted', `${place}.results`, 'a call without a result')
  const first = answered
    ? [...results.values()]
    : calls.map((id) => results.get(id) ?? interrupted(id, place))
  return { ...message, pieces: [...first, ...others] }
}

const interrupted = (id: string, place: string): MessagePiece => ({
  role: 'user',
  place,
  value: {
    type: 'tool_result',
    tool_use_id: id,
    content: '[no result: interrupted]',
    is_error: true,
  },
})

/** Writes a result as text where its call is not in the model's last message. */
function orphan(piece: MessagePiece, lose: Lose): MessagePiece[] {
  const { content, tool_use_id } = piece.value
  lose('approximated', `${piece.place}.results`, 'a result without its call')
  const heading = `[result of an earlier tool call, ${textIn(tool_use_id)}]`
  const text = typeof content === 'string' ? `${heading}\n${content}` : heading
  return [{ type: 'text', text }, ...contentBlocks(content)].map((value) => ({ ...piece, value }))
}

const contentBlocks = (content: Json | undefined): JsonObject[] => objectsIn(content)
