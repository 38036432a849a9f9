import {
  type CandidateEvent,
  type Event,
  type FinishEvent,
  type Tail,
  closingProof,
  withBody,
  withTail,
} from '../../src/model/events.ts'
import { loseOfReply, reportWithheld } from '../../src/rules/foreign.ts'
import { wordIn, type JsonObject } from '../../src/json/json.ts'
import { append } from '../../src/model/logprobs.ts'
import { flatName } from '../../src/rules/names.ts'
import type { Block, BlockKind, Citation, Logprob, Proof, Usage } from '../../src/model/request.ts'
import { isRefusing } from '../../src/problems/refused.ts'
import { deltaEvents } from '../../src/stream/wire-events.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { WireEvent, WriteReplyContext, Writer } from '../contract.ts'
import { DIALECT } from './dialect.ts'
import { Grounding, createOffsets, writePage } from './citations.ts'
import { Pieces, thoughtMark, type WrittenRun } from './writer-blocks.ts'
import { writePart, type WritePartContext } from './blocks.ts'
import { sayServed } from '../../src/rules/served.ts'
import { writeTokens } from './logprobs.ts'
import { writeProblem } from './problems.ts'
import { repeatThoughts, writeProof } from './proofs.ts'
import { FINISH_NAMES, understood } from './reply.ts'
import { SERVED, writeUsage } from './usage.ts'
import { grown } from '../../src/rules/growing.ts'
import type { LoseOf } from '../../src/model/loss.ts'

/** The block that is being written. */
interface Open {
  block: Block
  body: string
  citations: Citation[]
  /** A piece of the block has gone out or waits. */
  hasPieces: boolean
  /** The kind of the block before it. */
  before: BlockKind | undefined
}

/** Writes a reply as chunks, whose parts are the pieces of `Pieces`. Each further candidate has a writer of its own. */
export class ReplyWriter implements Writer {
  readonly #context: WriteReplyContext
  /** The index of the candidate. */
  readonly #place: number
  readonly #others = new Map<number, ReplyWriter>()
  readonly #grounding: Grounding
  readonly #pages: JsonObject[] = []
  readonly #pieces = new Pieces()
  /** What writes a piece of text, and of a thought. */
  readonly #deltas = new Map<WrittenRun['kind'], (text: string) => WireEvent>()
  #id = ''
  #isGrounded = false
  /** How many bytes of the open text have been counted. */
  #counted: { run: WrittenRun; units: number; bytes: number } | undefined
  #open: Open | undefined
  #before: BlockKind | undefined
  /** The proven thoughts with words since the last call. */
  #thoughts: { proof: Proof; text: string; end: number }[] = []
  #calls = 0
  #isBroken = false
  #refusal = ''
  #searches = 0
  readonly #logprobs: Logprob[] = []
  #usage: Usage = {}
  #last: JsonObject | undefined
  #failure: JsonObject | undefined

  constructor(context: WriteReplyContext, place = 0, id = '') {
    this.#context = context
    this.#place = place
    this.#id = id
    this.#grounding = new Grounding(context.lose)
  }

