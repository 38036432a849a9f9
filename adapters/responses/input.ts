import { written, type BlockTable } from '../contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Block, CodeResultBlock, Turn } from '../../src/model/request.ts'
import { writeCall, writeReasoning, writeSearch, type ItemContext } from './blocks.ts'
import { writeCode, writeCodeResult } from './code.ts'
import { ownDrawing } from './images.ts'
import { writeMcpCall } from './mcp.ts'
import { DIALECT, wireForm, ownLeftovers, spelled, withoutMinted } from './members.ts'
import type { WireNames } from './names.ts'
import { writeOutput } from './outputs.ts'
import { isPart, chooseSide, writePart } from './parts.ts'

/** An item, with the canonical place that it comes from. */
export interface Placed {
  item: JsonObject
  /** Whose side it is on. */
  side: 'input' | 'output'
  turn: number
  path: string
}

export interface InputContext {
  readonly names: WireNames
  readonly own: boolean
  /** The model takes marks of what to cache. */
  readonly marks: boolean
  readonly lose: Lose
}

/** Outputs of code are written with their code. */
interface BlockContext extends ItemContext {
  readonly result: CodeResultBlock | undefined
}

const WRITERS: BlockTable<JsonObject, BlockContext> = {
  'tool-call': writeCall,
  'tool-result': writeOutput,
  reasoning: writeReasoning,
  search: writeSearch,
  code: (block, context) => writeCode(block, context.result, context),
  'code-result': writeCodeResult,
  'mcp-call': writeMcpCall,
  opaque: (block) => (block.dialect === DIALECT ? withoutMinted(block.value) : undefined),
  // These are parts of messages.
  text: () => undefined,
  media: () => undefined,
  refusal: () => undefined,
}

const inMessage = (block: Block): boolean =>
  block.kind === 'text' ||
  block.kind === 'media' ||
  block.kind === 'refusal' ||
  (block.kind === 'opaque' && isPart(block.value))

/** One turn as items: runs of content are messages, everything else stands for itself, in its order. */
export function writeTurn(turn: Turn, index: number, context: InputContext): Placed[] {
  const path = `turns.${index}`
  const side = chooseSide(turn.role)
  const placed: Placed[] = []
  let parts: JsonObject[] = []
  const place = (item: JsonObject | undefined, at: string, on: Placed['side']) => {
    if (item) placed.push({ item, side: on, turn: index, path: at })
  }
  const flush = () => {
    if (parts.length > 0) place(writeMessage(turn, parts, context.own), path, side)
    parts = []
  }
  if (ownLeftovers(turn)['damagedSeal'] === true) context.lose('dropped', `${path}.seal`)
  for (const [at, block] of turn.blocks.entries()) {
    const here = { ...context, path: `${path}.blocks.${at}`, side }
    const drawing = context.own ? ownDrawing(block) : undefined
    if (inMessage(block) && !drawing) {
      const part = writePart(block, here)
      if (part) parts.push(part)
      continue
    }
    flush()
    const item =
      drawing ?? written(WRITERS, block, { ...here, result: findResult(turn.blocks, at) })
    place(item, here.path, block.kind === 'tool-result' ? 'input' : side)
  }
  flush()
  if (turn.blocks.length === 0) place(writeEmpty(turn), path, side)
  return placed
}

function findResult(blocks: readonly Block[], at: number): CodeResultBlock | undefined {
  const code = blocks[at]
  const result = blocks[at + 1]
  return code?.kind === 'code' && result?.kind === 'code-result' && result.callId === code.id
    ? result
    : undefined
}

function writeMessage(turn: Turn, parts: JsonObject[], own: boolean): JsonObject {
  const { damagedProof: _, ...rest } = ownLeftovers(turn)
  // Instructions in the middle of a conversation are a developer's here.
  const role = turn.role === 'system' && !own ? 'developer' : turn.role
  return {
    ...(own ? spelled(turn, 'type', 'id', 'status') : { type: 'message' }),
    role,
    content: writeContent(turn, parts),
    ...rest,
  }
}

function writeContent(turn: Turn, parts: JsonObject[]): Json {
  const [only] = parts
  return wireForm(turn)['content'] === 'string' && only && parts.length === 1
    ? (only['text'] ?? '')
    : parts
}

/** A turn of this dialect without blocks: a message that was empty, or a declaration of tools. */
function writeEmpty(turn: Turn): JsonObject | undefined {
  const { item, content } = wireForm(turn)
  if (isObject(item)) return withoutMinted(item)
  if (content === undefined) return undefined
  return { ...writeMessage(turn, [], true), content: content === 'string' ? '' : [] }
}
