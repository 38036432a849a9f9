import { DeltaHint } from '../../src/stream/wire-events.ts'
import { Cursor, ENDED_EARLY, WORDLESS } from '../../src/model/cursor.ts'
import type { Event, Withheld } from '../../src/model/events.ts'
import { isObject, toText, type Json, type JsonObject, Verbatim } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { isFailure, saysError } from '../../src/problems/error-words.ts'
import { isDecodable } from '../../src/rules/media.ts'
import { proofMark } from '../../src/model/proof.ts'
import type { Block, Proof } from '../../src/model/request.ts'
import { COMPUTER, findScreen } from '../../src/rules/computer.ts'
import { toolNames, type ToolNames } from '../../src/rules/names.ts'
import { raiseInput } from '../../src/rules/text-tools.ts'
import type { Reader, ReadReplyContext, WireEvent } from '../contract.ts'
import { readBlock, readCall, reading, readText } from './blocks.ts'
import { readCitation } from './citations.ts'
import { fromMember } from './client-tools.ts'
import { DIALECT, numberIn, objectIn, objectsIn, textIn, TOOL_NAME, keep } from './dialect.ts'
import * as hosted from './hosted.ts'
import * as mcp from './mcp.ts'
import { BAD_REPLY, readProblem } from './problems.ts'
import { deltaType, messageLeft, readStopDetails, readStopReason, readWithheld } from './reply.ts'
import { mergeUsage, readUsage } from './usage.ts'
import type { WireBlock, WireDelta, WireReply, WireStep } from './wire.ts'
import { grown } from '../../src/rules/growing.ts'
import { lossesIn } from '../../src/model/loss.ts'

const EVENT_VERBATIM = verbatimPaths('content_block.input')

/** Reads a message, whole or as its events. */
export class MessageReader implements Reader {
  readonly verbatim = EVENT_VERBATIM
  readonly hint = new DeltaHint()
  readonly #cursor = new Cursor()
  readonly #names: ToolNames
  readonly #context: ReadReplyContext
  readonly #open = new Map<number, Open>()
  #next = 0
  #usage: JsonObject = {}
  #lastProof: string | undefined
  /** A search whose result may be the next block. */
  #search: WireBlock | undefined
  readonly #mcpCalls = new Map<string, WireBlock>()

  constructor(context: ReadReplyContext) {
    this.#context = context
    this.#lastProof = context.lastProof
    this.#names = toolNames(context.request, TOOL_NAME)
  }

  body(json: Json): Event[] {
    const reply: WireReply = objectIn(json)
    if (!Array.isArray(reply.content)) this.#refuse(200, json)
    else if (reply.content.length === 0 && (reply.stop_reason ?? null) === null)
      this.#cursor.fail(WORDLESS)
    else {
      this.#start(reply)
      objectsIn(reply.content).forEach((block, index) => {
        this.#blockStart(index, block)
        this.#blockStop(index)
      })
      this.#finish({ ...reply, stop_reason: reply.stop_reason ?? 'end_turn' }, {})
      this.#done()
    }
    return this.#cursor.drain()
  }

  push({ name = '', data }: WireEvent): Event[] {
    if (isObject(data)) this.#take(data, name)
    else if (Array.isArray(data)) this.#refuse(200, data)
    return this.#cursor.drain()
  }

  end(): Event[] {
    // Without a finish the reply was cut off; a finish alone does not complete it.
    if (!this.#cursor.ended) this.#cursor.fail(ENDED_EARLY)
    return this.#cursor.drain()
  }

  /** What each event does. Events of an unknown type do not concern the reply. */
  static readonly EVENTS = {
    message_start: (reader, event) => reader.#start(objectIn(event.message)),
    content_block_start: (reader, event) =>
      reader.#blockStart(numberIn(event.index) ?? reader.#next, objectIn(event.content_block)),
    content_block_delta: (reader, event) =>
      reader.#delta(reader.#indexOf(event), objectIn(event.delta)),
    content_block_stop: (reader, event) => reader.#blockStop(reader.#indexOf(event)),
    message_delta: (reader, event) => reader.#messageDelta(event),
    message_stop: (reader) => reader.#done(),
    error: (reader, event) => reader.#refuse(200, event),
  } satisfies Record<string, TakeEvent>

  #take(event: WireStep, name: string): void {
    const type = textIn(event.type) || name
    const isError = isObject(event.error) || event['object'] === 'error'
    if (isError || (type === '' && saysError(event))) this.#refuse(200, event)
    else EVENTS.get(type)?.(this, event)
  }