  push(event: Event): WireEvent[] {
    if (this.#last || this.#failure) return []
    switch (event.type) {
      case 'start':
        reportWithheld(event, this.#context.lose)
        this.#id ||= event.id
        return []
      case 'block-start':
        this.#startBlock(event.block)
        return []
      case 'block-delta':
        return this.#delta(event.text)
      case 'citation':
        this.#open?.citations.push(event.citation)
        return []
      case 'logprobs':
        append(this.#logprobs, event.logprobs)
        return []
      case 'block-end':
        return this.#endBlock(event.tail)
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return []
      case 'finish':
        reportWithheld(event, this.#context.lose)
        return this.#finish(event)
      case 'candidate':
        return this.#aside(event)
      case 'error':
        return this.#fail(event.problem)
      default:
        return event satisfies never
    }
  }

  body(): JsonObject {
    if (this.#failure) return this.#failure
    const inOrder = [...this.#others.values()].toSorted((one, other) => one.#place - other.#place)
    const candidates = [this, ...inOrder].map((writer) => writer.#whole())
    return { ...this.#chunk([], {}), candidates }
  }

  #whole(): JsonObject {
    return this.#candidate(this.#pieces.parts, this.#last ?? {})
  }

  #aside({ index, event }: CandidateEvent): WireEvent[] {
    this.#id ||= this.#context.newId('')
    const writer = this.#others.get(index) ?? new ReplyWriter(this.#context, index, this.#id)
    this.#others.set(index, writer)
    return writer.push(event)
  }

  #startBlock(block: Block): void {
    const before = this.#before
    this.#before = block.kind
    this.#open = { block, body: '', citations: [], hasPieces: false, before }
    if (block.kind === 'refusal') this.#loseOf(block)('approximated', '', 'becomes text')
    if (this.#searches > 0 && block.kind !== 'search')
      this.#context.lose('reordered', 'reply.search', 'sources come last')
    const kind = spokenKind(block)
    const { run } = this.#pieces
    if (kind && run?.kind === kind && run.text !== '')
      this.#context.lose('approximated', 'reply.blocks', 'neighbouring texts are joined')
  }

  #loseOf(block: Block): LoseOf {
    return loseOfReply(this.#context.lose, block)
  }

  #delta(text: string): WireEvent[] {
    const open = this.#open
    if (!open) return []
    open.body = grown(open.body, text)
    const kind = spokenKind(open.block)
    if (!kind) return []
    open.hasPieces = true
    if (this.#pieces.goOn(kind, text)) return [this.#pieceEvent(kind, text)]
    return this.#events(this.#pieces.say(kind, text))
  }

  #endBlock(tail: Tail): WireEvent[] {
    const open = this.#open
    this.#open = undefined
    if (!open) return []
    if (spokenKind(open.block)) return this.#endSpoken(open, tail)
    if (open.block.kind === 'search') return this.#search(open.block)
    const block = withTail(withBody(open.block, open.body), tail)
    const part = writePart(block, this.#partContext(block))
    if (block.kind === 'tool-call') this.#calls += 1
    if (!part) return []
    const repeated = block.kind === 'tool-call' ? this.#repeated() : undefined
    return this.#events(this.#pieces.whole(part, repeated))
  }

  #endSpoken(open: Open, tail: Tail): WireEvent[] {
    const proof = closingProof(open.block, tail)
    this.#cite(open)
    if (open.block.kind === 'refusal') this.#refusal += open.body
    const kind = spokenKind(open.block)
    if (!proof || !kind) return []
    const { block, hasPieces } = open
    const said = this.#pieces.run?.kind === kind ? this.#pieces.run.text : ''
    // The block between two texts was not written, so a client cannot see where the second text begins.
    if (said.length > open.body.length && open.before !== block.kind)
      this.#loseOf(block)('approximated', '.seal', 'of joined texts')
    if (block.kind === 'reasoning' && !hasPieces && proof.dialect !== DIALECT) {
      const slot = block.redacted ? 'redacted' : 'previous'
      this.#pieces.keepBack(writeProof(proof, slot))
      return []
    }
    const events = this.#events(this.#pieces.prove(kind, writeProof(proof, 'self'), !hasPieces))
    if (block.kind === 'reasoning' && proof.dialect !== DIALECT)
      this.#thoughts.push({ proof, text: said, end: this.#pieces.parts.length })
    return events
  }

  /** The copies of all thoughts since the last call, for the next call. */
  #repeated(): string | undefined {
    const thoughts = this.#thoughts.splice(0)
    if (thoughts.length === 0) return undefined
    const said = this.#pieces.saidSince(thoughts.map(({ end }) => end))
    return repeatThoughts(thoughts.map((thought, at) => ({ ...thought, before: said[at] ?? 0 })))
  }

  /**
   * Adds the citations of a block. Their ranges count from the beginning of the text that clients see, which may have
   * several blocks; each block's bytes are counted once.
   */
  #cite(open: Open): void {
    const { run } = this.#pieces
    const isCited = open.citations.length > 0
    // An empty text has no part that a source could belong to.
    if (!run && isCited) this.#context.lose('dropped', 'reply.citations')
    if (!run || (!isCited && this.#counted?.run !== run)) return
    const base = run.text.length - open.body.length
    const isCounted = this.#counted?.run === run && this.#counted.units === base
    const before = isCounted ? this.#counted : undefined
    const bytesBefore = before?.bytes ?? createOffsets(run.text.slice(0, base)).bytes
    const offsets = createOffsets(open.body)
    this.#counted = { run, units: run.text.length, bytes: bytesBefore + offsets.bytes }
    if (!isCited) return
    const place = { text: open.body, part: run.index, bytesBefore, offsets }
    for (const citation of open.citations) this.#grounding.cite(citation, place)
    this.#isGrounded = true
  }

  #search(block: Extract<Block, { kind: 'search' }>): WireEvent[] {
    if (block.opened) {
      this.#pages.push(writePage(block))
      return []
    }
    this.#searches += 1
    if (this.#searches > 1) this.#loseOf(block)('approximated', '', 'searches are joined')
    if (block.queries.length === 0) this.#loseOf(block)('dropped', '')
    if (block.failed) this.#context.lose('dropped', 'reply.search.failed')
    this.#grounding.search(block)
    this.#isGrounded = true
    return []
  }

  #partContext(block: Block): WritePartContext {
    const loseOfBlock = this.#loseOf(block)
    const lose: LoseOf = (code, path, detail) => {
      if (path === '.input') this.#isBroken = true
      return loseOfBlock(code, path, detail)
    }
    lose.place = loseOfBlock.place
    return {
      lose,
      nameOf: flatName,
      signature: (proof, _, slot) => writeProof(proof, slot),
      ids: true,
      fetchesUrls: true,
      levels: false,
    }
  }

  #events(pieces: JsonObject[]): WireEvent[] {
    return pieces.map((piece) => {
      // Sources follow the text that they belong to, once they are known.
      const sources = isMereText(piece) && !('thought' in piece) ? undefined : this.#sources()
      if (!isMereText(piece) || sources) return { data: this.#chunk([piece], sources ?? {}) }
      return this.#pieceEvent('thought' in piece ? 'reasoning' : 'text', wordIn(piece['text']))
    })
  }

  /** A chunk with one piece of text and the members that all chunks have. */
  #pieceEvent(kind: WrittenRun['kind'], text: string): WireEvent {
    const say = this.#deltas.get(kind) ?? this.#deltasOf(kind)
    return say(text)
  }

  #deltasOf(kind: WrittenRun['kind']): (text: string) => WireEvent {
    const chunk = this.#chunk([], {})
    const say = deltaEvents(undefined, (text) => ({
      ...chunk,
      candidates: [this.#candidate([{ text, ...thoughtMark(kind) }], {})],
    }))
    this.#deltas.set(kind, say)
    return say
  }

  #sources(): JsonObject | undefined {
    const groundingMetadata = this.#isGrounded ? this.#grounding.interim() : undefined
    this.#isGrounded = false
    return groundingMetadata && { groundingMetadata }
  }

  #finish({ reason, stopSequence, refused = {} }: FinishEvent): WireEvent[] {
    const { lose } = this.#context
    if (refused.category !== undefined) lose('dropped', 'reply.refusal.category')
    const finishMessage = refused.explanation ?? this.#refusal
    if (stopSequence !== undefined) lose('dropped', 'reply.stopSequence')
    if (this.#usage.cacheWrite) lose('dropped', 'reply.usage.cacheWrite')
    if (understood(reason, this.#calls > 0) !== reason) lose('approximated', 'reply.finish', reason)
    if (this.#grounding.isMixed) lose('approximated', 'reply.search', 'with what is cited')
    const events = this.#events(this.#pieces.settle())
    const written = FINISH_NAMES[reason]
    this.#usage = sayServed(this.#usage ?? {}, SERVED, this.#context.request, lose)
    const groundingMetadata = this.#grounding.metadata()
    this.#last = {
      // Clients must not carry out a call whose arguments were cut off.
      finishReason: this.#isBroken && written === 'STOP' ? 'MALFORMED_FUNCTION_CALL' : written,
      ...(finishMessage && isRefusing(reason) && { finishMessage }),
      ...(groundingMetadata && { groundingMetadata }),
      ...(this.#pages.length > 0 && { urlContextMetadata: { urlMetadata: this.#pages } }),
      ...writeTokens(this.#logprobs, lose),
    }
    return [...events, { data: this.#chunk(this.#pieces.release(), this.#last) }]
  }

  #fail(problem: Problem): WireEvent[] {
    const events = this.#events([...this.#pieces.settle(), ...this.#pieces.release()])
    this.#failure = writeProblem(problem).body
    return [...events, { data: this.#failure }]
  }

  #candidate(parts: JsonObject[], more: JsonObject): JsonObject {
    const content = { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] }
    return { content, ...more, index: this.#place }
  }

  #chunk(parts: JsonObject[], candidate: JsonObject): JsonObject {
    this.#id ||= this.#context.newId('')
    return {
      candidates: [this.#candidate(parts, candidate)],
      ...(this.#last && this.#place === 0 && { usageMetadata: writeUsage(this.#usage) }),
      modelVersion: this.#context.request.model,
      responseId: this.#id,
    }
  }
}

const isMereText = (piece: JsonObject): boolean =>
  Object.keys(piece).every((key) => key === 'text' || key === 'thought')

/** The kind of a block that comes in pieces; undefined for a block that is one part. */
function spokenKind(block: Block): WrittenRun['kind'] | undefined {
  if (block.kind === 'reasoning') return 'reasoning'
  return block.kind === 'text' || block.kind === 'refusal' ? 'text' : undefined
}
