import { takesProof, mergeExt } from '../../src/model/events.ts'
import { listOf, defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Block, Ext, Role, Proof, Tool, Turn } from '../../src/model/request.ts'
import { invalid } from '../../src/model/problem.ts'
import type { Enveloped } from '../../src/model/proof.ts'
import { readCall, readReasoning, readSearch } from './blocks.ts'
import { readCode } from './code.ts'
import { readDrawing } from './images.ts'
import { DIALECT, extWith, Members, opaque } from './members.ts'
import { readMcpCall } from './mcp.ts'
import { readOutput } from './outputs.ts'
import { readPart, chooseSide } from './parts.ts'
import { readTools } from './tools.ts'
import { typeOfItem } from './wire.ts'

const ROLES: readonly Role[] = ['user', 'assistant', 'system', 'developer']

/**
 * Items become turns: neighbours of one side are one turn, with at most one message in it, because the
 * members of a message (its id, its phase) are those of the turn.
 */
export class History {
  readonly turns: Turn[] = []
  /** Tools that were declared in the middle of the conversation. */
  readonly tools: Tool[] = []
  readonly #names = new Map<string, string>()
  /** The last turn may be continued. */
  #open = false
  #hasMessage = false
  #pending: Proof | undefined
  #calls: Proof[] = []
  #lastCode: string | undefined

  read(input: Json): void {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
    for (const [index, item] of listOf(items).entries()) if (isObject(item)) this.#item(item, index)
    this.#expectNone('user')
  }

  #item(item: JsonObject, index: number): void {
    const type = typeOfItem(item)
    switch (type) {
      case 'message':
        return this.#message(item)
      case 'function_call':
      case 'custom_tool_call':
        return this.#call(item)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#append('user', readOutput(item, this.#names))
      case 'reasoning':
        return this.#reasoning(item)
      case 'web_search_call':
        return this.#append('assistant', readSearch(item))
      case 'mcp_call':
        return this.#append('assistant', readMcpCall(item))
      case 'code_interpreter_call':
        return this.#code(item)
      case 'additional_tools':
        return this.#tools(item)
      case 'item_reference':
        throw invalid(
          `input.${index}: items are not stored here; send the item itself instead of a reference to it (clients do with store: false).`,
          `input.${index}`,
        )
      default:
        return this.#append(readRole(type), readDrawing(item) ?? opaque(item))
    }
  }

  #message(item: JsonObject): void {
    const members = new Members(item)
    members.spell('type', 'id', 'status')
    const role = ROLES.find((known) => known === members.peek('role')) ?? 'user'
    this.#expectNone(role)
    members.any('role')
    const content = members.any('content') ?? ''
    members.note('content', Array.isArray(content) ? 'parts' : 'string')
    const blocks = readContent(content, role)
    const ext = members.ext()
    const last = this.#last(role)
    if (last && !this.#hasMessage && blocks.length > 0) {
      last.blocks.push(...this.#proven(blocks))
      const merged = mergeExt(last.ext, ext)
      if (merged) last.ext = merged
    } else this.turns.push(defined({ role, blocks: this.#proven(blocks), ext }))
    this.#hasMessage = true
    this.#open = blocks.length > 0
  }

  #call(item: JsonObject): void {
    const call = readCall(item)
    this.#names.set(call.id, call.name)
    this.#append('assistant', call)
  }

  #code(item: JsonObject): void {
    const { code, result } = readCode(item, this.#lastCode)
    if (code) this.#lastCode = code.id
    const blocks = [code, result].filter((block) => block !== undefined)
    this.#append('assistant', ...blocks)
  }

  #reasoning(item: JsonObject): void {
    const read = readReasoning(item)
    if ('carried' in read) this.#carry(read.carried)
    else this.#append('assistant', ...read.blocks)
  }

  /** Brings a proof home to the block that it was issued for; one that finds none is no use to anybody. */
  #carry({ proof, slot }: Enveloped): void {
    if (slot === 'next') this.#pending = proof
    else if (slot === 'call') this.#calls.push(proof)
    else this.#prove(proof)
  }

  #prove(proof: Proof): void {
    const blocks = this.#last('assistant')?.blocks
    const block = blocks?.at(-1)
    if (blocks && block && takesProof(block) && !block.proof)
      blocks[blocks.length - 1] = { ...block, proof }
    else this.#note({ damagedProof: true })
  }

  /** A declaration says nothing itself: its place is kept in an empty turn. */
  #tools(item: JsonObject): void {
    this.tools.push(...readTools(item['tools']))
    const ext = extWith({}, { item })
    this.turns.push(defined({ role: 'developer' as const, blocks: [], ext }))
    this.#open = false
  }

  #append(role: Role, ...blocks: Block[]): void {
    this.#expectNone(role)
    const last = this.#last(role)
    if (last) last.blocks.push(...this.#proven(blocks))
    else {
      this.turns.push({ role, blocks: this.#proven(blocks) })
      this.#hasMessage = false
    }
    this.#open = true
  }

  /** A block whose proof came before it is the assistant's: nobody else's words are proven. */
  #expectNone(role: Role): void {
    if (role === 'assistant' || (!this.#pending && this.#calls.length === 0)) return
    this.#note({ damagedProof: true })
    this.#pending = undefined
    this.#calls = []
  }

  #proven(blocks: Block[]): Block[] {
    const [first, ...others] = blocks
    const call = first?.kind === 'tool-call' ? this.#calls.shift() : undefined
    const proof = call ?? this.#pending
    if (!first || !proof) return blocks
    if (!call) this.#pending = undefined
    return takesProof(first) && !first.proof ? [{ ...first, proof }, ...others] : blocks
  }

  #last(role: Role): Turn | undefined {
    const last = this.turns.at(-1)
    return this.#open && last?.role === role ? last : undefined
  }

  #note(fields: JsonObject): void {
    const ext: Ext = { [DIALECT]: fields }
    const last = this.turns.at(-1)
    if (last) last.ext = mergeExt(last.ext, ext) ?? ext
  }
}

function readContent(content: Json, role: Role): Block[] {
  if (Array.isArray(content)) return content.map((part) => readPart(part, chooseSide(role)))
  return typeof content !== 'string' || content === '' ? [] : [{ kind: 'text', text: content }]
}

/** Outputs and answers come from the caller, everything else from the model. */
const readRole = (type: string): Role =>
  /_(?:output|response|trigger|update)$/.test(type) && type !== 'program_output'
    ? 'user'
    : 'assistant'
