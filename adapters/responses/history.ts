import { takesProof, mergeExt } from '../../src/model/events.ts'
import { listOf, isObject, wordIn, type Json, type JsonObject } from '../../src/json/json.ts'
import { isInstruction, keyOf, passingWords } from '../../src/rules/late-tools.ts'
import type {
  Block,
  CodeResultBlock,
  Proof,
  Request,
  Role,
  Tool,
  ToolCallBlock,
  ToolChangeBlock,
  ToolResultBlock,
  Turn,
} from '../../src/model/request.ts'
import { invalid } from '../../src/model/problem.ts'
import type { Enveloped } from '../../src/model/proof.ts'
import {
  rememberedEach,
  rememberedWalk,
  WalkMap,
  type WalkStep,
} from '../../src/model/remembered.ts'
import {
  readCall,
  readContent,
  readReasoning,
  readSearch,
  readOutput,
  chooseSide,
  writeCall,
  writeReasoning,
  writeSearch,
  type ItemContext,
  writeOutput,
  isPart,
  writePart,
} from './blocks.ts'
import {
  readCode,
  misplacedTrigger,
  writeCode,
  writeForeignSummary,
  writeCodeResult,
  findResult,
  ownDrawing,
} from './hosted.ts'
import {
  DIALECT,
  objectIn,
  withoutNulls,
  openedContent,
  withoutMinted,
  hasPassthrough,
  withoutPassthrough,
  keep,
  restOf,
  factsOf,
} from './dialect.ts'
import { clientItem, isPartOfItem, resultsOf } from './client-tools.ts'
import { readMcpCall, readMcpListing, writeMcpCall, writeMcpListing } from './mcp.ts'
import { readEffort } from './reasoning.ts'
import type { Takes } from './abilities.ts'
import { readTools } from './tools.ts'
import { readOther, searched, writeFoundTools, writeServerSearch } from './tool-changes.ts'
import { typeOfItem, type WireItem } from './wire.ts'
import { written, type BlockTable } from '../contract.ts'
import { lossesIn, nothingLost, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type { WireNames } from './names.ts'
import { readMessage, readRole, type Placed } from './calls.ts'

type OpenTurn = Omit<Turn, 'blocks'>

/** What is read of a conversation. */
export interface History {
  /** All turns but the last one. */
  readonly turns: Turn[]
  /** The last turn, without its blocks. It goes on with the next item where it `isOpen`. */
  turn?: OpenTurn
  blocks: Block[]
  isOpen?: boolean
  hasMessage?: boolean
  /** The index of the item that requests a summary of all before it. */
  trigger?: number
  /** Tools that were declared in the middle of the conversation. */
  readonly tools: Tool[]
  readonly names: WalkMap<string, string>
  /** The functions that were called and not answered. */
  readonly unanswered: Set<string>
  /** The calls that stand for one item, by the item's `call_id`. */
  readonly parts: WalkMap<string, readonly ToolCallBlock[]>
  pending?: Proof | undefined
  calls: Proof[]
  lastCode?: string
  lastSearch: string
  /** Something besides instructions has been said. */
  isBegun?: boolean
}

const emptyHistory = (): History => ({
  turns: [],
  blocks: [],
  tools: [],
  names: new WalkMap(),
  unanswered: new Set(),
  parts: new WalkMap(),
  calls: [],
  lastSearch: '',
})

const readWalk = rememberedWalk<Json, History>()

export function readHistory(input: Json | undefined): History {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const history = readWalk(listOf(items), [], nothingLost, emptyHistory, (state, item, at) => {
    if (isObject(item)) readItem(state, at, item)
  })
  const { turns, turn, blocks, pending, calls } = history
  if (turn) turns.push({ ...(pending || calls.length > 0 ? damaged(turn) : turn), blocks })
  return history
}

const damaged = <T extends OpenTurn>(turn: T): T => ({ ...turn, damagedProof: true })

/**
 * Items become turns. Neighbouring items of one side form a turn with at most one message, because the members of a
 * message (its id, its phase) are kept on the turn.
 */
function readItem(read: History, at: WalkStep, given: WireItem): void {
  const item = hasPassthrough(given) ? at.made(withoutPassthrough, given) : given
  const type = typeOfItem(item)
  if (read.trigger !== undefined) throw misplacedTrigger(read.trigger)
  switch (type) {
    case 'message':
      return addMessage(read, at, item)
    case 'function_call':
    case 'custom_tool_call':
      return addCall(read, at, item)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return addOutput(read, at, answering(read, at, item))
    case 'reasoning':
      return addReasoning(read, at, item)
    case 'web_search_call':
      return append(read, at, 'assistant', at.made(readSearch, item))
    case 'mcp_call':
      return append(read, at, 'assistant', at.made(readMcpCall, item))
    case 'mcp_list_tools':
      return append(read, at, 'assistant', at.made(readMcpListing, item))
    case 'code_interpreter_call':
      return addCode(read, at, item)
    case 'additional_tools':
      return addTools(read, at, item)
    case 'agent_message':
      return addFromAgent(read, at, item)
    case 'item_reference':
      throw invalid(
        `input.${at.index}: items are not stored here; send the item itself instead of a reference to it (clients do with store: false).`,
        `input.${at.index}`,
      )
    default:
      return addOther(read, at, type, item)
  }
}

function begin(read: History, at: WalkStep, { blocks, ...turn }: Turn): void {
  // Nothing more belongs to the last turn, so it is the same in the next request.
  if (read.turn) read.turns.push(at.made(closed, read.turn, read.blocks))
  read.turn = turn
  read.blocks = blocks
}

function addMessage(read: History, at: WalkStep, item: WireItem): void {
  const { role, blocks, kept } = at.made(readMessage, item)
  expectNone(read, role)
  read.isBegun ||= !isInstruction({ role })
  const last = lastOf(read, role)
  if (last && !read.hasMessage && blocks.length > 0) {
    read.blocks.push(...withProof(read, at, blocks))
    const ext = mergeExt(last.ext, kept.ext)
    const { origin } = kept
    read.turn = { ...last, ...(ext && { ext }), ...(origin && { origin }) }
  } else begin(read, at, { role, blocks: [...withProof(read, at, blocks)], ...kept })
  read.hasMessage = true
  read.isOpen = blocks.length > 0
}

function addCall(read: History, at: WalkStep, item: WireItem): void {
  const call = at.made(readCall, item)
  read.names.set(call.id, call.name)
  if (item.type === 'function_call') read.unanswered.add(call.id)
  append(read, at, 'assistant', call)
}

function addOutput(read: History, at: WalkStep, item: WireItem): void {
  const called = read.names.get(wordIn(item.call_id))
  append(read, at, 'user', at.made(readOutput, item, called))
}

/** An output without an id answers the only call that is open. */
function answering(read: History, at: WalkStep, item: WireItem): WireItem {
  const [only = ''] = read.unanswered
  const isNamed = typeof item.call_id === 'string'
  if (!isNamed && read.unanswered.size !== 1) {
    const place = `input.${at.index}.call_id`
    const what = only === '' ? 'no call is open' : 'several calls are open'
    throw invalid(`${place}: is required where ${what}`, place)
  }
  read.unanswered.delete(isNamed ? String(item.call_id) : only)
  return isNamed ? item : { ...item, call_id: only }
}

function addOther(read: History, at: WalkStep, type: string, item: WireItem): void {
  if (type === 'compaction_trigger') return void (read.trigger = at.index)
  if (type === 'configuration_update') return addUpdate(read, at, item)
  const { search, found, calls, result, other } = at.made(
    readOther,
    item,
    at.index,
    read.lastSearch,
  )
  if (search?.kind === 'tool-search') read.lastSearch = search.id
  if (search) return append(read, at, 'assistant', search)
  if (calls.length > 0) return addClientCalls(read, at, item, calls)
  if (result) {
    read.tools.push(...found.map((tool) => ({ ...tool, deferred: true as const })))
    const answered = read.parts.get(result.callId)
    return append(read, at, 'user', ...(answered ? at.made(resultsOf, result, answered) : [result]))
  }
  if (other) append(read, at, readRole(type), other)
}

function addClientCalls(
  read: History,
  at: WalkStep,
  { call_id }: WireItem,
  calls: readonly ToolCallBlock[],
): void {
  if (calls.length > 1) read.parts.set(wordIn(call_id), calls)
  for (const { id, name } of calls) read.names.set(id, name)
  append(read, at, 'assistant', ...calls)
}

function addCode(read: History, at: WalkStep, item: WireItem): void {
  const { code, result } = at.made(readCode, item, read.lastCode)
  if (code) read.lastCode = code.id
  const blocks = [code, result].filter((block) => block !== undefined)
  append(read, at, 'assistant', ...blocks)
}

function addReasoning(read: History, at: WalkStep, item: WireItem): void {
  const found = at.made(readReasoning, item)
  if ('carried' in found) carry(read, at, found.carried)
  else append(read, at, 'assistant', ...found.blocks)
}

/** Returns a proof to the block that it was issued for; one without a block is reported. */
function carry(read: History, at: WalkStep, { proof, slot }: Enveloped): void {
  const blocks = lastOf(read, 'assistant') ? read.blocks : []
  const block = blocks.at(-1)
  // Thoughts have proofs of their own, so behind one a client has moved this proof (genai 0.7.2 for Rust does).
  const isMoved = !block || block.kind === 'reasoning'
  if (slot === 'call') read.calls.push(proof)
  else if ((slot === 'next' || isMoved) && !read.pending) read.pending = proof
  else if (slot !== 'next' && !isMoved && takesProof(block) && !block.proof)
    blocks[blocks.length - 1] = at.made(proven, block, proof)
  else damage(read)
}

/** Tools that come before anything is said stand before the conversation. */
function addTools(read: History, at: WalkStep, item: WireItem): void {
  const tools = readTools(item.tools)
  read.tools.push(
    ...(read.isBegun ? tools.map((tool) => ({ ...tool, late: true as const })) : tools),
  )
  instruct(read, at, item, {
    blocks: [{ kind: 'tool-change', change: 'add', tools: tools.map(keyOf) }],
  })
}

/** A message from another agent comes to the model from outside, as the user's do. */
function addFromAgent(read: History, at: WalkStep, item: WireItem): void {
  const { content, ...agent_message } = item
  expectNone(read, 'user')
  read.isBegun = true
  const blocks = readContent(openedContent(content), 'input')
  instruct(read, at, item, { role: 'user', blocks }, { agent_message })
}

function addUpdate(read: History, at: WalkStep, item: WireItem): void {
  const { reasoning, type: _, id: __, ...rest } = item
  const { effort, ...left } = withoutNulls(objectIn(reasoning))
  const known = readEffort(effort)
  const unread = known || effort === undefined ? left : { effort, ...left }
  const others = { ...rest, ...(Object.keys(unread).length > 0 && { reasoning: unread }) }
  instruct(read, at, item, { blocks: [], ...(known && { effort: known }) }, others)
}

/** Makes a turn of its own of an item, so that the item keeps its place. */
function instruct(
  read: History,
  at: WalkStep,
  item: WireItem,
  said: Pick<Turn, 'blocks'> & Partial<Turn>,
  rest: object = {},
): void {
  begin(read, at, { role: 'developer', ...said, ...keep(rest, { facts: { item } }) })
  read.isOpen = false
}

function append(read: History, at: WalkStep, role: Role, ...blocks: Block[]): void {
  read.isBegun = true
  expectNone(read, role)
  const last = lastOf(read, role)
  if (last) read.blocks.push(...withProof(read, at, blocks))
  else {
    begin(read, at, { role, blocks: [...withProof(read, at, blocks)] })
    read.hasMessage = false
  }
  read.isOpen = true
}

/** Reports proofs that wait for a block of the assistant where a block of another role comes. */
function expectNone(read: History, role: Role): void {
  if (role === 'assistant' || (!read.pending && read.calls.length === 0)) return
  damage(read)
  read.pending = undefined
  read.calls = []
}

function withProof(read: History, at: WalkStep, blocks: readonly Block[]): readonly Block[] {
  const [first, ...others] = blocks
  const call = first?.kind === 'tool-call' ? read.calls.shift() : undefined
  const proof = call ?? read.pending
  if (!first || !proof) return blocks
  if (!call) read.pending = undefined
  return takesProof(first) && !first.proof ? [at.made(proven, first, proof), ...others] : blocks
}

function lastOf(read: History, role: Role): OpenTurn | undefined {
  const { isOpen, turn } = read
  return isOpen && turn?.role === role ? turn : undefined
}

function damage(read: History): void {
  const { turn } = read
  if (turn) read.turn = damaged(turn)
}

const proven = <B extends Block>(block: B, proof: Proof): B => ({ ...block, proof })

const closed = (turn: OpenTurn, blocks: Block[]): Turn => ({ ...turn, blocks })

export interface InputContext {
  readonly names: WireNames
  readonly own: boolean
  /** The model takes cache marks. */
  readonly marks: boolean
  readonly lose: Lose
  readonly takes: Takes
  /** The tools of the request. */
  readonly tools: readonly Tool[]
  /** The item with the tools that a change brings along. */
  bring(change: ToolChangeBlock, lose: Lose): JsonObject | undefined
}

/** Outputs of code are written with their code. */
interface BlockContext extends ItemContext, Pick<InputContext, 'bring' | 'takes' | 'tools'> {
  readonly result: CodeResultBlock | undefined
}

const WRITERS: BlockTable<JsonObject, BlockContext> = {
  'tool-call': (block, context) => asItCame(block, context, writeCall),
  'tool-result': (block, context) => asItCame(block, context, writeOutput),
  reasoning: writeReasoning,
  search: writeSearch,
  code: (block, context) => writeCode(block, context.result, context),
  'code-result': writeCodeResult,
  'mcp-call': writeMcpCall,
  'mcp-listing': writeMcpListing,
  'tool-search': (block, context) => searched(block, context) && writeServerSearch(block),
  'tool-change': (block, context) =>
    block.searchId === undefined
      ? context.bring(block, context.lose)
      : searched(block, context) && writeFoundTools(block, context),
  opaque: (block) =>
    block.dialect === DIALECT ? withoutMinted(block.value) : writeForeignSummary(block),
  // These blocks are parts of messages.
  text: () => undefined,
  media: () => undefined,
  refusal: () => undefined,
}

/** Calls of tools that the caller runs, and their results, have items of their own in this dialect. */
function asItCame<B extends ToolCallBlock | ToolResultBlock>(
  block: B,
  context: ItemContext,
  write: (block: B, context: ItemContext) => JsonObject | undefined,
): JsonObject | undefined {
  if (!context.own) return write(block, context)
  const item = clientItem(block)
  if (item) return withoutMinted(item)
  return isPartOfItem(block) ? undefined : write(block, context)
}

const inMessage = (block: Block): boolean =>
  block.kind === 'text' ||
  block.kind === 'media' ||
  block.kind === 'refusal' ||
  (block.kind === 'opaque' && isPart(block.value))

const writeEach = rememberedEach<Turn, Placed[]>()

/** Writes each turn by itself. Only tools that come later bind one to those before it; then `bring` is always new. */
export function writeTurns({ turns }: Request, context: InputContext): Placed[] {
  const { lose, names, own, marks, takes, tools, bring } = context
  const how = [names, own, marks, takes.late, takes.deferred, takes.efforts, tools, bring]
  const begin = (_: unknown, heard: Lose) => {
    const at = lossesIn(heard)
    return (turn: Turn, index: number) =>
      writeTurn(turn, index, { ...context, lose: at('turns', index) })
  }
  return writeEach(turns, how, lose, begin).flat()
}

interface TurnContext extends InputContext {
  readonly lose: LoseOf
}

/** Writes a turn as items: neighbouring content forms a message, every other block an item. Results come first. */
function writeTurn(turn: Turn, number: number, context: TurnContext): Placed[] {
  const at = lossesIn(context.lose)
  const side = chooseSide(turn.role)
  const { item: whole } = factsOf(turn)
  if (whole) return [{ item: withoutMinted(whole), side, turn: number }]
  const placed: Placed[] = []
  let parts: JsonObject[] = []
  const place = (item: WireItem | undefined, on: Placed['side'], block?: number) => {
    if (item) placed.push({ item, side: on, turn: number, ...(block !== undefined && { block }) })
  }
  const later: Block[] = []
  const flush = () => {
    if (parts.length > 0) place(writeMessage(turn, parts, context.own), side)
    parts = []
  }
  if (context.own && turn.damagedProof) context.lose('dropped', '.seal')
  for (const [index, block] of turn.blocks.entries()) {
    const here = { ...context, lose: at('.blocks', index), side }
    const drawing = context.own ? ownDrawing(block) : undefined
    if (inMessage(block) && !drawing) {
      const part = writePart(block, here)
      if (part) parts.push(part)
      continue
    }
    const isMoved = block.kind === 'tool-result' && !context.own
    if (!isMoved) flush()
    else if (parts.length > 0) context.lose('reordered', '.blocks', 'results come first')
    const item =
      drawing ?? written(WRITERS, block, { ...here, result: findResult(turn.blocks, index) })
    const isInput = block.kind === 'tool-result' || item?.['type'] === 'message'
    place(item, isInput ? 'input' : side, index)
    if (isMoved) later.push(...block.content)
  }
  for (const text of passingWords(turn, [], context.lose)) parts.push({ type: 'input_text', text })
  flush()
  // What a search found comes behind all results, which stand together.
  for (const block of later)
    if (block.kind === 'tool-change') place(context.bring(block, context.lose), side)
  if (turn.effort !== undefined && context.takes.efforts)
    place({ type: 'configuration_update', reasoning: { effort: turn.effort } }, side)
  if (turn.blocks.length === 0) place(writeEmpty(turn), side)
  return placed
}

function writeMessage(turn: Turn, parts: JsonObject[], own: boolean): JsonObject {
  // Instructions in the middle of a conversation belong to the developer in this dialect.
  const role = turn.role === 'system' && !own ? 'developer' : turn.role
  const { phase } = factsOf(turn)
  return {
    type: 'message',
    role,
    content: writeContent(turn, parts),
    ...(phase !== undefined && { phase }),
    ...restOf(turn),
  }
}

function writeContent(turn: Turn, parts: JsonObject[]): Json {
  const [only] = parts
  return factsOf(turn).content === 'string' && only && parts.length === 1
    ? (only['text'] ?? '')
    : parts
}

/** A message of this dialect without content. */
function writeEmpty(turn: Turn): JsonObject | undefined {
  const { content } = factsOf(turn)
  if (content === undefined) return undefined
  return { ...writeMessage(turn, [], true), content: content === 'string' ? '' : [] }
}
