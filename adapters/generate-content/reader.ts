import { alikeParser } from '../../src/canonical/alike.ts'
import { Cursor, type BlockKey } from '../../src/canonical/cursor.ts'
import type { Event, Tail } from '../../src/canonical/events.ts'
import {
  isObject,
  stringify,
  textOf,
  type Json,
  type JsonObject,
} from '../../src/canonical/json.ts'
import type { Block, ToolCallBlock, Usage } from '../../src/canonical/model.ts'
import { toolNames, type ToolNames } from '../../src/canonical/names.ts'
import type { Problem } from '../../src/canonical/problem.ts'
import { fingerprint } from '../../src/canonical/seal.ts'
import { raiseInput } from '../../src/canonical/text-tools.ts'
import type { Frame, Reader, ReadReplyContext } from '../adapter.ts'
import { DIALECT, leftovers, many, NAME_RULE } from './dialect.ts'
import { sourcesOf } from './grounding.ts'
import { partialArguments, type PartialArguments } from './partial-arguments.ts'
import { wholeBlock } from './reply-parts.ts'
import { readProblem } from './problems.ts'
import { isItsOwn, readSeal } from './seals.ts'
import { normalisePart, REPLY_VERBATIM } from './spelling.ts'
import { readFinish, readUsage, type ReadFinish } from './usage.ts'

const NO_REPLY: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream answered with something that is no reply.',
  retry: false,
}

/** Text or thoughts that go on: each chunk brings the next piece. */
interface Run {
  kind: 'text' | 'reasoning'
  key: BlockKey
  text: string
  tail: Tail
  /** A proof ends what it belongs to. */
  isProven: boolean
}

interface PartialCall {
  key: BlockKey
  arguments: PartialArguments
  tail: Tail
}

/** A whole reply is a stream of one chunk: each chunk holds the new parts only. */
export class ReplyReader implements Reader {
  readonly #context: ReadReplyContext
  readonly #names: ToolNames
  readonly #cursor = new Cursor()
  readonly #texts = alikeParser(REPLY_VERBATIM)
  readonly #sources = sourcesOf()
  #id = ''
  #blocks = 0
  #calls = 0
  #lastCode = ''
  #run: Run | undefined
  #partial: PartialCall | undefined
  #usage: Usage | undefined
  #finish: ReadFinish | undefined
  #isBlocked = false
  #candidateRest: JsonObject = {}

  constructor(context: ReadReplyContext) {
    this.#context = context
    this.#names = toolNames(context.request, NAME_RULE)
  }

