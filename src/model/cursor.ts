import {
  streamedText,
  withBody,
  type Event,
  type FinishEvent,
  type StartEvent,
  type Tail,
} from './events.ts'
import type { Block, Citation, FinishReason, Logprob, Usage } from './request.ts'
import { defined } from '../json/json.ts'
import type { Problem } from './problem.ts'

/** What a source calls one of its blocks: an index, an item id. */
export type BlockKey = string | number

/** What a source says of an end besides its reason. */
type Circumstances = {
  [key in keyof Omit<FinishEvent, 'type' | 'reason'>]: FinishEvent[key] | undefined
}

interface Pending {
  key: BlockKey
  block: Block
  /** Whether deltas append to it. */
  hasBody: boolean
  /** What came while another block was open. */
  held: Event[]
  closed: boolean
  /** How much of the body has been seen, for sources that repeat it whole at the end. */
  length: number
  /** Set for a body that only makes sense whole (a wrapped free-form input): it is gathered, then raised. */
  raise: Raise | undefined
  raw: string
  /** The first half of a character whose second half is yet to come. */
  half: string
}

/** Turns a whole body into what the caller shall see of it. */
export type Raise = (body: string) => string

/**
 * The state machine that all readers share. A reader says to which of its source's blocks a piece belongs. The
 * cursor brings the pieces into normal form: one start, blocks one after the other in the order in which they were
 * opened, one end. Pieces of a later block are held until the blocks before it have closed.
 */
export class Cursor {
  #out: Event[] = []
  #started = false
  #ended = false
  #blocks: Pending[] = []
  /** The place of the block that is being written. */
  #first = 0
  /** Those that are open; none once the reply has ended. */
  readonly #open = new Map<BlockKey, Pending>()
  /** How often each id has been used. */
  #callIds = new Map<string, number>()
  #finish: FinishEvent | undefined

  get started(): boolean {
    return this.#started
  }
  get ended(): boolean {
    return this.#ended
  }
  /** The number of characters of the body seen so far, 0 for an unknown block. */
  seen(key: BlockKey): number {
    return this.#open.get(key)?.length ?? 0
  }

