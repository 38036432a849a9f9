import type { Event, Tail } from '../../src/canonical/events.ts'
import { bodyOf, withBody, withTail } from '../../src/canonical/events.ts'
import { isObject, stringify, type JsonObject } from '../../src/canonical/json.ts'
import type { Block, Citation, Ext, FinishReason, Usage } from '../../src/canonical/model.ts'
import type { Problem } from '../../src/canonical/problem.ts'
import type { Frame, WriteReplyContext, Writer } from '../adapter.ts'
import { members } from './dialect.ts'
import { Grounding } from './grounding.ts'
import { writePart, type WritePartContext } from './parts.ts'
import { writeProblem } from './problems.ts'
import { writeSeal } from './seals.ts'
import { FINISH_NAMES, understood, writeUsage } from './usage.ts'

/** The block that is being written. */
interface Open {
  block: Block
  body: string
  citations: Citation[]
  /** A piece of it is out or waits. */
  hasPieces: boolean
}

/** Text that clients see as one, because nothing stands between its pieces. */
interface Run {
  kind: 'text' | 'reasoning'
  part: JsonObject
  text: string
  index: number
}

/**
 * Every chunk has a part: clients that meet one without drop the whole turn. So the last piece is held back
 * until it is known whether the reply goes on, and carries the reason and the counts if it does not.
 */
export class ReplyWriter implements Writer {
  readonly #context: WriteReplyContext
  readonly #grounding = new Grounding()
  readonly #parts: JsonObject[] = []
  #id = ''
  #head: JsonObject = {}
  #candidate: JsonObject = {}
  #pending: JsonObject | undefined
  #isGrounded = false
  #open: Open | undefined
  #run: Run | undefined
  #blocks = 0
  #calls = 0
  #isBroken = false
  #searches = 0
  #usage: Usage = {}
  #last: JsonObject | undefined
  #failure: JsonObject | undefined

  constructor(context: WriteReplyContext) {
    this.#context = context
  }

  push(event: Event): Frame[] {
    if (this.#last || this.#failure) return []
    switch (event.type) {
      case 'start':
        this.#id = event.id
        this.#takeExt(event.ext)
        return []
      case 'block-start':
        this.#open = { block: event.block, body: '', citations: [], hasPieces: false }
        this.#startBlock(event.block)
        return []
      case 'block-delta':
        return this.#delta(event.text)
      case 'citation':
        this.#open?.citations.push(event.citation)
        return []
      case 'block-end':
        return this.#endBlock(event.tail)
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return []
      case 'finish':
        this.#takeExt(event.ext)
        return this.#finish(event.reason, event.stopSequence)
      case 'error':
        return this.#fail(event.problem)
      default:
        return event satisfies never
    }
  }

  body(): JsonObject {
    if (this.#failure) return this.#failure
    return this.#chunk(this.#parts, this.#last ?? {})
  }

  #takeExt(ext: Ext | undefined): void {
    const { candidate, continuationToken: _token, ...head } = members(ext)
    this.#head = { ...this.#head, ...head }
    if (isObject(candidate)) this.#candidate = { ...this.#candidate, ...candidate }
  }

  #startBlock(block: Block): void {
    this.#blocks += 1
    if (block.kind === 'refusal') this.#lose('approximated', 'becomes text')
    if (this.#searches > 0 && block.kind !== 'search')
      this.#context.lose('reordered', 'reply.search', 'sources come last')
    const kind = spokenKind(block)
    if (kind && this.#run?.kind === kind && this.#run.text !== '')
      this.#context.lose('approximated', 'reply.blocks', 'neighbouring texts are joined')
  }

  #lose(code: 'dropped' | 'approximated', detail?: string): void {
    this.#context.lose(code, `reply.blocks.${this.#blocks - 1}`, detail)
  }

  #delta(text: string): Frame[] {
    const open = this.#open
    if (!open) return []
    open.body += text
    return spokenKind(open.block) ? this.#say(open, text) : []
  }

