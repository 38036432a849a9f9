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
import { rememberedEach, rememberedMaking, type Making } from '../../src/model/remembered.ts'
import {
  readCall,
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
import { lossesIn, type Lose, type LoseOf } from '../../src/model/loss.ts'
import type { WireNames } from './names.ts'
import { readContent, readMessage, readRole, type Placed } from './calls.ts'

/**
 * Items become turns. Neighbouring items of one side form a turn with at most one message, because the members of a
 * message (its id, its phase) are kept on the turn.
 */
export class History {
  turns: Turn[] = []
  /** Where a summary of all before it is requested instead of an answer. */
  trigger: number | undefined
  /** Tools that were declared in the middle of the conversation. */
  tools: Tool[] = []
  readonly #names = new Map<string, string>()
  /** The functions that were called and not answered. */
  readonly #unanswered = new Set<string>()
  /** The calls that one item was, by its id. */
  readonly #parts = new Map<string, readonly ToolCallBlock[]>()
  /** The last turn may be continued. */
  #open = false
  #hasMessage = false
  #pending: Proof | undefined
  #calls: Proof[] = []
  #lastCode: string | undefined
  #lastSearch = ''
  /** Something besides instructions has been said. */
  #isBegun = false

  readonly #making: Making
  /** The item that is being read. */
  #index = 0

  constructor(making: Making) {
    this.#making = making
  }

  static read(input: Json | undefined): History {
    const items = listOf(
      typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? null),
    )
    const history = new History(making(items))
    for (const [index, item] of items.entries()) {
      history.#index = index
      if (isObject(item)) history.#item(item)
    }
    history.#index = items.length
    history.#expectNone('user')
    history.#close()
    return history
  }

  /** What a pure function makes of an item, or of what was made of several. */
  #made<Given extends readonly unknown[], Value>(
    make: (...given: Given) => Value,
    ...given: Given
  ): Value {
    return this.#making(this.#index, make, ...given)
  }

  #item(given: WireItem): void {
    const item = hasPassthrough(given) ? this.#made(withoutPassthrough, given) : given
    const type = typeOfItem(item)
    if (this.trigger !== undefined) throw misplacedTrigger(this.trigger)
    switch (type) {
      case 'message':
        return this.#message(item)
      case 'function_call':
      case 'custom_tool_call':
        return this.#call(item)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#output(this.#answering(item))
      case 'reasoning':
        return this.#reasoning(item)
      case 'web_search_call':
        return this.#append('assistant', this.#made(readSearch, item))
      case 'mcp_call':
        return this.#append('assistant', this.#made(readMcpCall, item))
      case 'mcp_list_tools':
        return this.#append('assistant', this.#made(readMcpListing, item))
      case 'code_interpreter_call':
        return this.#code(item)
      case 'additional_tools':
        return this.#tools(item)
      case 'agent_message':
        return this.#fromAgent(item)
      case 'item_reference':
        throw invalid(
          `input.${this.#index}: items are not stored here; send the item itself instead of a reference to it (clients do with store: false).`,
          `input.${this.#index}`,
        )
      default:
        return this.#other(type, item)
    }
  }

  #begin(turn: Turn): void {
    this.#close()
    this.turns.push(turn)
  }

  /** Nothing more belongs to the last turn, so it is the same in the next request. */
  #close(): void {
    const last = this.turns.pop()
    if (last) this.turns.push(this.#made(closed, last))
  }

  #message(item: WireItem): void {
    const { role, blocks, kept } = this.#made(readMessage, item)
    this.#expectNone(role)
    this.#isBegun ||= !isInstruction({ role })
    const last = this.#last(role)
    if (last && !this.#hasMessage && blocks.length > 0) {
      last.blocks.push(...this.#proven(blocks))
      const merged = mergeExt(last.ext, kept.ext)
      if (merged) last.ext = merged
      if (kept.origin) last.origin = kept.origin
    } else this.#begin({ role, blocks: [...this.#proven(blocks)], ...kept })
    this.#hasMessage = true
    this.#open = blocks.length > 0
  }

  #call(item: WireItem): void {
    const call = this.#made(readCall, item)
    this.#names.set(call.id, call.name)
    if (item.type === 'function_call') this.#unanswered.add(call.id)
    this.#append('assistant', call)
  }

  #output(item: WireItem): void {
    const called = this.#names.get(wordIn(item.call_id))
    this.#append('user', this.#made(readOutput, item, called))
  }

  /** An output without an id answers the only call that is open. */
  #answering(item: WireItem): WireItem {
    const [only = ''] = this.#unanswered
    const isNamed = typeof item.call_id === 'string'
    if (!isNamed && this.#unanswered.size !== 1) {
      const place = `input.${this.#index}.call_id`
      const what = only === '' ? 'no call is open' : 'several calls are open'
      throw invalid(`${place}: is required where ${what}`, place)
    }
    this.#unanswered.delete(isNamed ? String(item.call_id) : only)
    return isNamed ? item : { ...item, call_id: only }
  }

  #other(type: string, item: WireItem): void {
    if (type === 'compaction_trigger') return void (this.trigger = this.#index)
    if (type === 'configuration_update') return this.#update(item)
    const { search, found, calls, result, other } = this.#made(
      readOther,
      item,
      this.#index,
      this.#lastSearch,
    )
    if (search?.kind === 'tool-search') this.#lastSearch = search.id
    if (search) return this.#append('assistant', search)
    if (calls.length > 0) return this.#clientCalls(item, calls)
    if (result) {
      this.tools.push(...found.map((tool) => ({ ...tool, deferred: true as const })))
      const answered = this.#parts.get(result.callId)
      return this.#append(
        'user',
        ...(answered ? this.#made(resultsOf, result, answered) : [result]),
      )
    }
    if (other) this.#append(readRole(type), other)
  }

  #clientCalls({ call_id }: WireItem, calls: readonly ToolCallBlock[]): void {
    if (calls.length > 1) this.#parts.set(wordIn(call_id), calls)
    for (const { id, name } of calls) this.#names.set(id, name)
    this.#append('assistant', ...calls)
  }

  #code(item: WireItem): void {
    const { code, result } = this.#made(readCode, item, this.#lastCode)
    if (code) this.#lastCode = code.id
    const blocks = [code, result].filter((block) => block !== undefined)
    this.#append('assistant', ...blocks)
  }

  #reasoning(item: WireItem): void {
    const read = this.#made(readReasoning, item)
    if ('carried' in read) this.#carry(read.carried)
    else this.#append('assistant', ...read.blocks)
  }

  /** Returns a proof to the block that it was issued for; one without a block is reported. */
  #carry({ proof, slot }: Enveloped): void {
    const blocks = this.#last('assistant')?.blocks ?? []
    const block = blocks.at(-1)
    // Thoughts carry their own proofs, so a client has moved this one before its block, as genai 0.7.2 for Rust does.
    const isMoved = !block || block.kind === 'reasoning'
    if (slot === 'call') this.#calls.push(proof)
    else if ((slot === 'next' || isMoved) && !this.#pending) this.#pending = proof
    else if (slot !== 'next' && !isMoved && takesProof(block) && !block.proof)
      blocks[blocks.length - 1] = this.#made(proven, block, proof)
    else this.#damage()
  }

  /** Tools that come before anything is said stand before the conversation. */
  #tools(item: WireItem): void {
    const tools = readTools(item.tools)
    this.tools.push(
      ...(this.#isBegun ? tools.map((tool) => ({ ...tool, late: true as const })) : tools),
    )
    this.#instruct(item, {
      blocks: [{ kind: 'tool-change', change: 'add', tools: tools.map(keyOf) }],
    })
  }

  /** What another agent says reaches the model from outside. */
  #fromAgent(item: WireItem): void {
    const { content, ...agent_message } = item
    this.#expectNone('user')
    this.#isBegun = true
    const blocks = readContent(openedContent(content), 'user')
    this.#instruct(item, { role: 'user', blocks }, { agent_message })
  }

  #update(item: WireItem): void {
    const { reasoning, type: _, id: __, ...rest } = item
    const { effort, ...left } = withoutNulls(objectIn(reasoning))
    const known = readEffort(effort)
    const unread = known || effort === undefined ? left : { effort, ...left }
    const others = { ...rest, ...(Object.keys(unread).length > 0 && { reasoning: unread }) }
    this.#instruct(item, { blocks: [], ...(known && { effort: known }) }, others)
  }

  /** An item that says nothing is a turn of its own, which keeps its place. */
  #instruct(item: WireItem, said: Pick<Turn, 'blocks'> & Partial<Turn>, rest: object = {}): void {
    this.#begin({ role: 'developer', ...said, ...keep(rest, { facts: { item } }) })
    this.#open = false
  }

  #append(role: Role, ...blocks: Block[]): void {
    this.#isBegun = true
    this.#expectNone(role)
    const last = this.#last(role)
    if (last) last.blocks.push(...this.#proven(blocks))
    else {
      this.#begin({ role, blocks: [...this.#proven(blocks)] })
      this.#hasMessage = false
    }
    this.#open = true
  }

  /** Only blocks of the assistant can have a proof before them; for any other role it is reported. */
  #expectNone(role: Role): void {
    if (role === 'assistant' || (!this.#pending && this.#calls.length === 0)) return
    this.#damage()
    this.#pending = undefined
    this.#calls = []
  }

  #proven(blocks: readonly Block[]): readonly Block[] {
    const [first, ...others] = blocks
    const call = first?.kind === 'tool-call' ? this.#calls.shift() : undefined
    const proof = call ?? this.#pending
    if (!first || !proof) return blocks
    if (!call) this.#pending = undefined
    return takesProof(first) && !first.proof
      ? [this.#made(proven, first, proof), ...others]
      : blocks
  }

  #last(role: Role): Turn | undefined {
    const last = this.turns.at(-1)
    return this.#open && last?.role === role ? last : undefined
  }

  #damage(): void {
    const last = this.turns.at(-1)
    if (last) last.damagedProof = true
  }
}

