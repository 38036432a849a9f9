import {
  closingProof,
  streamedText,
  withBody,
  type CandidateEvent,
  type Event,
  type FinishEvent,
  type Tail,
} from '../../src/model/events.ts'
import { loseOfReply, reportWithheld } from '../../src/rules/foreign.ts'
import { isObject, type JsonObject } from '../../src/json/json.ts'
import { append, writeLogprobs } from '../../src/model/logprobs.ts'
import { flatName } from '../../src/rules/names.ts'
import type { Block, Citation, Proof, ToolCallBlock, Usage } from '../../src/model/request.ts'
import { deltaEvents, DONE, Outbox } from '../../src/stream/wire-events.ts'
import { refusalWords } from '../../src/problems/refused.ts'
import { lowerInput } from '../../src/rules/text-tools.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { WireEvent, WriteReplyContext, Writer } from '../contract.ts'
import { DIALECT, factsOf, isOrigin, objectIn } from './dialect.ts'
import { writeError } from './problems.ts'
import {
  besideCall,
  type Carried,
  carried,
  toEntryId,
  FORMAT,
  placeId,
  proofText,
  type PlaceKind,
} from './proofs.ts'
import { writeAnnotation, writeFinish, type Seen } from './reply.ts'
import { sayServed } from '../../src/rules/served.ts'
import { SERVED, writeTierOf, writeUsage } from './usage.ts'
import { grown } from '../../src/rules/growing.ts'

/** The block that is being said. */
interface Open {
  block: Block
  text: string
  citations: Citation[]
  /** Where the block begins in the content. */
  start: number
  /** The index of its entry in `reasoning_details`. */
  index: number
  /** Writes a piece of the block; made when the first piece comes. */
  delta?: ((text: string) => WireEvent) | undefined
}

/**
 * Writes a reply as chunks, and gathers the completion that they describe; each further candidate has its own writer.
 */
export class CompletionWriter implements Writer {
  readonly #context: WriteReplyContext
  /** The index of the candidate. */
  readonly #place: number
  readonly #others = new Map<number, CompletionWriter>()
  readonly #counts: boolean
  readonly #isLegacy: boolean
  readonly #seen: Seen = { call: false, refusal: false }
  readonly #said = new Outbox()
  #open: Open | undefined
  #id = ''
  #usage: Usage | undefined
  #spoken = false
  #content = ''
  #refusal = ''
  #reasoning = ''
  #details: JsonObject[] = []
  /** Proofs that have not been said beside a call. */
  #carried: Carried[] = []
  #annotations: JsonObject[] = []
  /** How many annotations have been said. */
  #cited = 0
  #logprobs: JsonObject[] = []
  /** How many log probabilities have been said. */
  #weighed = 0
  #calls: JsonObject[] = []
  #finish: string | undefined
  #ended = false
  #index = 0
  /** Where the text begins that may still go on, over several blocks. */
  #runStart: number | undefined

  constructor(context: WriteReplyContext, place = 0, id = '') {
    this.#context = context
    this.#place = place
    this.#id = id
    const { request } = context
    const { stream_options: asked, usage } = factsOf(request)
    // Only a caller of this dialect can do without the counts; it gets them where it asked.
    this.#counts =
      !isOrigin(request) ||
      [objectIn(asked)['include_usage'], objectIn(usage)['include']].includes(true)
    this.#isLegacy = factsOf(request).functions === true
  }