  /** A piece of text or thought. */
  #say(open: Open, text: string): Frame[] {
    const kind = spokenKind(open.block) ?? 'text'
    open.hasPieces = true
    if (this.#run?.kind !== kind) {
      const part = { text: '', ...(kind === 'reasoning' && { thought: true }) }
      this.#run = { kind, part, text: '', index: this.#parts.push(part) - 1 }
    }
    this.#run.text += text
    this.#run.part['text'] = this.#run.text
    return this.#hold({ text, ...(kind === 'reasoning' && { thought: true }) })
  }

  #endBlock(tail: Tail): Frame[] {
    const open = this.#open
    this.#open = undefined
    if (!open) return []
    if (spokenKind(open.block)) return this.#endSpoken(open, tail)
    if (open.block.kind === 'search') return this.#search(open.block)
    this.#run = undefined
    const body = bodyOf(open.block) === undefined ? open.block : withBody(open.block, open.body)
    const block = withTail(body, tail)
    const part = writePart(block, this.#partContext())
    if (!part && block.kind === 'opaque') this.#lose('dropped')
    if (block.kind === 'tool-call') this.#calls += 1
    if (!part) return []
    this.#parts.push(part)
    return this.#hold({ ...part })
  }

  #endSpoken(open: Open, tail: Tail): Frame[] {
    const sealed = 'seal' in open.block ? open.block.seal : undefined
    const seal = tail.seal ?? sealed
    const frames = seal && !open.hasPieces ? this.#say(open, '') : []
    this.#cite(open)
    if (seal && this.#pending && this.#run) {
      const isRedacted = open.block.kind === 'reasoning' && open.block.redacted === true
      const signature = writeSeal(seal, isRedacted ? 'redacted' : 'self')
      this.#pending['thoughtSignature'] = signature
      this.#run.part['thoughtSignature'] = signature
      this.#run = undefined
    }
    return frames
  }

  /** Places count from the beginning of the text as clients see it. */
  #cite(open: Open): void {
    const run = this.#run
    if (!run || open.citations.length === 0) return
    const base = run.text.length - open.body.length
    for (const citation of open.citations) {
      if (citation.fileId !== undefined) this.#context.lose('dropped', 'reply.citations.fileId')
      const { start = 0, end = open.body.length } = citation
      const place = { ...citation, start: base + start, end: base + end }
      this.#grounding.cite(place, { text: run.text, part: run.index })
    }
    this.#isGrounded = true
  }

  #search(block: Extract<Block, { kind: 'search' }>): Frame[] {
    this.#searches += 1
    if (this.#searches > 1) this.#lose('approximated', 'searches are joined')
    if (block.queries.length === 0) this.#lose('dropped')
    this.#grounding.search(block)
    this.#isGrounded = true
    return []
  }

  #partContext(): WritePartContext {
    const { lose } = this.#context
    return {
      path: `reply.blocks.${this.#blocks - 1}`,
      lose: (code, path, detail) => {
        if (path.endsWith('.input')) this.#isBroken = true
        return lose(code, path, detail)
      },
      nameOf: (call) => (call.namespace ? `${call.namespace}__${call.name}` : call.name),
      signature: (seal, _path, slot) => writeSeal(seal, slot),
      ids: true,
    }
  }

  /** Lets the piece that waited go, and the new one wait. */
  #hold(part: JsonObject): Frame[] {
    const frames = this.#release()
    this.#pending = part
    return frames
  }

  #release(): Frame[] {
    if (!this.#pending) return []
    const frame = this.#frame([this.#pending], this.#sources())
    this.#pending = undefined
    return [frame]
  }

  #sources(): JsonObject {
    const groundingMetadata = this.#isGrounded ? this.#grounding.metadata() : undefined
    this.#isGrounded = false
    return groundingMetadata ? { groundingMetadata } : {}
  }

  #finish(reason: FinishReason, stopSequence: string | undefined): Frame[] {
    const { lose } = this.#context
    if (stopSequence !== undefined) lose('dropped', 'reply.stopSequence')
    if (this.#usage.cacheWrite) lose('dropped', 'usage.cacheWrite')
    if (understood(reason, this.#calls > 0) !== reason) lose('approximated', 'reply.finish', reason)
    const written = FINISH_NAMES[reason]
    const groundingMetadata = this.#grounding.metadata()
    this.#last = {
      // Nobody may carry out a call whose arguments were cut.
      finishReason: this.#isBroken && written === 'STOP' ? 'MALFORMED_FUNCTION_CALL' : written,
      ...this.#candidate,
      ...(groundingMetadata && { groundingMetadata }),
    }
    const parts = this.#pending ? [this.#pending] : []
    return [this.#frame(parts, this.#last)]
  }

  #fail(problem: Problem): Frame[] {
    const frames = this.#release()
    this.#failure = writeProblem(problem).body
    return [...frames, { data: stringify(this.#failure) }]
  }

  #frame(parts: JsonObject[], candidate: JsonObject): Frame {
    return { data: stringify(this.#chunk(parts, candidate)) }
  }

  #chunk(parts: JsonObject[], candidate: JsonObject): JsonObject {
    const content = { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] }
    this.#id ||= this.#context.newId('')
    return {
      ...this.#head,
      candidates: [{ content, ...candidate, index: 0 }],
      ...(this.#last && { usageMetadata: writeUsage(this.#usage) }),
      modelVersion: this.#context.request.model,
      responseId: this.#id,
    }
  }
}

/** What comes in pieces on this wire; everything else is one part. */
function spokenKind(block: Block): Run['kind'] | undefined {
  if (block.kind === 'reasoning') return 'reasoning'
  return block.kind === 'text' || block.kind === 'refusal' ? 'text' : undefined
}