const making = rememberedMaking()

const proven = <B extends Block>(block: B, proof: Proof): B => ({ ...block, proof })

const closed = (turn: Turn): Turn => turn

export interface InputContext {
  readonly names: WireNames
  readonly own: boolean
  /** The model takes cache marks. */
  readonly marks: boolean
  readonly lose: Lose
  readonly takes: Takes
  /** Those of the request. */
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

/** Each turn by itself. Where one depends on those before it, because tools come later, `bring` is another each time. */
export function writeTurns({ turns }: Request, context: InputContext): Placed[] {
  const { lose, names, own, marks, takes, tools, bring } = context
  const how = [names, own, marks, takes.late, takes.deferred, takes.efforts, tools, bring]
  const begin = (_: unknown, heard: Lose) => {
    const at = lossesIn(heard)
    return (turn: Turn, index: number) =>
      writeTurn(turn, { ...context, lose: at('turns', index) }).map((one) => ({
        ...one,
        turn: index,
      }))
  }
  return writeEach(turns, how, lose, begin).flat()
}

interface TurnContext extends InputContext {
  readonly lose: LoseOf
}

/** An item of a turn, which does not know its number. */
type OfTurn = Omit<Placed, 'turn'>

/** Writes a turn as items: neighbouring content forms a message, every other block an item, results before it. */
function writeTurn(turn: Turn, context: TurnContext): OfTurn[] {
  const at = lossesIn(context.lose)
  const side = chooseSide(turn.role)
  const { item: whole } = factsOf(turn)
  if (whole) return [{ item: withoutMinted(whole), side }]
  const placed: OfTurn[] = []
  let parts: JsonObject[] = []
  const place = (item: WireItem | undefined, on: Placed['side'], block?: number) => {
    if (item) placed.push({ item, side: on, ...(block !== undefined && { block }) })
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
