import type { WireEvent, WriteReplyContext, Writer } from '../contract.ts'
import {
  closingProof,
  type Event,
  type FinishEvent,
  type Tail,
  type Withheld,
} from '../../src/model/events.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { refusalWords } from '../../src/problems/refused.ts'
import type {
  Usage,
  Block,
  Citation,
  CodeResultBlock,
  Logprob,
  McpCallBlock,
  McpListingBlock,
  MediaBlock,
  OpaqueBlock,
  Proof,
  ReasoningBlock,
  SearchBlock,
  TextBlock,
  ToolCallBlock,
  ToolChangeBlock,
} from '../../src/model/request.ts'
import { isAmong } from '../../src/rules/late-tools.ts'
import { deltaEvents, Outbox } from '../../src/stream/wire-events.ts'
import type { Problem } from '../../src/model/problem.ts'
import {
  chooseEnding,
  chooseFinish,
  repeated,
  writeOpening,
  writeWithheld,
  type Ending,
  type Seen,
} from './reply.ts'
import { sayServed } from '../../src/rules/served.ts'
import { SERVED, writeServed, writeUsage } from './usage.ts'
import { writeError, writeErrorBeside } from './problems.ts'
import { writeEnvelope, writeSummaryEnvelope } from '../../src/model/proof.ts'
import { writeAction } from './blocks.ts'
import { STATUS_OF_OUTCOME, writeOutputs, writeDrawing } from './hosted.ts'
import { DIALECT, isOrigin, memberText } from './dialect.ts'
import { wireNames } from './names.ts'
import { mayFollowText, writeProof } from './reasoning.ts'
import { toMcpId, writeMcpCall, writeMcpListing } from './mcp.ts'
import { isBodied, openItem, type Emit, type OpenItem, type Voice } from './writer-blocks.ts'
import { searchItemId, writeFoundTools, writeServerSearch } from './tool-changes.ts'

/** Writes a reply as events; the body is the response of the last event. */
export class ResponseWriter implements Writer {
  readonly #context: WriteReplyContext
  readonly #said = new Outbox()
  readonly #output: Output
  #sequence = 0
  #started = false
  #ended = false
  #response: JsonObject | undefined
  #usage: Usage | undefined

  constructor(context: WriteReplyContext) {
    this.#context = context
    this.#output = new Output(
      {
        emit: (type, fields) => this.#emit(type, fields),
        deltas: (type, fields) => this.#deltas(type, fields),
      },
      context,
    )
  }

  push(event: Event): WireEvent[] {
    if (this.#ended) return []
    const { type } = event
    if ((type === 'start' || type === 'finish') && event.withheld)
      this.#tellWithheld(event.withheld)
    this.#start()
    this.#take(event)
    return this.#said.drain()
  }

  #tellWithheld(withheld: readonly Withheld[]): void {
    const input_transformations = writeWithheld(withheld, this.#context.lose)
    if (input_transformations.length >= Math.min(withheld.length, 1))
      this.#response = { ...this.body(), input_transformations }
  }

  body(): JsonObject {
    return (this.#response ??= writeOpening(this.#context.request, this.#context))
  }

  #take(event: Event): void {
    switch (event.type) {
      case 'start':
        return
      case 'block-start':
        return this.#output.open(event.block)
      case 'block-delta':
        return this.#output.delta(event.text)
      case 'citation':
        return this.#output.cite(event.citation)
      case 'logprobs':
        return this.#output.weigh(event.logprobs)
      case 'block-end':
        return this.#output.close(event.tail)
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return
      case 'finish':
        return this.#finish(event)
      case 'candidate':
        // Never asked for: a request of this dialect has no word for several answers.
        return this.#context.lose('dropped', 'reply.candidates')
      case 'error':
        return this.#fail(event.problem)
      default:
        return event satisfies never
    }
  }

  #add(event: WireEvent): void {
    this.#said.add(event)
    this.#sequence += 1
  }

  #emit(type: string, fields: JsonObject): void {
    this.#add({ name: type, data: { type, ...fields, sequence_number: this.#sequence } })
  }

  #deltas(type: string, fields: (text: string) => JsonObject): (text: string) => void {
    const delta = deltaEvents(type, (text, number) => ({
      type,
      ...fields(text),
      sequence_number: number,
    }))
    return (text) => this.#add(delta(text, this.#sequence))
  }

  #start(): void {
    if (this.#started) return
    this.#started = true
    const response = repeated(this.body(), this.#context)
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  #finish(finish: FinishEvent): void {
    const { lose, now, request } = this.#context
    const { stopSequence } = finish
    // A request that only warms the cache is bounded to no tokens, so nothing was cut off at its bound.
    const reason = request.caching?.prewarm && finish.reason === 'length' ? 'stop' : finish.reason
    const { seen } = this.#output
    const { status, reason: why } = chooseEnding(reason, seen)
    if (chooseFinish({ status, reason: why }, seen) !== reason)
      lose('approximated', 'reply.finish', reason)
    this.#output.refuse(finish)
    this.#output.reportHeld()
    if (stopSequence !== undefined) lose('dropped', 'reply.stopSequence')
    const usage = sayServed(this.#usage ?? {}, SERVED, request, lose)
    if (this.#usage?.toolUse) lose('dropped', 'reply.usage.toolUse')
    this.#output.closeItem(status)
    this.#end(`response.${status}`, {
      status,
      completed_at: status === 'completed' ? now : null,
      incomplete_details: why === undefined ? null : { reason: why },
      output: this.#output.items,
      usage: writeUsage(usage),
      ...writeServed(usage),
    })
  }

  /**
   * Writes a failure in one event, with the error once more beside its response. LangChain (@langchain/openai
   * 1.5.8) ignores `response.failed` and would end as after a success, but the library under it (openai 6 and 7)
   * throws at an event with this member. An `error` event before it would count as a second failure.
   */
  #fail(problem: Problem): void {
    const error = writeError(problem)
    const output = this.#output.abandon()
    // Counts from the beginning of a reply do not include its output.
    const usage = this.#usage?.output ? writeUsage(this.#usage) : null
    const beside = { error: writeErrorBeside(error) }
    this.#end('response.failed', { status: 'failed', error, output, usage }, beside)
  }

  #end(type: string, fields: JsonObject, beside: JsonObject = {}): void {
    this.#ended = true
    this.#response = { ...this.body(), ...fields }
    this.#emit(type, { response: repeated(this.#response, this.#context), ...beside })
  }
}