  start(id: string, model: string, more: Omit<StartEvent, 'type' | 'id' | 'model'> = {}): void {
    if (this.#started || this.#ended) return
    this.#started = true
    this.#put({ type: 'start', id, model, ...more })
  }

  /** Opens a block; a body that it brings along becomes its first delta. Opening it again is a no-op. */
  open(key: BlockKey, opened: Block, raise?: Raise): void {
    if (this.#ended || this.#open.has(key)) return
    if (!this.#started) this.start('', '')
    const block = this.#distinct(opened)
    const body = streamedText(block)
    const pending: Pending = {
      key,
      block,
      hasBody: body !== undefined,
      held: [],
      closed: false,
      length: 0,
      raise,
      raw: '',
      half: '',
    }
    this.#blocks.push(pending)
    this.#open.set(key, pending)
    this.#emit(pending, { type: 'block-start', block: withBody(block, '') })
    if (body) this.delta(key, body)
  }

  delta(key: BlockKey, text: string): void {
    const pending = this.#open.get(key)
    if (!pending?.hasBody || text === '') return
    pending.length += text.length
    if (pending.raise) pending.raw += text
    else this.#say(pending, text)
  }

  /** The body as a whole: adds what has not been seen of it. */
  complete(key: BlockKey, body: string): void {
    const seen = this.seen(key)
    if (body.length > seen) this.delta(key, body.slice(seen))
  }

  cite(key: BlockKey, citation: Citation): void {
    const pending = this.#open.get(key)
    if (pending?.block.kind === 'text') this.#emit(pending, { type: 'citation', citation })
  }

  /** How likely the tokens of a text were; before the piece that they came with. */
  weigh(key: BlockKey, logprobs: readonly Logprob[]): void {
    const pending = logprobs.length > 0 ? this.#open.get(key) : undefined
    if (pending?.block.kind === 'text') this.#emit(pending, { type: 'logprobs', logprobs })
  }

  close(key: BlockKey, tail: Tail = {}): void {
    const pending = this.#open.get(key)
    if (!pending) return
    this.#settleBody(pending)
    pending.closed = true
    this.#open.delete(key)
    this.#emit(pending, { type: 'block-end', tail })
    this.#promote()
  }

  /** A block that comes in one piece. */
  whole(key: BlockKey, block: Block, tail: Tail = {}): void {
    this.open(key, block)
    this.close(key, tail)
  }

  closeAll(): void {
    for (const key of this.#open.keys()) this.close(key)
  }

  /** What another candidate says passes beside the blocks; its failure is one of the whole reply. */
  candidate(index: number, events: readonly Event[]): void {
    this.start('', '')
    for (const event of events) {
      if (event.type === 'error') this.fail(event.problem)
      else if (!this.#ended && event.type !== 'usage')
        this.#put({ type: 'candidate', index, event })
    }
  }

  usage(usage: Usage): void {
    if (!this.#ended && this.#started) this.#put({ type: 'usage', usage })
  }

  /**
   * Says why the reply ends; `done` ends it. A plain stop after a tool call means that its result is awaited,
   * also where a dialect has no word for it.
   */
  finish(reason: FinishReason, more: Circumstances = {}): void {
    if (this.#ended) return
    this.#finish = defined({
      type: 'finish' as const,
      reason: reason === 'stop' && this.#callIds.size > 0 ? 'tool-call' : reason,
      ...more,
    })
  }

  /** The source has ended the reply. Without a finish reason the reply was cut off. */
  done(): void {
    if (this.#ended) return
    if (!this.#finish) return this.fail(ENDED_EARLY)
    if (!this.#started) this.start('', '')
    this.closeAll()
    this.#put(this.#finish)
    this.#ended = true
  }

  fail(problem: Problem): void {
    if (this.#ended) return
    this.#put({ type: 'error', problem })
    this.#ended = true
    this.#open.clear()
  }

  /** Hands over what has become known since the last call. */
  drain(): Event[] {
    const events = this.#out
    this.#out = []
    return events
  }

  /** Results are told apart by the ids of their calls, so a second call of the same id gets another. */
  #distinct(block: Block): Block {
    if (block.kind !== 'tool-call') return block
    const nth = (turn: number) => (turn === 1 ? block.id : `${block.id}_${turn}`)
    let turn = (this.#callIds.get(block.id) ?? 0) + 1
    while (this.#callIds.has(nth(turn))) turn += 1
    const id = nth(turn)
    this.#callIds.set(block.id, turn)
    if (turn === 1) return block
    this.#callIds.set(id, 1)
    return { ...block, id }
  }

  /** A source may cut inside a surrogate pair; each half alone would be damaged by its encoding. */
  #say(pending: Pending, text: string): void {
    const known = pending.half === '' ? text : pending.half + text
    const isCut = isFirstHalf(known.charCodeAt(known.length - 1))
    const whole = isCut ? known.slice(0, -1) : known
    pending.half = isCut ? known.slice(-1) : ''
    if (whole !== '') this.#emit(pending, { type: 'block-delta', text: whole })
  }

  /** A call without arguments gets an empty object, however its source spells that. */
  #settleBody(pending: Pending): void {
    const { block, raise, raw, half } = pending
    if (half !== '') this.#emit(pending, { type: 'block-delta', text: half })
    if (raise) {
      const text = raise(raw)
      if (text !== '') this.#emit(pending, { type: 'block-delta', text })
    } else if (block.kind === 'tool-call' && block.form === 'json' && pending.length === 0) {
      this.delta(pending.key, '{}')
    }
  }

  /** Most pieces bring one event; a list made with one member takes a fraction of the memory of one that grows. */
  #put(event: Event): void {
    if (this.#out.length === 0) this.#out = [event]
    else this.#out.push(event)
  }

  #emit(pending: Pending, event: Event): void {
    if (this.#blocks[this.#first] === pending) this.#put(event)
    else pending.held.push(event)
  }

  /** The first block is the one that is written out; when it has closed, the next one's pieces follow. */
  #promote(): void {
    while (this.#blocks[this.#first]?.closed) {
      this.#first += 1
      const next = this.#blocks[this.#first]
      if (!next) {
        this.#blocks = []
        this.#first = 0
        return
      }
      for (const event of next.held) this.#put(event)
      next.held = []
    }
  }
}

export const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** An agent would take such a reply for the end of its task. */
export const WORDLESS: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream ended its reply without a word and without a reason.',
  retry: false,
}

export const ENDED_EARLY: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream ended its stream before the reply was complete.',
  retry: false,
}