  push(event: Event): WireEvent[] {
    if (!this.#ended) this.#take(event)
    return this.#said.drain()
  }

  body(): JsonObject {
    return {
      id: this.#id,
      object: 'chat.completion',
      created: this.#context.now,
      model: this.#context.request.model,
      choices: [this, ...this.#others.values()]
        .map((writer) => writer.#choice())
        .toSorted((one, other) => one.index - other.index),
      ...writeTierOf(this.#usage ?? {}),
      usage: writeUsage(this.#usage ?? {}),
    }
  }

  #choice() {
    return {
      index: this.#place,
      message: this.#message(),
      logprobs: writeTokens(this.#logprobs),
      finish_reason: this.#finish ?? 'stop',
    }
  }

  #message(): JsonObject {
    const { content, calls } = { content: this.#content, calls: this.#calls }
    const isSilent = content === '' && (calls.length > 0 || this.#refusal !== '')
    return {
      role: 'assistant',
      content: isSilent ? null : content,
      refusal: this.#refusal === '' ? null : this.#refusal,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
      ...(calls.length > 0 &&
        (this.#isLegacy
          ? { function_call: objectIn(calls[0]?.['function']) }
          : { tool_calls: calls })),
    }
  }

  #take(event: Event): void {
    switch (event.type) {
      case 'start':
        reportWithheld(event, this.#context.lose)
        this.#id ||= replyId(event.id) || this.#context.newId('chatcmpl-')
        return
      case 'block-start':
        return this.#begin(event.block)
      case 'block-delta':
        return this.#extend(event.text)
      case 'citation':
        this.#open?.citations.push(event.citation)
        return
      case 'logprobs':
        return append(this.#logprobs, writeLogprobs(event.logprobs))
      case 'block-end':
        return this.#end(event.tail)
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return
      case 'finish':
        reportWithheld(event, this.#context.lose)
        return this.#finished(event)
      case 'candidate':
        return this.#aside(event)
      case 'error':
        return this.#fail(event.problem)
      default:
        event satisfies never
    }
  }

  #aside({ index, event }: CandidateEvent): void {
    const writer = this.#others.get(index) ?? new CompletionWriter(this.#context, index, this.#id)
    this.#others.set(index, writer)
    for (const chunk of writer.push(event)) this.#said.add(chunk)
  }

  #chunk(choices: JsonObject[], usage?: JsonObject | null): JsonObject {
    return {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#context.now,
      model: this.#context.request.model,
      choices,
      ...(usage !== undefined && { usage }),
    }
  }

  #delta(
    delta: JsonObject,
    finish_reason: string | null = null,
    logprobs: JsonObject | null = null,
  ): JsonObject {
    return this.#chunk(
      [{ index: this.#place, delta, logprobs, finish_reason }],
      this.#counts ? null : undefined,
    )
  }

  #say(delta: JsonObject): void {
    this.#greet(delta)
    this.#said.add({ data: this.#delta(delta) })
  }

  /** Says text with the log probabilities of its tokens; false where there are no new ones. */
  #weigh(content: string): boolean {
    if (this.#weighed === this.#logprobs.length) return false
    this.#greet({ content })
    const tokens = writeTokens(this.#logprobs.slice(this.#weighed))
    this.#weighed = this.#logprobs.length
    this.#said.add({ data: this.#delta({ content }, null, tokens) })
    return true
  }

  /**
   * Says the role in the first chunk: the library (openai 7.55) throws without one. The chunk has a content only where
   * content comes next: openai-go 3.98 takes a content for begun, and for over where something else follows.
   */
  #greet(delta: JsonObject): void {
    if (this.#spoken) return
    this.#spoken = true
    const content = Object.keys(delta).some((member) => member !== 'content') ? null : ''
    const first = { role: 'assistant', content, refusal: null }
    this.#said.add({ data: this.#delta(first) })
  }

  #begin(block: Block): void {
    this.#reportOrder(block)
    if (streamedText(block) !== undefined && block.kind !== 'text') this.#sayAnnotations()
    // A thought may turn out empty and does not separate two texts then.
    if (block.kind !== 'text' && block.kind !== 'reasoning') this.#runStart = undefined
    const open: Open = {
      block,
      text: '',
      citations: [],
      start: this.#content.length,
      index: this.#index,
    }
    this.#open = open
    if (block.kind === 'tool-call') this.#call(block)
  }

  /** Reports text behind calls and thoughts behind text, whose order only a stream keeps, and texts that become one. */
  #reportOrder(block: Block): void {
    const { kind } = block
    const behindCall =
      this.#calls.length > 0 && (kind === 'text' || kind === 'reasoning' || kind === 'refusal')
    const behindText = (this.#content !== '' || this.#refusal !== '') && kind === 'reasoning'
    const behindRefusal = this.#refusal !== '' && kind === 'text'
    if (behindCall || behindText || behindRefusal)
      this.#context.lose('reordered', 'reply.blocks', 'content is joined')
    else if (kind === 'text' && this.#content !== '')
      this.#context.lose('approximated', 'reply.blocks', 'neighbouring texts are joined')
  }

  #extend(text: string): void {
    const open = this.#open
    if (!open || text === '') return
    open.text = grown(open.text, text)
    const { kind } = open.block
    if (kind === 'text') this.#content = grown(this.#content, text)
    else if (kind === 'refusal') this.#refusal = grown(this.#refusal, text)
    else if (kind === 'reasoning') this.#reasoning = grown(this.#reasoning, text)
    else if (kind !== 'tool-call' || !this.#isAnnounced(open.block)) return
    if (kind === 'text' && this.#weigh(text)) return
    open.delta ??= this.#deltasOf(open)
    this.#said.add(open.delta(text))
  }

  /** A caller that uses `function_call` hears only of the first call. */
  #isAnnounced({ form }: ToolCallBlock): boolean {
    return (form === 'json' || this.#isCustom()) && (!this.#isLegacy || this.#calls.length === 1)
  }

  #isCustom(): boolean {
    return this.#calls.at(-1)?.['type'] === 'custom'
  }

  #deltasOf(open: Open): (text: string) => WireEvent {
    const piece = this.#pieceOf(open)
    this.#greet(piece(''))
    return deltaEvents(undefined, (text) => this.#delta(piece(text)))
  }

  #pieceOf(open: Open): (text: string) => JsonObject {
    const { block, index } = open
    switch (block.kind) {
      case 'refusal':
        return (refusal) => ({ refusal })
      case 'reasoning': {
        const id = this.#thoughtId(open)
        return (text) => ({
          reasoning_content: text,
          reasoning_details: [{ type: 'reasoning.text', text, format: FORMAT, index, id }],
        })
      }
      case 'tool-call':
        return this.#callPiece()
      default:
        return (content) => ({ content })
    }
  }

  /** A piece of the last call. */
  #callPiece(): (text: string) => JsonObject {
    if (this.#isLegacy) return (text) => ({ function_call: { arguments: text } })
    const index = this.#calls.length - 1
    return this.#isCustom()
      ? (input) => ({ tool_calls: [{ index, custom: { input } }] })
      : (text) => ({ tool_calls: [{ index, function: { arguments: text } }] })
  }

  #call(block: ToolCallBlock): void {
    const { lose, newId, request } = this.#context
    this.#seen.call = true
    const isKnown = request.tools.some((tool) => tool.kind === 'text' && tool.name === block.name)
    const isCustom = block.form === 'text' && isKnown && isOrigin(request)
    if (block.namespace || (block.form === 'text' && !isCustom))
      lose('approximated', 'reply.tool-call.name')
    const name = flatName(block)
    const id = block.id || newId('call_')
    const extra = besideCall(this.#carried.splice(0), block.proof, id)
    if (block.proof) this.#prove(block.proof, 'call', id)
    const head = isCustom
      ? { id, type: 'custom', custom: { name, input: '' } }
      : { id, type: 'function', function: { name, arguments: '' } }
    this.#calls.push({ ...head, ...extra })
    if (!this.#isLegacy)
      return this.#say({ tool_calls: [{ index: this.#calls.length - 1, ...head, ...extra }] })
    if (this.#calls.length > 1) lose('dropped', 'reply.tool-call', 'there is room for one')
    else this.#say({ function_call: { name, arguments: '' } })
  }

  /** An entry for a proof: where the block stands, or which call it is. */
  #prove(proof: Proof, kind: PlaceKind | 'call', place: string): void {
    const slot = kind === 'redacted' ? 'redacted' : kind === 'text' ? 'previous' : 'self'
    const entry = {
      type: 'reasoning.encrypted',
      data: proofText(proof, slot),
      id: kind === 'call' ? toEntryId(place) : place,
      format: FORMAT,
      index: this.#index,
    }
    this.#index += 1
    if (kind !== 'call') this.#carried.push(carried(entry.id, entry.data, this.#reasoning.length))
    this.#details.push(entry)
    this.#say({ reasoning_details: [entry] })
  }

  #end(tail: Tail): void {
    const open = this.#open
    if (!open) return
    this.#open = undefined
    const block = withBody(open.block, open.text)
    const proof = closingProof(block, tail)
    const place = { start: open.start, end: this.#content.length, calls: this.#calls.length }
    switch (block.kind) {
      case 'text':
        this.#weigh('')
        this.#cite(open, open.text.length)
        this.#runStart ??= open.start
        if (!proof) return
        this.#sayAnnotations()
        this.#prove(proof, 'text', placeId('text', { ...place, start: this.#runStart }))
        this.#runStart = undefined
        return
      case 'refusal':
        this.#seen.refusal ||= open.text !== ''
        return
      case 'reasoning':
        return this.#endThought(open, block.redacted === true, proof)
      case 'tool-call':
        return this.#endCall(block, tail.proof)
      default:
        if (proof) loseOfReply(this.#context.lose, block)('dropped', '.seal')
        if (block.kind !== 'opaque' || block.dialect === DIALECT)
          loseOfReply(this.#context.lose, block)('dropped', '')
    }
  }

  #thoughtId({ block, start }: Open): string {
    const kind = block.kind === 'reasoning' && block.redacted ? 'redacted' : 'thought'
    return placeId(kind, { start, end: start, calls: this.#calls.length })
  }

  #endThought(open: Open, redacted: boolean, proof: Proof | undefined): void {
    const text = open.text
    if (text !== '' || proof) this.#runStart = undefined
    const id = this.#thoughtId(open)
    if (text === '') {
      if (proof) this.#prove(proof, redacted ? 'redacted' : 'thought', id)
      return
    }
    const head = { type: 'reasoning.text', format: FORMAT, index: open.index, id }
    const data = proof && proofText(proof, redacted ? 'redacted' : 'self')
    const signature = data === undefined ? {} : { signature: data }
    const before = this.#reasoning.length - text.length
    if (data !== undefined) this.#carried.push(carried(id, data, before, text))
    this.#index += 1
    this.#details.push({ ...head, text, ...signature })
    this.#say({ reasoning_details: [{ ...head, text: '', ...signature }] })
  }

  #endCall(block: ToolCallBlock, late: Proof | undefined): void {
    const last = this.#calls.at(-1)
    if (!last) return
    const { id, custom, function: called } = last
    const isFree = block.form === 'text'
    const text = isFree && !this.#isCustom() ? lowerInput(block.input) : block.input
    const given = isFree || text.trim() !== '' ? text : '{}'
    // Clients parse the arguments, and an empty text is no JSON.
    const isUnsaid = isFree ? !this.#isCustom() : text.trim() === ''
    if (isUnsaid && !this.#isHidden()) this.#say(this.#callPiece()(given))
    const inner: JsonObject = isObject(custom)
      ? { custom: { ...custom, input: given } }
      : { function: { ...objectIn(called), arguments: given } }
    this.#calls[this.#calls.length - 1] = { ...last, ...inner }
    if (late && typeof id === 'string') this.#prove(late, 'call', id)
  }

  #isHidden(): boolean {
    return this.#isLegacy && this.#calls.length > 1
  }

  #cite({ citations, start }: Open, length: number): void {
    const place = { from: start, length }
    const written = citations
      .map((citation) => writeAnnotation(citation, place, this.#context.lose))
      .filter((annotation) => annotation !== undefined)
    this.#annotations.push(...written)
  }

  /**
   * Says the annotations of neighbouring texts in one list, as OpenAI does: libraries keep one list (openai 7.55,
   * openai-java 4.101), and openai 2.54 for Python throws at a second one whose entries are not numbered.
   */
  #sayAnnotations(): void {
    const said = this.#cited
    const fresh = this.#annotations.slice(said)
    if (fresh.length === 0) return
    this.#cited = this.#annotations.length
    const annotations = fresh.map((one, at) => (said > 0 ? { ...one, index: said + at } : one))
    this.#say({ annotations })
  }

  #finished(finish: FinishEvent): void {
    this.#ended = true
    const { lose } = this.#context
    const { reason, stopSequence: sequence } = finish
    if (sequence !== undefined) lose('dropped', 'reply.stopSequence')
    this.#usage = sayServed(this.#usage ?? {}, SERVED, this.#context.request, lose)
    if (this.#usage.toolUse) lose('dropped', 'reply.usage.toolUse')
    this.#sayAnnotations()
    this.#refuse(finish)
    const word = writeFinish(reason, this.#seen, this.#refusal !== '', lose)
    this.#finish = this.#isLegacy && word === 'tool_calls' ? 'function_call' : word
    this.#greet({})
    const tier = writeTierOf(this.#usage)
    this.#said.add({ data: { ...this.#delta({}, this.#finish), ...tier } })
    if (this.#place > 0) return
    if (this.#counts)
      this.#said.add({ data: { ...this.#chunk([], writeUsage(this.#usage)), ...tier } })
    this.#said.add({ data: DONE })
  }

  /**
   * Says in the refusal why there is no answer. The word for the end stays, because not all clients look at a refusal.
   * Beside calls nothing is said, because a message has its refusal before the calls that it would be about.
   */
  #refuse(finish: FinishEvent): void {
    const { lose } = this.#context
    if (this.#seen.refusal) return
    const hasCalls = this.#calls.length > 0
    const words = refusalWords(finish, this.#content === '' && !hasCalls, lose)
    if (words === undefined) return
    if (hasCalls) return void lose('dropped', 'reply.refusal')
    this.#refusal = words
    this.#say({ refusal: words })
  }

  /** Clients throw at this chunk; without it the stream would look complete. */
  #fail(problem: Problem): void {
    this.#ended = true
    this.#said.add({ data: { error: writeError(problem) } })
  }
}

const writeTokens = (content: JsonObject[]): JsonObject | null =>
  content.length > 0 ? { content, refusal: null } : null

/** Clients expect the prefix `chatcmpl-`; the rest of the id is free. */
const replyId = (id: string): string =>
  id === '' || id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`