  /** An event without an index belongs to the last block. */
  #indexOf(event: WireStep): number {
    return numberIn(event.index) ?? this.#next - 1
  }

  #refuse(status: number, body: Json): void {
    this.#cursor.fail(isFailure(body) ? readProblem(status, body) : BAD_REPLY)
  }

  #start(message: WireReply): void {
    const withheld = readWithheld(message['input_transformations'])
    const more = { ...keep(messageLeft(message)), ...(withheld && { withheld }) }
    this.#cursor.start(textIn(message.id), textIn(message.model), more)
    this.#count(message.usage)
  }

  #count(usage: Json | undefined): void {
    this.#usage = mergeUsage(this.#usage, usage)
    if (isObject(usage)) this.#cursor.usage(readUsage(this.#usage))
  }

  #blockStart(index: number, raw: WireBlock): void {
    this.#blockStop(index)
    this.#next = index + 1
    const type = textIn(raw.type)
    if (!hosted.isSearchResult(raw, this.#search?.['id'])) this.#settleSearch(undefined)
    const open: Open = { raw, input: '', signature: '', gathered: !isStreamed(type) }
    this.#open.set(index, open)
    if (type === 'text') this.#openText(index, raw)
    else if (type === 'thinking') {
      const { type: _, thinking, signature, ...rest } = raw
      open.signature = textIn(signature)
      this.#cursor.open(index, { kind: 'reasoning', text: textIn(thinking), ...keep(rest) })
    } else if (type === 'tool_use') this.#openCall(index, raw)
  }

  #openText(index: number, raw: WireBlock): void {
    const { citations, ...block } = readText(raw)
    this.#cursor.open(index, block)
    for (const citation of citations ?? []) this.#cursor.cite(index, citation)
  }

  /** Opens a call. The start event usually has an empty input; any other counts where no pieces follow. */
  #openCall(index: number, raw: WireBlock): void {
    const { input: _, namespace, ...call } = readCall({ ...raw, input: {} })
    const id = call.id || this.#context.newId('toolu_')
    // The model has a toolset for the screen where the caller knows one tool.
    const isMember = namespace === COMPUTER && findScreen(this.#context.request, 'listed')
    const tool = isMember ? { ...call, name: namespace } : this.#names.fromWire(call.name)
    const raiseText = tool.form === 'text' ? raiseInput : undefined
    const raise = isMember ? fromMember(call.name) : raiseText
    const set = namespace !== undefined && !isMember && { namespace }
    this.#cursor.open(index, { ...call, ...set, ...tool, id, input: '' }, raise)
  }

  #delta(index: number, delta: WireDelta): void {
    const type = deltaType(delta)
    const open = this.#open.get(index) ?? this.#improvise(index, type)
    const piece = PIECES.get(type)
    const take = DELTAS.get(type)
    if (!take && !piece) lossesIn(this.#context.lose)('reply', type)('dropped', '')
    else if (open && piece) this.#piece(piece, { index, open }, delta)
    else if (open) take?.(this, { index, open }, delta)
  }

  #piece({ place, take }: Piece, block: Place, delta: WireDelta): void {
    take(this, block, textIn(delta[place[1]]))
    this.hint.give(place, (text) => {
      take(this, block, text)
      return this.#cursor.drain()
    })
  }

  /** Deltas with the next piece of a text. */
  static readonly PIECES = {
    text_delta: {
      place: ['delta', 'text'],
      take: (reader, { index }, text) => reader.#cursor.delta(index, text),
    },
    thinking_delta: {
      place: ['delta', 'thinking'],
      take: (reader, { index }, text) => reader.#cursor.delta(index, text),
    },
    input_json_delta: {
      place: ['delta', 'partial_json'],
      take(reader, { index, open }, text) {
        open.input = grown(open.input, text)
        if (!open.gathered) reader.#cursor.delta(index, text)
      },
    },
  } satisfies Record<string, Piece>

  static readonly DELTAS = {
    signature_delta: (_, { open }, delta) => {
      open.signature += textIn(delta.signature)
    },
    citations_delta: (reader, { index }, delta) =>
      reader.#cursor.cite(index, readCitation(objectIn(delta.citation))),
    // The members of a summary come at its end; no content means that none could be made (as @anthropic-ai/sdk 1.14
    // reads it).
    compaction_delta: (_, { open }, { type: _type, ...said }) => {
      open.raw = { ...open.raw, ...said }
    },
  } satisfies Record<string, TakeDelta>

  /** Opens the block of a piece that came without a start. */
  #improvise(index: number, type: string): Open | undefined {
    if (type === 'text_delta') this.#blockStart(index, { type: 'text', text: '' })
    else if (type === 'thinking_delta') this.#blockStart(index, { type: 'thinking', thinking: '' })
    return this.#open.get(index)
  }

  #blockStop(index: number): void {
    const open = this.#open.get(index)
    if (!open) return
    this.#open.delete(index)
    const { raw, signature } = open
    if (open.gathered) return this.#gathered(index, withInput(open))
    const input = raw.input
    if (raw.type === 'tool_use' && open.input === '' && input !== undefined)
      this.#cursor.delta(index, toText(input))
    this.#cursor.close(index, this.#proven(signature))
  }

  /** Binds a proof to the one before it, in the request or in this reply. */
  #proven(value: string): { proof?: Proof } {
    if (value === '') return {}
    const before = this.#lastProof
    if (before === undefined) return { proof: { dialect: DIALECT, value } }
    this.#lastProof = value
    return { proof: { dialect: DIALECT, value, after: proofMark(before) } }
  }

  /** Reads a block at its end. A search waits for the next block, which may be its result. */
  #gathered(index: number, raw: WireBlock): void {
    if (this.#search && hosted.isSearchResult(raw, this.#search.id)) return this.#settleSearch(raw)
    if (mcp.isMcpCall(raw)) return void this.#mcpCalls.set(textIn(raw.id), raw)
    if (mcp.isMcpResult(raw)) return this.#mcpResult(index, raw)
    if (raw.type !== 'server_tool_use') return this.#whole(index, this.#readWhole(raw))
    const block = hosted.readHostedCall(raw, undefined)
    if (block.kind === 'search') this.#search = raw
    else this.#whole(index, block)
  }

  /** Calls of an MCP server wait for their results; other blocks may stand between. */
  #mcpResult(index: number, raw: WireBlock): void {
    const id = textIn(raw.tool_use_id)
    const call = this.#mcpCalls.get(id)
    this.#mcpCalls.delete(id)
    this.#whole(index, call ? mcp.readMcpCall(call, raw) : mcp.loneResult(raw))
  }

  #settleSearch(result: JsonObject | undefined): void {
    const call = this.#search
    this.#search = undefined
    if (call) this.#whole(`search ${textIn(call.id)}`, hosted.readHostedCall(call, result))
  }

  #readWhole(raw: WireBlock): Block {
    if (raw.type === 'compaction')
      return { kind: 'opaque', dialect: DIALECT, value: raw, summary: true }
    if (raw.type !== 'redacted_thinking') {
      const block = readBlock(raw, reading())
      const isBroken = block.kind === 'media' && !isDecodable(block)
      return isBroken ? { kind: 'opaque', dialect: DIALECT, value: raw } : block
    }
    const { type: _, data, ...rest } = raw
    const proven = this.#proven(textIn(data))
    return { kind: 'reasoning', text: '', redacted: true, ...proven, ...keep(rest) }
  }

  #whole(key: string | number, block: Block): void {
    const { proof, ...bare } = 'proof' in block ? block : { ...block, proof: undefined }
    this.#cursor.whole(key, bare as Block, proof ? { proof } : {})
  }

  #messageDelta(event: WireStep): void {
    const { type: _, delta, usage, ...beside } = event
    const { usage: within, ...inside } = objectIn(delta)
    if (typeof inside['stop_reason'] === 'string') {
      // A reply in which another model took over says this again, beside the delta.
      const withheld = readWithheld(beside['input_transformations'])
      this.#finish(inside, messageLeft({ ...beside, ...inside }), withheld)
    }
    this.#count(usage ?? within)
  }

  #finish(end: WireReply, others: JsonObject, withheld?: Withheld[]): void {
    const { stop_reason, stop_sequence, stop_details } = end
    const reason = readStopReason(stop_reason)
    const stopSequence = typeof stop_sequence === 'string' ? stop_sequence : undefined
    const { refused, left } = readStopDetails(stop_details, reason)
    const { ext } = keep({ ...others, ...left })
    this.#cursor.finish(reason, { stopSequence, ext, withheld, refused })
  }

  #done(): void {
    for (const index of this.#open.keys()) this.#blockStop(index)
    this.#settleSearch(undefined)
    for (const [id, call] of this.#mcpCalls)
      this.#whole(`mcp ${id}`, mcp.readMcpCall(call, undefined))
    this.#mcpCalls.clear()
    this.#cursor.done()
  }
}

