import { DeltaHint, DONE } from '../../src/stream/wire-events.ts'
import { OtherCandidates } from '../../src/model/candidates.ts'
import { Cursor, type BlockKey } from '../../src/model/cursor.ts'
import { mergeExt, type Event, type Tail } from '../../src/model/events.ts'
import {
  isObject,
  stringify,
  toText,
  amountIn,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { Block, Logprob, ToolCallBlock, Usage } from '../../src/model/request.ts'
import { append } from '../../src/model/logprobs.ts'
import { toolNames, type ToolNames } from '../../src/rules/names.ts'
import { fingerprint } from '../../src/model/proof.ts'
import { isFailure } from '../../src/problems/error-words.ts'
import { isRefusing, readRefused } from '../../src/problems/refused.ts'
import { raiseInput } from '../../src/rules/text-tools.ts'
import type { Reader, ReadReplyContext, WireEvent } from '../contract.ts'
import {
  CANDIDATE,
  CHUNK,
  isFailing,
  NO_REPLY,
  PART,
  PIECE,
  saysSomething,
  type PartialCall,
  type OpenRun,
  UNREAD,
  partialArguments,
  wholeBlock,
} from './reader-blocks.ts'
import { DIALECT, many, NAME_RULE, keep } from './dialect.ts'
import { membersBeside } from '../../src/model/ext.ts'
import { createSources } from './citations.ts'
import { readTokens } from './logprobs.ts'
import { readProblem } from './problems.ts'
import { opaquePart } from './blocks.ts'
import { isItsOwn, readProof } from './proofs.ts'
import { normalisePart, REPLY_VERBATIM } from './wire.ts'
import { readFinish, type ReadFinish } from './reply.ts'
import { readUsage } from './usage.ts'
import { grown } from '../../src/rules/growing.ts'

/** Takes the text of a part that holds nothing else. */
type Take = (text: string) => void

/** Reads a reply. A JSON reply is a stream of one chunk. Each chunk holds only new parts. */
export class ReplyReader implements Reader {
  readonly verbatim = REPLY_VERBATIM
  readonly hint = new DeltaHint(UNREAD, (chunk) => {
    if (isObject(chunk)) this.#count(readUsage(chunk['usageMetadata']))
  })
  readonly #context: ReadReplyContext
  readonly #names: ToolNames
  readonly #cursor = new Cursor()
  readonly #sources = createSources((...loss) => this.#context.lose(...loss))
  readonly #others: OtherCandidates
  #id = ''
  #blocks = 0
  #calls = 0
  /** The number in its chunk of the part that is being read. */
  #place = 0
  #lastCode = ''
  #run: OpenRun | undefined
  #partial: PartialCall | undefined
  #usage: Usage | undefined
  #finish: ReadFinish | undefined
  #isBlocked = false
  #isWhole = false
  /** All parts stand in one chunk, so their numbers there are those in the reply. */
  #isNumbered = false
  #explanation: Json | undefined
  #rest: JsonObject = {}
  #logprobs: Logprob[] = []
  #hasWeighed = false
  /** A text that has ended and whose log probabilities may still come. What follows is held until then. */
  #unweighed: OpenRun | undefined

  constructor(context: ReadReplyContext) {
    this.#context = context
    this.#names = toolNames(context.request, NAME_RULE)
    this.#others = new OtherCandidates(this.#cursor, context, () => new ReplyReader(context))
  }

  body(json: Json): Event[] {
    this.#isWhole = true
    this.#isNumbered = many(json).length === 1
    for (const chunk of many(json)) this.#take(chunk)
    if (!this.#cursor.started)
      this.#cursor.fail(isFailure(json) ? readProblem(200, json) : NO_REPLY)
    // A JSON reply is whole, even without a finish reason.
    if (!this.#isBlocked) this.#finish ??= { reason: this.#blocks > 0 ? 'stop' : 'other' }
    return this.end()
  }

  push({ data }: WireEvent): Event[] {
    if (this.#cursor.ended || data === DONE) return []
    for (const chunk of many(data)) this.#take(chunk)
    return this.#cursor.drain()
  }

  end(): Event[] {
    if (this.#isBlocked) this.#finish ??= { reason: 'safety' }
    if (this.#finish && !this.#cursor.ended) this.#conclude(this.#finish)
    this.#cursor.done()
    return this.#cursor.drain()
  }

  counts(): Usage | undefined {
    return this.#usage
  }

  #conclude({ reason, name }: ReadFinish): void {
    this.#others.end()
    this.#endPartial()
    this.#endRun(true)
    this.#settle()
    if (this.#logprobs.length > 0) this.#context.lose('dropped', 'reply.logprobs')
    const id = `search_${fingerprint(this.#id)}`
    const search = this.#sources.search(id)
    for (const page of this.#sources.pages(id)) this.#whole(page, {})
    if (search) this.#whole(search, {})
    if (this.#usage) this.#cursor.usage(this.#usage)
    if (name !== undefined) this.#keep({ finishReason: name })
    if (this.#sources.hasMore(search !== undefined))
      this.#context.lose('dropped', 'reply.citations')
    const refused = isRefusing(reason) ? readRefused(this.#explanation) : undefined
    if (!refused && this.#explanation) this.#keep({ finishMessage: this.#explanation })
    this.#cursor.finish(reason, { ext: keep(this.#rest).ext, refused })
  }

  #take(chunk: Json): void {
    if (this.#cursor.ended) return
    if (!isObject(chunk)) return this.#cursor.fail(NO_REPLY)
    if (isFailing(chunk)) return this.#cursor.fail(readProblem(200, chunk))
    if (!saysSomething(chunk)) return
    const { candidates, usageMetadata, promptFeedback } = chunk
    this.#begin(chunk)
    this.#keep(membersBeside(chunk, CHUNK))
    this.#count(readUsage(usageMetadata))
    this.#heed(promptFeedback)
    const takes = many(candidates).map((candidate, place) => {
      if (!isObject(candidate)) return undefined
      const index = candidate['index'] ?? place
      if (index === 0 || index === '0') return this.#candidate(candidate)
      return this.#others.push(amountIn(index), this.#alone(candidate, amountIn(index)))
    })
    const [take, ...more] = takes
    const isCounted = this.#usage !== undefined || usageMetadata === undefined
    if (take && more.length === 0 && isCounted)
      this.hint.give(PIECE, (text) => {
        take(text)
        return this.#cursor.drain()
      })
  }

  /** Reads `promptFeedback`. A refused prompt has no candidates. Only Vertex explains the refusal. */
  #heed(feedback: Json | undefined): void {
    if (!isObject(feedback)) return
    const { blockReasonMessage, ...rest } = feedback
    if (feedback['blockReason']) this.#isBlocked = true
    if (blockReasonMessage) this.#explanation ??= blockReasonMessage
    this.#keep({ promptFeedback: rest })
  }

  /**
   * A candidate as the only one of a reply. Ids are made from the reply's id, so each candidate gets one of its own.
   */
  #alone(candidate: JsonObject, index: number): JsonObject {
    const alone: JsonObject = { ...candidate, index: 0 }
    if (this.#isWhole) alone['finishReason'] ??= 'STOP'
    return { candidates: [alone], responseId: `${this.#id} ${index}` }
  }

  #begin(chunk: JsonObject): void {
    if (this.#cursor.started) return
    const { modelVersion, responseId } = chunk
    this.#id = typeof responseId === 'string' ? responseId : ''
    const model = typeof modelVersion === 'string' ? modelVersion : ''
    const usage = readUsage(chunk['usageMetadata'])
    this.#cursor.start(this.#id || this.#context.newId(''), model, usage && { usage })
  }

  #keep(rest: JsonObject | undefined): void {
    if (rest) this.#rest = { ...this.#rest, ...rest }
  }

  /** Each count replaces the one before. The first is passed on at once, because some callers want it early. */
  #count(usage: Usage | undefined): void {
    if (!usage) return
    if (!this.#usage) this.#cursor.usage(usage)
    // A count only grows. A smaller one behind the end is not that of the whole reply.
    const output = Math.max(this.#usage?.output ?? 0, usage.output ?? 0)
    this.#usage = { ...this.#usage, ...usage, output }
  }

  /** Reads a candidate. Returns what takes the next piece of its text, where it holds nothing else. */
  #candidate(candidate: JsonObject): Take | undefined {
    const { content, finishReason, finishMessage, citationMetadata, logprobsResult } = candidate
    append(this.#logprobs, readTokens(logprobsResult, this.#context.lose))
    if (this.#logprobs.length > 0) this.#settle()
    if (finishMessage) this.#explanation = finishMessage
    this.#keep(membersBeside(candidate, CANDIDATE))
    this.#sources.take(candidate)
    const parts = isObject(content) ? many(content['parts']) : []
    const takes = parts.map((part, place) => {
      this.#place = place
      return isObject(part) ? this.#part(normalisePart(part)) : undefined
    })
    this.#end(finishReason)
    // Citations and log probabilities are gathered, so a chunk with them cannot be taken by its text alone.
    const isCounted = citationMetadata !== undefined || logprobsResult !== undefined
    return takes.length === 1 && !isCounted ? takes[0] : undefined
  }

  #end(finishReason: Json | undefined): void {
    const finish = readFinish(finishReason)
    if (!finish) return
    if (finishReason === UNSPECIFIED || finishReason === 0)
      this.#finish ??= this.#calls > 0 ? { reason: 'stop' } : UNKNOWN_FINISH
    // A later `STOP` does not undo a reason that was given before.
    else if (finish.reason !== 'stop' || !this.#finish || this.#finish === UNKNOWN_FINISH)
      this.#finish = finish
  }

  #part(part: JsonObject): Take | undefined {
    const { text, thought, thoughtSignature, functionCall } = part
    const rest = membersBeside(part, PART)
    const isSigned = typeof thoughtSignature === 'string' && thoughtSignature !== ''
    const tail = isSigned ? { proof: { dialect: DIALECT, value: thoughtSignature } } : {}
    if (isObject(functionCall)) return void this.#call(functionCall, tail, rest ?? {})
    const kind = thought === true ? 'reasoning' : 'text'
    // A part with an empty text may hold something else, which the text must not hide.
    const whole = text === '' ? { ...rest, thought: thought ?? null } : part
    const isText = typeof text === 'string'
    const block =
      isText && text !== '' ? undefined : wholeBlock(whole, this.#madeId('code'), this.#lastCode)
    if (isText && (!block || block.kind === 'opaque')) {
      const take = (piece: string) => this.#piece(kind, piece, tail, rest)
      take(text)
      return isSigned ? undefined : take
    }
    if (block) {
      if (block.kind === 'code') this.#lastCode = block.id
      this.#whole(block, block.kind === 'opaque' ? {} : tail)
    } else if (isSigned) this.#piece(kind, '', tail, rest)
    return undefined
  }

  #piece(kind: OpenRun['kind'], text: string, tail: Tail, rest?: JsonObject): void {
    if (text === '' && !tail.proof) return
    const begins = tail.proof !== undefined && text !== '' && !provesText(tail.proof.value)
    const run = this.#run
    if (run?.kind !== kind || run.isProven || begins || (run.tail.proof && tail.proof))
      this.#endRun(false)
    if (!this.#run) {
      const key = this.#nextKey()
      const parts = this.#isNumbered ? { first: this.#place, last: this.#place } : undefined
      this.#run = { kind, key, text: '', tail: {}, isProven: false, parts }
      this.#cursor.open(key, { kind, text: '' })
    }
    if (this.#run.parts) this.#run.parts.last = this.#place
    this.#run.text = grown(this.#run.text, text)
    if (tail.proof || rest) {
      const ext = mergeExt(this.#run.tail.ext, keep(rest ?? {}).ext)
      this.#run.tail = { ...this.#run.tail, ...tail, ...(ext && { ext }) }
    }
    this.#run.isProven = tail.proof !== undefined && !begins
    this.#weigh(this.#run)
    this.#cursor.delta(this.#run.key, text)
  }

  /** Adds the log probabilities of a text. They stand in its chunk or in the last one. */
  #weigh({ kind, key }: OpenRun): void {
    if (kind !== 'text' || this.#logprobs.length === 0) return
    this.#cursor.weigh(key, this.#logprobs)
    this.#logprobs = []
    this.#hasWeighed = true
  }

  /** Ends the text that waits for its log probabilities, with those that have come. */
  #settle(): void {
    const run = this.#unweighed
    if (!run) return
    this.#unweighed = undefined
    this.#weigh(run)
    this.#cursor.close(run.key, run.tail)
  }

  #endRun(isLast: boolean): void {
    const run = this.#run
    if (!run) return
    this.#weigh(run)
    this.#run = undefined
    if (run.kind === 'text')
      for (const citation of this.#sources.citationsOf(run.text, isLast, run.parts))
        this.#cursor.cite(run.key, citation)
    const isAwaited = !this.#hasWeighed && this.#context.request.sampling.logprobs !== undefined
    if (isAwaited && run.kind === 'text' && !isLast) this.#unweighed ??= run
    if (this.#unweighed !== run) this.#cursor.close(run.key, run.tail)
  }

  #whole(block: Block, tail: Tail): void {
    this.#endRun(false)
    this.#cursor.whole(this.#nextKey(), block, tail)
  }

  #call(call: JsonObject, tail: Tail, rest: JsonObject): void {
    const { name, id, args, partialArgs, willContinue, ...more } = call
    if (typeof name === 'string' && name !== '') {
      this.#endPartial()
      this.#endRun(false)
      const key = this.#openCall(name, id, tail, { ...rest, ...more })
      if (partialArgs === undefined && willContinue !== true) {
        const isAbsent = args === undefined || toText(args) === 'null'
        if (!isAbsent) this.#cursor.delta(key, toText(args))
        return this.#cursor.close(key)
      }
      this.#partial = { key, arguments: partialArguments() }
    } else if (!this.#partial && args !== undefined)
      return this.#whole(opaquePart({ functionCall: call }), {})
    this.#partial?.arguments.take(partialArgs)
    if (willContinue !== true) this.#endPartial()
  }

  #openCall(wire: string, id: Json | undefined, proof: Tail, rest: JsonObject): BlockKey {
    const key = this.#nextKey()
    this.#calls += 1
    const { name, namespace, form } = this.#names.fromWire(wire)
    const block: ToolCallBlock = {
      kind: 'tool-call',
      id: typeof id === 'string' && id !== '' ? id : this.#madeId('call', wire),
      name,
      ...(namespace !== undefined && { namespace }),
      form,
      input: '',
      ...proof,
      ...keep(rest),
    }
    this.#cursor.open(key, block, form === 'text' ? raiseInput : undefined)
    return key
  }

  #endPartial(): void {
    const partial = this.#partial
    if (!partial) return
    this.#partial = undefined
    this.#cursor.delta(partial.key, stringify(partial.arguments.value()))
    this.#cursor.close(partial.key)
  }

  #nextKey(): BlockKey {
    this.#blocks += 1
    return this.#blocks
  }

  /** An id made of the reply's id and the place, so that JSON and stream agree. */
  #madeId(kind: string, name = ''): string {
    if (this.#id === '' && kind === 'call') return this.#context.newId('call_')
    return `${kind}_${fingerprint(`${this.#id} ${this.#blocks} ${name}`)}`
  }
}

/** Whether a signature proves the text itself, and not a thought without words before it. */
const provesText = (signature: string): boolean => isItsOwn(readProof(signature).slot)

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'
/** The value of an enumeration that was not set; any other reason of the reply counts instead of it. */
const UNKNOWN_FINISH: ReadFinish = { reason: 'other' }