type Status = Ending['status']

/**
 * The output items of a reply, one after the other. An item is closed when the next one comes or the reply ends,
 * not with its block: only then is it known whether it was cut off, and neighbouring texts share a message.
 */
export class Output {
  readonly items: JsonObject[] = []
  readonly seen: Seen = { refusal: false, call: false }
  readonly #voice: Voice
  readonly #emit: Emit
  readonly #context: WriteReplyContext
  #item: OpenItem | undefined
  #block: Block | undefined
  /** Nothing but thoughts has come so far. */
  #isSilent = true
  /** Proofs behind a text, each an item by itself, held back until something follows. */
  #behindText: string[] = []
  /** A block behind a text of which no words have come: it may be a proof alone, or nothing. */
  #waiting: TextBlock | ReasoningBlock | undefined
  #isBehindText = false
  /** Whether a proof may be the last item. */
  readonly #mayFollowText: boolean

  constructor(voice: Voice, context: WriteReplyContext) {
    this.#voice = voice
    this.#emit = voice.emit
    this.#context = context
    this.#mayFollowText = mayFollowText(context.request)
  }

  open(opened: Block): void {
    const { kind } = opened
    const waits = kind === 'text' ? this.#behindText.length > 0 : this.#isBehindText
    if (this.#mayFollowText || !waits || (kind !== 'text' && kind !== 'reasoning'))
      return this.#show(opened)
    this.#block = opened
    this.#waiting = opened
  }

  #show(opened: Block): void {
    this.#goOn()
    const block = opened.kind === 'tool-call' ? this.#unproven(opened) : opened
    this.#block = block
    this.#isBehindText = block.kind === 'text'
    this.#isSilent &&= block.kind === 'reasoning'
    switch (block.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'tool-call':
      case 'code':
        return this.#openBody(block)
      case 'code-result':
        return this.#result(block)
      case 'search':
        return this.#search(block)
      case 'mcp-call':
        return this.#mcpCall(block)
      case 'mcp-listing':
        return this.#mcpListing(block)
      case 'opaque':
        return this.#opaque(block)
      case 'media':
        return this.#drawing(block)
      case 'tool-search':
        return this.#whole(searchItemId(block.id, 'tsc_'), writeServerSearch(block))
      case 'tool-change':
        return this.#foundTools(block)
      case 'tool-result':
        return this.#context.lose('dropped', `reply.${block.kind}`)
      default:
        return block satisfies never
    }
  }

