import type { Json, JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Block, Request, Turn } from '../../src/model/request.ts'
import { plainText, readContent, writeBlock, type ReadContext } from './blocks.ts'
import { isOrigin, type WriteContext, objectsIn, textIn, keep, restOf } from './dialect.ts'
import { pairResults, type Message, type MessagePiece } from './calls.ts'

/** Reads the conversation; instructions in the middle stay in place. */
export function readTurns(messages: Json | undefined): Turn[] {
  const context: ReadContext = { callNames: new Map() }
  return objectsIn(messages).map((message) => {
    const { role, content, ...rest } = message
    const { blocks, damaged } = readContent(content, context)
    return {
      role: readRole(textIn(role)),
      blocks,
      ...(damaged && { damagedProof: true }),
      ...keep(rest),
    }
  })
}

const readRole = (role: string): Turn['role'] =>
  role === 'assistant' || role === 'system' ? role : 'user'

/** The number of leading turns that are instructions; they join the system field. */
export function leadingInstructions(turns: Turn[]): number {
  const first = turns.findIndex((turn) => !isInstruction(turn))
  return first < 0 ? turns.length : first
}

const isInstruction = ({ role }: Turn): boolean => role === 'system' || role === 'developer'

/** Inverse of `readTurns` for an upstream: keeps every rule about the order of messages. */
export function writeTurns(request: Request, context: WriteContext): Message[] {
  const from = leadingInstructions(request.turns)
  const messages: Message[] = []
  for (const [offset, turn] of request.turns.slice(from).entries()) {
    const place = `turns.${from + offset}`
    if (turn.damagedProof && isOrigin(request))
      context.lose('dropped', `${place}.seal`, 'came back damaged')
    const pieces = writeTurn(turn, { ...context, path: place })
    for (const piece of pieces) append(messages, piece)
    const last = messages.at(-1)
    if (pieces.length > 0 && last) last.left = { ...last.left, ...restOf(turn) }
  }
  return pairResults(messages, context.lose)
}

function append(messages: Message[], piece: MessagePiece): void {
  const last = messages.at(-1)
  if (last?.role === piece.role) last.pieces.push(piece)
  else messages.push({ role: piece.role, pieces: [piece], left: {} })
}

function writeTurn(turn: Turn, context: WriteContext): MessagePiece[] {
  const place = context.path
  if (isInstruction(turn)) return writeInstruction(turn, context)
  return turn.blocks.flatMap((block, index) => {
    const path = `${place}.blocks.${index}`
    const role = roleFor(block, turn.role === 'assistant' ? 'assistant' : 'user')
    if (role === 'assistant' && block.kind === 'media') return assistantMedia(context.lose, path)
    return writeBlock(block, { ...context, path }).map((value) => ({ role, value, place }))
  })
}

/** The model cannot send pictures in this dialect. */
function assistantMedia(lose: Lose, path: string): [] {
  lose('dropped', path, 'media in a reply')
  return []
}

/** Results belong to the user, and calls and thoughts to the model, whatever the role of their turn. */
function roleFor(block: Block, role: MessagePiece['role']): MessagePiece['role'] {
  if (block.kind === 'tool-result') return 'user'
  return block.kind === 'tool-call' || block.kind === 'reasoning' ? 'assistant' : role
}

/** Later instructions stay in place as text of the user: moving them up would break prompt caches. */
function writeInstruction(turn: Turn, context: WriteContext): MessagePiece[] {
  const place = context.path
  const text = turn.blocks.map((block) => (block.kind === 'text' ? block.text : '')).filter(Boolean)
  turn.blocks.forEach((block, index) => {
    if (block.kind !== 'text') context.lose('dropped', `${place}.blocks.${index}`)
    else if (block.cache) context.lose('dropped', 'cache')
  })
  if (text.length === 0) return []
  context.lose('approximated', `${place}.role`)
  const wrapped = `<system>\n${text.join('\n\n')}\n</system>`
  return [{ role: 'user', value: { type: 'text', text: wrapped }, place }]
}

export function finishMessage({ role, pieces, left }: Message): JsonObject {
  const content = pieces.map(({ value }) => value)
  return { role, content: plainText(content) ?? content, ...left }
}
