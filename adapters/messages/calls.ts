import { stringify, type JsonObject } from '../../src/json/json.ts'
import { changeInWords } from '../../src/rules/late-tools.ts'
import { lossesIn, type Lose, type NotedPlace } from '../../src/model/loss.ts'
import { rememberedEach } from '../../src/model/remembered.ts'
import { uniqueIds } from '../../src/rules/names.ts'
import { CALL_ID, objectsIn, textIn } from './dialect.ts'
import type { WireBlock } from './wire.ts'

/** One written block that will become part of a message. */
export interface MessagePiece {
  role: 'user' | 'assistant' | 'system'
  value: WireBlock
  /** The place of the turn that the block comes from. */
  place: NotedPlace
}

/** Neighbouring pieces of one role, which become one message. */
export interface Message {
  role: MessagePiece['role']
  pieces: MessagePiece[]
  left: JsonObject
}

/**
 * Results must stand at the very beginning of the message behind their calls. So results are moved there, a missing one
 * is made up as a failure, and a result without a call becomes text. `isRepeating`: several calls have one id.
 */
export function pairResults(
  messages: readonly Message[],
  isRepeating: boolean,
  lose: Lose,
): Message[] {
  const distinct = isRepeating ? apart(messages) : messages
  const paired = pairEach(distinct, [], lose, (before, heard) => (message) => {
    const calls = before.at(-1)?.calls ?? NONE
    if (message.role === 'assistant') return { message, calls: callsIn(message) }
    if (message.role !== 'user') return { message, calls }
    return { message: answer(message, calls, heard), calls: NONE }
  })
  return paired.map(({ message }) => message)
}

const NONE: readonly string[] = []

interface Paired {
  readonly message: Message
  /** The ids of the calls that wait for results behind this message. */
  readonly calls: readonly string[]
}

const pairEach = rememberedEach<Message, Paired>()

const callsIn = ({ pieces }: Message): string[] =>
  pieces.flatMap(({ value }) => idsIn(value, 'tool_use', 'id'))

/**
 * Makes the ids of calls unique, which the service demands: servers of other dialects may number their calls anew in
 * each reply (`call_0`). A repeated id gets a number that depends only on what stands before it. Results go, in order,
 * to the last calls with their id.
 */
function apart(messages: readonly Message[]): readonly Message[] {
  const unique = uniqueIds(CALL_ID)
  let open = new Map<string, string[]>()
  const rename = (piece: MessagePiece): MessagePiece => {
    const [called] = idsIn(piece.value, 'tool_use', 'id')
    if (called !== undefined) {
      const id = unique(called)
      open.set(called, [...(open.get(called) ?? []), id])
      return { ...piece, value: { ...piece.value, id } }
    }
    const [answered] = idsIn(piece.value, 'tool_result', 'tool_use_id')
    const id = answered === undefined ? undefined : open.get(answered)?.shift()
    return id === undefined ? piece : { ...piece, value: { ...piece.value, tool_use_id: id } }
  }
  return messages.map((message) => {
    if (message.role === 'assistant') open = new Map()
    return { ...message, pieces: message.pieces.map(rename) }
  })
}

const idsIn = (value: WireBlock, type: string, member: string): string[] =>
  value.type === type ? [textIn(value[member])] : []

function answer(message: Message, calls: readonly string[], lose: Lose): Message {
  const place = message.pieces[0]?.place ?? lossesIn(lose)('turns').place()
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
    } else others.push(...orphan(piece, lose, results.get(id)))
  }
  if (moved) lossesIn(lose)(place)('reordered', '.blocks', 'results come first')
  const answered = calls.every((id) => results.has(id))
  if (!answered) lossesIn(lose)(place)('defaulted', '.results', 'a call without a result')
  const first = answered
    ? [...results.values()]
    : calls.map((id) => results.get(id) ?? interrupted(id, place))
  return { ...message, pieces: [...first, ...others] }
}

const interrupted = (id: string, place: NotedPlace): MessagePiece => ({
  role: 'user',
  place,
  value: {
    type: 'tool_result',
    tool_use_id: id,
    content: '[no result: interrupted]',
    is_error: true,
  },
})

/**
 * Writes a result as text where its call is not in the model's last message or has a result already (`given`). An equal
 * second result is dropped: Gemini CLI (0.61.0) sends every result twice in a session that it has resumed.
 */
function orphan(piece: MessagePiece, lose: Lose, given?: MessagePiece): MessagePiece[] {
  const { content, tool_use_id } = piece.value
  const loseHere = lossesIn(lose)(piece.place)
  if (given && stringify(given.value) === stringify(piece.value))
    return loseHere('dropped', '.results', 'a result that is there already') ?? []
  loseHere('approximated', '.results', 'a result without its call')
  const heading = `[result of an earlier tool call, ${textIn(tool_use_id)}]`
  const text = typeof content === 'string' ? `${heading}\n${content}` : heading
  const blocks = objectsIn(content).map(referenceInWords)
  return [{ type: 'text', text }, ...blocks].map((value) => ({ ...piece, value }))
}

/** A `tool_reference` as text: the block may stand only in the result of a search. */
export function referenceInWords(block: JsonObject): JsonObject {
  if (block['type'] !== 'tool_reference') return block
  const tools = [{ name: textIn(block['tool_name']) }]
  return { type: 'text', text: changeInWords({ kind: 'tool-change', change: 'add', tools }) }
}