type TakeEvent = (reader: MessageReader, event: WireStep) => void

/** The block that a delta belongs to. */
interface Place {
  index: number
  open: Open
}
type TakeDelta = (reader: MessageReader, place: Place, delta: WireDelta) => void

interface Piece {
  place: readonly ['delta', string]
  take(reader: MessageReader, block: Place, text: string): void
}

const EVENTS = new Map<string, TakeEvent>(Object.entries(MessageReader.EVENTS))
const PIECES = new Map<string, Piece>(Object.entries(MessageReader.PIECES))
const DELTAS = new Map<string, TakeDelta>(Object.entries(MessageReader.DELTAS))

/** A block that has started and not ended. */
export interface Open {
  raw: WireBlock
  /** The input, joined from its pieces. */
  input: string
  signature: string
  /** The block is read only at its end. */
  gathered: boolean
}

const STREAMED = new Set(['text', 'thinking', 'tool_use'])

/** Whether a block is read while it arrives. */
const isStreamed = (type: string): boolean => STREAMED.has(type)

/** The whole block, with the input joined from its pieces. */
function withInput({ raw, input }: Open): WireBlock {
  if (input === '') return raw
  try {
    JSON.parse(input)
    return { ...raw, input: new Verbatim(input) }
  } catch {
    return raw
  }
}