  /** The item for found tools declares them, so it can have only tools that the caller offers. */
  #foundTools(block: ToolChangeBlock): void {
    const { request, lose } = this.#context
    if (!block.tools.every(isAmong(request.tools))) lose('dropped', 'reply.tool-change')
    const { tools } = request
    const written = { tools, names: wireNames(request), own: isOrigin(request) }
    this.#whole(searchItemId(block.searchId, 'tso_'), writeFoundTools(block, written))
  }

  delta(text: string): void {
    this.#showWaiting()
    this.#item?.delta(text)
  }

  cite(citation: Citation): void {
    this.#showWaiting()
    this.#item?.cite(citation)
  }

  weigh(logprobs: readonly Logprob[]): void {
    this.#showWaiting()
    this.#item?.weigh(logprobs)
  }

  #showWaiting(): void {
    const block = this.#waiting
    this.#waiting = undefined
    if (block) this.#show(block)
  }

  close(tail: Tail): void {
    const block = this.#block
    this.#block = undefined
    if (!block) return
    const proof = closingProof(block, tail)
    const isHidden = this.#waiting !== undefined
    this.#waiting = undefined
    if (block.kind === 'reasoning') this.#prove(block, proof, isHidden)
    if (isBodied(block) && !isHidden) this.#item?.closeBlock()
    const isShown =
      block.kind !== 'media' || this.items.at(-1)?.['type'] === 'image_generation_call'
    if (!proof || block.kind === 'reasoning' || !isShown) return
    const encrypted = writeEnvelope(proof, 'previous')
    if (block.kind === 'text' && !this.#mayFollowText) this.#behindText.push(encrypted)
    else this.#carry(encrypted)
  }

  #prove({ redacted }: ReasoningBlock, proof: Proof | undefined, isHidden: boolean): void {
    const written = proof && writeProof(proof, redacted)
    if (!isHidden) this.#item?.proof(written)
    else if (written !== undefined) this.#behindText.push(written)
  }

  /** Writes the proofs that were held back, because something follows them. */
  #goOn(): void {
    const held = this.#behindText
    this.#behindText = []
    for (const encrypted of held) this.#carry(encrypted)
  }

  /** Reports the proofs that nothing has followed. */
  reportHeld(): void {
    if (this.#behindText.length > 0)
      this.#context.lose('dropped', 'reply.text.seal', 'nothing follows it')
  }

  /** Says why there is no answer in a part of its own, because no member of a response does. */
  refuse(finish: FinishEvent): void {
    if (this.seen.refusal) return
    const words = refusalWords(finish, this.#isSilent, this.#context.lose)
    if (words === undefined) return
    this.open({ kind: 'refusal', text: '' })
    this.delta(words)
    this.close({})
  }

  closeItem(status: Status): void {
    const item = this.#item
    if (!item) return
    this.#item = undefined
    const done = item.close(status)
    this.#emit('response.output_item.done', { output_index: this.items.length, item: done })
    this.items.push(done)
  }

  /** The items of a failed reply, with the unfinished one as far as it came. */
  abandon(): JsonObject[] {
    if (!this.#block) this.closeItem('completed')
    const partial = this.#item?.partial()
    return partial ? [...this.items, partial] : this.items
  }

  #openBody(
    block: Extract<Block, { kind: 'text' | 'refusal' | 'reasoning' | 'tool-call' | 'code' }>,
  ): void {
    if (block.kind === 'refusal') this.seen.refusal = true
    if (block.kind === 'tool-call') this.seen.call = true
    if (block.kind === 'code' && block.language !== 'python')
      this.#context.lose('approximated', 'reply.code.language', block.language)
    if (this.#item?.continues(block)) return
    this.closeItem('completed')
    const place = { voice: this.#voice, index: this.items.length }
    this.#item = openItem(block, place, this.#context)
  }

  /** Code and its first output form one item, unless a proof came between them. */
  #result(block: CodeResultBlock): void {
    const outputs = writeOutputs(block)
    const status = STATUS_OF_OUTCOME[block.outcome]
    if (this.#item?.codeId === block.callId && this.#item.print(outputs, status)) return
    const index = this.#next()
    const { newId } = this.#context
    const item = { id: newId('ci_'), type: 'code_interpreter_call', container_id: newId('cntr_') }
    const at = { output_index: index, item_id: item.id }
    this.#added({ ...item, status: 'in_progress', code: '', outputs: null })
    this.#emit('response.code_interpreter_call.in_progress', at)
    this.#emit('response.code_interpreter_call_code.done', { ...at, code: '' })
    this.#emit('response.code_interpreter_call.completed', at)
    this.#done({ ...item, status, code: '', outputs })
  }

  #search(block: SearchBlock): void {
    if (block.sources.some((source) => source.title !== undefined))
      this.#context.lose('dropped', 'reply.search.title')
    const id = block.id.startsWith('ws_') ? block.id : this.#context.newId('ws_')
    const at = { output_index: this.#next(), item_id: id }
    // The first event has the action, too: openai-java 4.101, where it validates replies, refuses an item without one.
    const { action, ...kept } = writeAction(block)
    const item = { id, type: 'web_search_call' }
    this.#added({ ...item, status: 'in_progress', action })
    // Only a search that ended well has an event of its own for its end.
    const status = block.failed || block.opened === 'failed' ? 'failed' : 'completed'
    for (const step of ['in_progress', 'searching', 'completed'])
      if (step !== 'completed' || step === status)
        this.#emit(`response.web_search_call.${step}`, at)
    this.#done({ ...item, status, action, ...kept })
  }

  #whole(id: string, value: JsonObject): void {
    this.#next()
    const isPrefix = id.endsWith('_')
    const item = { ...value, id: isPrefix ? this.#context.newId(id) : id }
    this.#added({ ...item, status: 'in_progress' })
    this.#done(item)
  }

  #mcpCall(block: McpCallBlock): void {
    const { id: _, ...call } = writeMcpCall(block)
    const id = toMcpId(block.id || this.#context.newId(''))
    const at = { output_index: this.#next(), item_id: id }
    const item = { id, ...call }
    this.#added({ ...item, status: 'in_progress', arguments: '', output: null, error: null })
    this.#emit('response.mcp_call.in_progress', at)
    this.#emit('response.mcp_call_arguments.delta', { ...at, delta: block.input })
    this.#emit('response.mcp_call_arguments.done', { ...at, arguments: block.input })
    const status = block.isError ? 'failed' : 'completed'
    this.#emit(`response.mcp_call.${status}`, at)
    this.#done({ ...item, status })
  }

  #mcpListing(block: McpListingBlock): void {
    const item = writeMcpListing(block)
    const at = { output_index: this.#next(), item_id: item['id'] ?? '' }
    this.#added({ ...item, tools: [] })
    this.#emit('response.mcp_list_tools.in_progress', at)
    this.#emit(`response.mcp_list_tools.${block.error === undefined ? 'completed' : 'failed'}`, at)
    this.#done(item)
  }

  #drawing(block: MediaBlock): void {
    const item = writeDrawing(block, this.#context.newId('ig_'))
    if (!item) return this.#context.lose('dropped', `reply.${block.kind}`)
    this.#next()
    this.#added({ ...item, status: 'in_progress', result: null })
    this.#done(item)
  }

  #opaque(block: OpaqueBlock): void {
    const { dialect, value } = block
    if (dialect !== DIALECT) {
      if (block.summary) this.#summary(block)
      return
    }
    this.#next()
    const id = memberText(value, 'id')
    const isFresh = id !== undefined && !this.items.some((item) => item['id'] === id)
    const item = isFresh ? value : { ...value, id: this.#context.newId('item_') }
    this.#added(item)
    this.#done(item)
  }

  /** A summary of another service, in an item that the caller brings back. */
  #summary(block: OpaqueBlock): void {
    this.#next()
    const item = { id: this.#context.newId('cmp_'), type: 'compaction' }
    const encrypted_content = writeSummaryEnvelope(block)
    this.#added({ ...item, encrypted_content })
    this.#done({ ...item, encrypted_content })
  }

  /** The proof of a call that is known at once stands before the call, like thoughts. */
  #unproven({ proof, ...call }: ToolCallBlock): ToolCallBlock {
    if (proof) this.#carry(writeEnvelope(proof, 'call'))
    return call
  }

  /** Only reasoning can carry a proof, so the proof of another block travels in an empty reasoning item beside it. */
  #carry(encrypted_content: string): void {
    this.#next()
    const item = { id: this.#context.newId('rs_'), type: 'reasoning', summary: [] }
    this.#added(item)
    this.#done({ ...item, encrypted_content })
  }

  #next(): number {
    this.closeItem('completed')
    return this.items.length
  }

  #added(item: JsonObject): void {
    this.#emit('response.output_item.added', { output_index: this.items.length, item })
  }

  #done(item: JsonObject): void {
    this.#emit('response.output_item.done', { output_index: this.items.length, item })
    this.items.push(item)
  }
}
