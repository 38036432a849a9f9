import { estimateTokens } from '../../src/rules/estimate.ts'
import {
  closingProof,
  withBody,
  type Event,
  type FinishEvent,
  type Tail,
  type Withheld,
} from '../../src/model/events.ts'
import type { JsonObject } from '../../src/json/json.ts'
import type {
  Block,
  Citation,
  FinishReason,
  Proof,
  RefusalDetails,
  Usage,
} from '../../src/model/request.ts'
import { deltaEvents, lateEvent, Outbox } from '../../src/stream/wire-events.ts'
import type { ProofSlot } from '../../src/model/proof.ts'
import { sayServed } from '../../src/rules/served.ts'
import { readRefused } from '../../src/problems/refused.ts'
import type { WireEvent, WriteReplyContext, Writer } from '../contract.ts'
import { writeCacheMiss } from './caching.ts'
import { writeCitation } from './citations.ts'
import { DIALECT } from './dialect.ts'
import { writeError } from './problems.ts'
import { envelopeBlock, mayFollowText, writeSignature } from './proofs.ts'
import { ReplyBlocks } from './writer-blocks.ts'
import { readStopReason, writeStopDetails, writeStopReason, writeWithheld } from './reply.ts'
import { SERVED, writeUsage } from './usage.ts'
import { grown } from '../../src/rules/growing.ts'
import { lossesIn } from '../../src/model/loss.ts'

/** The block that is being written. `index` is set when it has been opened on the wire. */
interface Open {
  block: Block
  text: string
  citations: JsonObject[]
  index?: number
  /** Writes a piece of the block; made when the first piece comes. */
  delta?: ((text: string) => WireEvent) | undefined
}

/** Writes a reply as the events of this dialect, and gathers the message that they describe. */
export class MessageWriter implements Writer {
  readonly #context: WriteReplyContext
  readonly #blocks: ReplyBlocks
  readonly #said = new Outbox()
  #content: JsonObject[] = []
  #withheld: JsonObject[] | undefined
  #open: Open | undefined
  #usage: Usage = {}
  #id = ''
  #stopReason: string | null = null
  #stopSequence: string | null = null
  #refused: RefusalDetails | undefined
  #ended = false
  /** A thought without a proof. It can carry the proof of the call behind it. */
  #unproven: { index: number; said: JsonObject } | undefined
  /** The proofs of texts, held until another block follows. */
  #behindText: JsonObject[] = []

  /** Whether a proof may be the last block. */
  readonly #mayFollowText: boolean

  constructor(context: WriteReplyContext) {
    this.#context = context
    this.#mayFollowText = mayFollowText(context.request)
    this.#blocks = new ReplyBlocks(context)
  }

  push(event: Event): WireEvent[] {
    if (!this.#ended) this.#take(event)
    return this.#said.drain()
  }

  body(): JsonObject {
    return this.#message(writeUsage(this.#usage))
  }

  #take(event: Event): void {
    switch (event.type) {
      case 'start':
        return this.#start(event)
      case 'block-start':
        return this.#begin(event.block)
      case 'block-delta':
        return this.#extend(event.text)
      case 'citation':
        return this.#cite(event.citation)
      case 'logprobs':
        return this.#context.lose('dropped', 'reply.logprobs')
      case 'block-end':
        return this.#end(event.tail)
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return
      case 'finish':
        return this.#finish(event)
      case 'candidate':
        // Never asked for: a request of this dialect has no word for several answers.
        return this.#context.lose('dropped', 'reply.candidates')
      case 'error':
        this.#ended = true
        this.#prove(undefined)
        return this.#say('error', { error: writeError(event.problem) })
      default:
        event satisfies never
    }
  }