  body(json: Json): Event[] {
    for (const chunk of many(json)) this.#take(chunk)
    if (!this.#cursor.started && !this.#cursor.ended) this.#cursor.fail(NO_REPLY)
    // What came whole is not cut, also when it does not say why it ends.
    if (!this.#isBlocked) this.#finish ??= { reason: this.#blocks > 0 ? 'stop' : 'other' }
    return this.end()
  }

  push(frame: Frame): Event[] {
    const data = frame.data.trim()
    if (data === '' || data === '[DONE]' || this.#cursor.ended) return []
    const chunk = this.#parsed(data)
    if (chunk === undefined) this.#cursor.fail(NO_REPLY)
    else for (const one of many(chunk)) this.#take(one)
    return this.#cursor.drain()
  }

  #parsed(data: string): Json | undefined {
    try {
      return this.#texts.parse(data)
    } catch {
      return undefined
    }
  }

  end(): Event[] {
    if (this.#isBlocked) this.#finish ??= { reason: 'safety' }
    if (this.#finish && !this.#cursor.ended) this.#conclude(this.#finish)
    this.#cursor.done()
    return this.#cursor.drain()
  }

  #conclude({ reason, name }: ReadFinish): void {
    this.#endPartial()
    this.#endRun(true)
    const search = this.#sources.search(`search_${fingerprint(this.#id)}`)
    if (search) this.#whole(search, {})
    if (this.#usage) this.#cursor.usage(this.#usage)
    const candidate = { ...this.#candidateRest, ...(name !== undefined && { finishReason: name }) }
    const { ext } = Object.keys(candidate).length > 0 ? leftovers({ candidate }) : {}
    this.#cursor.finish(reason, undefined, ext)
  }

  #take(chunk: Json): void {
    if (this.#cursor.ended) return
    if (!isObject(chunk)) return this.#cursor.fail(NO_REPLY)
    if (isFailure(chunk)) return this.#cursor.fail(readProblem(200, chunk))
    if (!MEMBERS.some((name) => chunk[name] !== undefined)) return
    const { candidates, usageMetadata, promptFeedback } = chunk
    this.#begin(chunk)
    this.#count(readUsage(usageMetadata))
    if (isObject(promptFeedback) && promptFeedback['blockReason']) this.#isBlocked = true
    for (const [place, candidate] of many(candidates).entries()) {
      if (!isObject(candidate)) continue
      if (Number(candidate['index'] ?? place) === 0) this.#candidate(candidate)
      else this.#context.lose('dropped', 'reply.candidates')
    }
  }

  #begin(chunk: JsonObject): void {
    if (this.#cursor.started) return
    const { candidates: _candidates, usageMetadata: _usage, ...others } = chunk
    const { continuationToken: _token, error: _none, modelVersion, responseId, ...rest } = others
    this.#id = typeof responseId === 'string' ? responseId : ''
    const model = typeof modelVersion === 'string' ? modelVersion : ''
    this.#cursor.start(this.#id || this.#context.newId(''), model, leftovers(rest).ext)
  }

  /** Each count replaces the one before; the first is passed on at once, because some callers want it early. */
  #count(usage: Usage | undefined): void {
    if (!usage) return
    if (!this.#usage) this.#cursor.usage(usage)
    this.#usage = { ...this.#usage, ...usage }
  }

  #candidate(candidate: JsonObject): void {
    const { content, finishReason, index: _index, ...others } = candidate
    const { groundingMetadata: _grounding, citationMetadata: _citations, ...rest } = others
    this.#candidateRest = { ...this.#candidateRest, ...rest }
    this.#sources.take(candidate)
    const parts = isObject(content) ? many(content['parts']) : []
    for (const part of parts) if (isObject(part)) this.#part(normalisePart(part))
    const finish = readFinish(finishReason)
    const isUnknown = finishReason === UNSPECIFIED || finishReason === 0
    if (!finish) return
    if (isUnknown && this.#calls > 0) this.#finish ??= { reason: 'stop' }
    // A plain stop after the fact does not undo what was said before.
    else if (finish.reason !== 'stop' || !this.#finish) this.#finish = finish
  }

  #part(part: JsonObject): void {
    const { text, thought, thoughtSignature, functionCall, ...rest } = part
    const isSigned = typeof thoughtSignature === 'string' && thoughtSignature !== ''
    const tail = isSigned ? { seal: { dialect: DIALECT, value: thoughtSignature } } : {}
    if (isObject(functionCall)) return this.#call(functionCall, tail, rest)
    const kind = thought === true ? 'reasoning' : 'text'
    if (typeof text === 'string') return this.#piece(kind, text, tail, rest)
    const block = wholeBlock(part, this.#madeId('code'), this.#lastCode)
    if (block) {
      if (block.kind === 'code') this.#lastCode = block.id
      return this.#whole(block, block.kind === 'opaque' ? {} : tail)
    }
    if (isSigned) this.#piece(kind, '', tail, rest)
  }

  #piece(kind: Run['kind'], text: string, tail: Tail, rest: JsonObject): void {
    if (text === '' && !tail.seal) return
    const begins = tail.seal !== undefined && text !== '' && !provesText(tail.seal.value)
    const run = this.#run
    if (run?.kind !== kind || run.isProven || begins || (run.tail.seal && tail.seal))
      this.#endRun(false)
    if (!this.#run) {
      const key = this.#nextKey()
      this.#run = { kind, key, text: '', tail: {}, isProven: false }
      this.#cursor.open(key, { kind, text: '', ...leftovers(rest) })
    }
    this.#run.text += text
    if (tail.seal) this.#run.tail = tail
    this.#run.isProven = tail.seal !== undefined && !begins
    this.#cursor.delta(this.#run.key, text)
  }

  #endRun(isLast: boolean): void {
    const run = this.#run
    if (!run) return
    this.#run = undefined
    if (run.kind === 'text')
      for (const citation of this.#sources.citationsOf(run.text, isLast))
        this.#cursor.cite(run.key, citation)
    this.#cursor.close(run.key, run.tail)
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
      const key = this.#openCall(name, id, { ...rest, ...more })
      if (partialArgs === undefined && willContinue !== true) {
        const isAbsent = args === undefined || textOf(args) === 'null'
        if (!isAbsent) this.#cursor.delta(key, textOf(args))
        return this.#cursor.close(key, tail)
      }
      this.#partial = { key, arguments: partialArguments(), tail }
    }
    this.#partial?.arguments.take(partialArgs)
    if (willContinue !== true) this.#endPartial()
  }

  #openCall(wire: string, id: Json | undefined, rest: JsonObject): BlockKey {
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
      ...leftovers(rest),
    }
    this.#cursor.open(key, block, form === 'text' ? raiseInput : undefined)
    return key
  }

  #endPartial(): void {
    const partial = this.#partial
    if (!partial) return
    this.#partial = undefined
    this.#cursor.delta(partial.key, stringify(partial.arguments.value()))
    this.#cursor.close(partial.key, partial.tail)
  }

  #nextKey(): BlockKey {
    this.#blocks += 1
    return this.#blocks
  }

  /** The same for the same reply at the same place, so that JSON and stream agree. */
  #madeId(kind: string, name = ''): string {
    if (this.#id === '' && kind === 'call') return this.#context.newId('call_')
    return `${kind}_${fingerprint(`${this.#id} ${this.#blocks} ${name}`)}`
  }
}

/** That of another thought without words just travels on a text that goes on. */
const provesText = (signature: string): boolean => isItsOwn(readSeal(signature).slot)

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'

/** What has none of these says nothing of a reply. */
const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId']

/** An error inside of a good reply, in this dialect's shape or in a gateway's. */
function isFailure(chunk: JsonObject): boolean {
  if (chunk['error'] !== undefined && chunk['error'] !== null) return true
  if ('candidates' in chunk || 'promptFeedback' in chunk || 'usageMetadata' in chunk) return false
  return typeof chunk['detail'] === 'string' || chunk['object'] === 'error'
}