  #say(type: string, members: JsonObject): void {
    this.#said.add({ name: type, data: { type, ...members } })
  }

  /**
   * Writes `message_start`. Clients show by its count how full the context is, and some read no later one (AnthropicLlm
   * of google-adk 2.13.0). So it has the upstream's count, or an estimate where the upstream has not counted yet.
   */
  #start({ id, usage: counted, withheld }: Extract<Event, { type: 'start' }>): void {
    this.#id = id || this.#context.newId('msg_')
    this.#tellWithheld(withheld)
    const { request } = this.#context
    const message = this.#message({})
    const write = () => {
      const input = counted?.input || estimateTokens(request)
      const usage = writeUsage({ input, cacheRead: counted?.cacheRead ?? 0 })
      return { type: 'message_start', message: { ...message, usage } }
    }
    this.#said.add(lateEvent('message_start', write))
  }

  #tellWithheld(withheld: readonly Withheld[] | undefined): void {
    const written = withheld && writeWithheld(withheld, this.#context.lose)
    // An empty list would say that nothing was withheld.
    if (written && written.length >= Math.min(withheld.length, 1)) this.#withheld = written
  }

  #message(usage: JsonObject): JsonObject {
    const { cacheMiss } = this.#usage
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#context.request.model,
      content: this.#content.slice(),
      stop_reason: this.#stopReason,
      stop_sequence: this.#stopSequence,
      ...this.#stopDetails(),
      usage,
      ...(this.#withheld && { input_transformations: this.#withheld }),
      ...(cacheMiss && { diagnostics: writeCacheMiss(cacheMiss) }),
    }
  }

  #stopDetails(): JsonObject {
    const stop_details = writeStopDetails(this.#refused)
    return stop_details ? { stop_details } : {}
  }

  /** Begins a block. A call is opened at once, text and thoughts with their first character. */
  #begin(block: Block): void {
    const { proof, bare } = ownProof(block)
    if (!this.#prove(proof) && proof) this.#whole([envelopeBlock(proof, 'call')])
    this.#open = { block: bare, text: '', citations: [] }
    if (block.kind === 'tool-call') this.#show(this.#open)
  }

  #show(open: Open): number {
    if (open.index !== undefined) return open.index
    this.#goOn()
    open.index = this.#content.length
    this.#content.push({})
    this.#say('content_block_start', {
      index: open.index,
      content_block: this.#blocks.opening(open.block),
    })
    return open.index
  }

  #extend(text: string): void {
    const open = this.#open
    if (!open || text === '') return
    open.text = grown(open.text, text)
    open.delta ??= this.#deltasOf(open, text)
    if (open.delta) this.#said.add(open.delta(text))
  }

  /** Opens the block, and returns what writes a piece of it; undefined for a block that can only be written whole. */
  #deltasOf(open: Open, text: string): Open['delta'] {
    const { block } = open
    if (!this.#blocks.delta(block, text)) return undefined
    const index = this.#show(open)
    return deltaEvents(DELTA, (piece) => ({
      type: DELTA,
      index,
      delta: this.#blocks.delta(block, piece) ?? {},
    }))
  }

  #sayDelta(index: number, delta: JsonObject): void {
    this.#say(DELTA, { index, delta })
  }

  #cite(citation: Citation): void {
    const open = this.#open
    if (!open) return
    const written = writeCitation(citation, lossesIn(this.#context.lose)('reply.citations'))
    if (!written) return
    const index = this.#show(open)
    open.citations.push(written)
    this.#sayDelta(index, { type: 'citations_delta', citation: written })
  }

  #end(tail: Tail): void {
    const open = this.#open
    if (!open) return
    this.#open = undefined
    const block = withBody(open.block, open.text)
    const proof = closingProof(block, tail)
    if (block.kind === 'refusal')
      this.#refused = readRefused((this.#refused?.explanation ?? '') + block.text)
    if (block.kind === 'reasoning') return this.#endReasoning(open, { ...block }, proof)
    if (open.index === undefined && block.kind === 'text' && proof)
      return this.#carryOf(block, envelopeBlock(proof, 'empty'))
    if (open.index === undefined) this.#whole(this.#blocks.whole(block))
    else this.#close(open, open.index, block)
    if (proof) this.#carryOf(block, envelopeBlock(proof, 'previous'))
  }

  /**
   * Writes the envelope with a block's proof. Behind a text it is held back for a client that takes the last block for
   * the answer.
   */
  #carryOf({ kind }: Block, envelope: JsonObject): void {
    if (kind === 'text' && !this.#mayFollowText) this.#behindText.push(envelope)
    else this.#whole([envelope])
  }

  /** Whether a thought that is only a proof would stand behind the last text. */
  #isBehindText(): boolean {
    const last = this.#content.at(-1)
    return !this.#mayFollowText && last?.['type'] === 'text'
  }

  #goOn(): void {
    const envelopes = this.#behindText
    this.#behindText = []
    if (envelopes.length > 0) this.#whole(envelopes)
  }

  #close(open: Open, index: number, block: Block): void {
    const { last, gathered } = this.#blocks.closing(block)
    if (last) this.#sayDelta(index, last)
    const cited = open.citations.length > 0 ? { citations: open.citations } : {}
    this.#stop(index, { ...gathered, ...cited })
  }

  #stop(index: number, gathered: JsonObject): void {
    this.#content[index] = gathered
    this.#say('content_block_stop', { index })
  }

  /** Ends a thought. One without text may still have a proof, where its words were left out or withheld. */
  #endReasoning(open: Open, block: Block & { kind: 'reasoning' }, proof: Proof | undefined): void {
    const { text, redacted } = block
    if (redacted && text === '' && proof?.dialect === DIALECT)
      return this.#whole([{ type: 'redacted_thinking', data: proof.value }])
    if (text === '' && !proof) return
    if (text === '' && proof && this.#isBehindText()) {
      const signature = writeSignature(proof, redacted ? 'redacted' : 'self')
      return void this.#behindText.push({ type: 'thinking', thinking: '', signature })
    }
    const said = { type: 'thinking', thinking: text }
    this.#unproven = { index: this.#show(open), said }
    if (proof) this.#prove(proof, redacted && text === '' ? 'redacted' : 'self')
  }

  #prove(proof: Proof | undefined, slot: ProofSlot = proof ? 'call' : 'self'): boolean {
    const thought = this.#unproven
    this.#unproven = undefined
    if (!thought) return false
    const signature = writeSignature(proof, slot)
    this.#sayDelta(thought.index, { type: 'signature_delta', signature })
    this.#stop(thought.index, { ...thought.said, signature })
    return true
  }

  /** Writes whole blocks. Some of their members must come in a delta. */
  #whole(blocks: JsonObject[]): void {
    if (blocks.length > 0) this.#goOn()
    for (const block of blocks) {
      const index = this.#content.length
      this.#content.push(block)
      const { opening, delta } = this.#blocks.split(block)
      this.#say('content_block_start', { index, content_block: opening })
      if (delta) this.#sayDelta(index, delta)
      this.#say('content_block_stop', { index })
    }
  }

  #finish({ reason, stopSequence: sequence, withheld, refused }: FinishEvent): void {
    this.#ended = true
    this.#tellWithheld(withheld)
    this.#prove(undefined)
    if (this.#behindText.length > 0)
      this.#context.lose('dropped', 'reply.text.seal', 'nothing follows it')
    this.#usage = sayServed(this.#usage, SERVED, this.#context.request, this.#context.lose)
    if (this.#usage.toolUse) this.#context.lose('dropped', 'reply.usage.toolUse')
    if (this.#usage.cacheMiss && this.#context.request.stream)
      this.#context.lose('dropped', 'reply.cacheMiss', 'the stream had begun')
    this.#stopReason = this.#reason(reason)
    if (this.#stopReason === 'stop_sequence') this.#stopSequence = sequence ?? this.#onlySequence()
    const isRefusal = this.#stopReason === 'refusal'
    if (refused && !isRefusal) this.#context.lose('dropped', 'reply.refusal')
    this.#refused = isRefusal ? (refused ?? this.#refused) : undefined
    const ending = { stop_reason: this.#stopReason, stop_sequence: this.#stopSequence }
    const type = 'message_delta'
    const delta = { ...ending, ...this.#stopDetails() }
    const usage = this.#usage
    const told = withheld && this.#withheld && { input_transformations: this.#withheld }
    this.#said.add(lateEvent(type, () => ({ type, delta, usage: writeUsage(usage), ...told })))
    this.#say('message_stop', {})
  }

  /** The stop reason. It announces calls where there are some, but not where one cannot be carried out. */
  #reason(reason: FinishReason): string {
    const { calls, broken } = this.#blocks
    let word = writeStopReason(reason)
    if (word === 'end_turn' && calls > 0) word = 'tool_use'
    else if (word === 'end_turn' && this.#isSummary()) word = 'compaction'
    if (word === 'tool_use' && broken > 0) word = 'max_tokens'
    else if (word === 'tool_use' && calls === 0) word = 'end_turn'
    if (readStopReason(word) !== reason) this.#context.lose('approximated', 'reply.finish', reason)
    return word
  }

  /**
   * Whether the reply is a summary alone: it is all that was asked for, or the caller wants to see it before the model
   * goes on.
   */
  #isSummary(): boolean {
    const { now, pause } = this.#context.request.compact ?? {}
    const [only, ...others] = this.#content
    return now ?? (pause === true && only?.['type'] === 'compaction' && others.length === 0)
  }

  #onlySequence(): string | null {
    const [only, ...others] = this.#context.request.limits.stop ?? []
    return others.length === 0 ? (only ?? null) : null
  }
}

const DELTA = 'content_block_delta'

/** Takes the proof off a call, which has no field for it here. */
function ownProof(block: Block): { proof: Proof | undefined; bare: Block } {
  if (block.kind !== 'tool-call') return { proof: undefined, bare: block }
  const { proof, ...bare } = block
  return { proof, bare }
}
