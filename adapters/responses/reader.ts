import { lazily } from '../../src/json/memoize.ts'
import type { ReadReplyContext, Reader, WireEvent } from '../contract.ts'
import { DeltaHint } from '../../src/stream/wire-events.ts'
import { Cursor, ENDED_EARLY, WORDLESS } from '../../src/model/cursor.ts'
import type { Event } from '../../src/model/events.ts'
import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { saysError } from '../../src/problems/error-words.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { Usage } from '../../src/model/request.ts'
import { readRefused } from '../../src/problems/refused.ts'
import { lossesIn } from '../../src/model/loss.ts'
import { readDiagnosis } from './caching.ts'
import { readPlace, Items } from './reader-blocks.ts'
import { isOrigin, leftoversBeyond, listOf, memberCount, objectIn, memberText } from './dialect.ts'
import { failureIn, problemIn } from './problems.ts'
import { isOwnEnd, readFinish, readWithheld, writeOpening } from './reply.ts'
import { readServed, readUsage } from './usage.ts'
import type { WireResponse, WireStep } from './wire.ts'

const UNREADABLE: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream sent something that is no response.',
  retry: false,
}
const FAILED: Problem = {
  kind: 'internal',
  message: 'The upstream could not complete the response.',
}
const CANCELLED: Problem = {
  kind: 'cancelled',
  message: 'The response was cancelled at the upstream.',
}
const UNFINISHED: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream answered before the response was complete.',
  retry: false,
}

/** Members that say what was used and not what was requested, so they are no repetition of the request. */
const DONE = new Set(['access_programs', 'frequency_penalty', 'presence_penalty', 'service_tier'])

const WITHHELD = 'input_transformations'
const DIAGNOSIS = 'prompt_cache_diagnostics'

/** The members with which a response repeats its request: those written for an empty request. */
const responseMembers = lazily<ReadonlySet<string>>(
  () =>
    new Set([
      ...Object.keys(writeOpening(emptyRequest('', true), { newId: () => '', now: 0 })).filter(
        (key) => !DONE.has(key),
      ),
      'billing',
      'output_text',
      // Read elsewhere.
      'service_tier',
      WITHHELD,
    ]),
)

/** The same for a reply that ended in a way that only this dialect has a word for: then the reason is left over. */
const membersBesideEnd = lazily<ReadonlySet<string>>(
  () => new Set([...responseMembers()].filter((key) => key !== 'incomplete_details')),
)

/** Codes of a failure (openai 7.57). Group 1 is what other services call its category. */
const POLICY = /^(?:(bio|cyber)|misalignment)_policy/

/** The numbers and the padding of events, which are not read. */
const UNREAD = { counts: [['sequence_number']], noise: [['obfuscation']] }
const DELTA = ['delta']

/** Reads an upstream's reply, whole or by events, and tolerates what servers leave out. */
export class ResponseReader implements Reader {
  readonly hint = new DeltaHint(UNREAD)
  readonly #context: ReadReplyContext
  readonly #cursor = new Cursor()
  readonly #items: Items
  #isWithheldTold = false
  #isBegun = false

  constructor(context: ReadReplyContext) {
    this.#context = context
    this.#items = new Items(this.#cursor, context)
  }

  body(json: Json): Event[] {
    const response: WireResponse = objectIn(json)
    const { output, status } = response
    if (Array.isArray(output) && output.length === 0 && (status ?? null) === null)
      this.#cursor.fail(problemIn(json) ?? WORDLESS)
    else if (Array.isArray(output)) this.#finish(response)
    else this.#cursor.fail(failureIn(json, UNREADABLE))
    return this.#cursor.drain()
  }

  push({ name, data }: WireEvent): Event[] {
    if (this.#cursor.ended) return []
    if (isObject(data)) this.#take(data, name)
    else if (Array.isArray(data) && problemIn(data)) this.#cursor.fail(problemIn(data) ?? FAILED)
    return this.#cursor.drain()
  }

  end(): Event[] {
    this.#cursor.done()
    return this.#cursor.drain()
  }

  #take(event: WireStep, name: string | undefined): void {
    const type = memberText(event, 'type') ?? name ?? ''
    const { response } = event
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        if (isObject(response)) this.#start(response)
        return
      case 'response.completed':
      case 'response.incomplete':
        if (!isObject(response)) this.#cursor.fail(UNREADABLE)
        else if (problemOfResponse(response) === UNFINISHED) this.#fail(ENDED_EARLY, response)
        else this.#finish(response)
        return
      case 'response.failed':
        return this.#fail(problemIn(response) ?? FAILED, objectIn(response))
      case 'response.cancelled':
        return this.#cursor.fail(CANCELLED)
      case 'error':
        return this.#fail(failureIn(event, FAILED), {})
      default:
        if (!type.startsWith('response.')) return this.#stray(event)
        if (Object.hasOwn(Items.EVENTS, type)) return this.#ofItem(type, event)
        if ((event.delta ?? '') !== '')
          lossesIn(this.#context.lose)('reply', type.slice('response.'.length))('dropped', '')
    }
  }

  #start(response: WireResponse): void {
    const withheld = this.#cursor.started ? undefined : readWithheld(response[WITHHELD])
    if (withheld) this.#isWithheldTold = true
    const more = defined({ withheld, created: memberCount(response, 'created_at') })
    this.#cursor.start(memberText(response, 'id') ?? '', memberText(response, 'model') ?? '', more)
  }

  #finish(response: WireResponse): void {
    this.#start(response)
    const problem = problemOfResponse(response)
    this.#isBegun ||= listOf(response.output).length > 0
    for (const [index, item] of listOf(response.output).entries())
      if (isObject(item)) this.#items.finish(index, item)
    const usage = readUsage(response.usage)
    const served = readServed(response)
    const compared = this.#compared(served.left)
    const counted = { ...usage, ...served.usage, ...compared.usage }
    if (Object.keys(counted).length > 0) this.#cursor.usage(counted)
    if (problem) return this.#fail(problem, {})
    const reason = readFinish(response, this.#items.seen)
    const known = isOwnEnd(reason, response) ? membersBesideEnd() : responseMembers()
    const withheld = this.#isWithheldTold ? undefined : readWithheld(response[WITHHELD])
    const left = leftoversBeyond(compared.left, known)
    this.#cursor.finish(reason, { ext: left, withheld })
    this.#cursor.done()
  }

  /** Reads the diagnosis of the cache, for a caller of another dialect that asked for one; else it is left over. */
  #compared(response: JsonObject): { usage: Usage; left: JsonObject } {
    const { request } = this.#context
    const { [DIAGNOSIS]: found, ...others } = response
    if (!isObject(found) || isOrigin(request) || request.caching?.comparedWith === undefined)
      return { usage: {}, left: response }
    const { usage, left } = readDiagnosis(found)
    const isMore = Object.keys(left).length > 0
    return { usage, left: isMore ? { ...others, [DIAGNOSIS]: left } : others }
  }

  /** Where a policy stops a reply that has begun, the reply ends refused. A caller of this dialect sees the failure. */
  #fail(problem: Problem, { usage }: WireResponse): void {
    const [found, category] = POLICY.exec(problem.code ?? '') ?? []
    const isOwn = isOrigin(this.#context.request)
    if (found === undefined || !this.#isBegun || isOwn) return this.#cursor.fail(problem)
    const counted = readUsage(usage)
    if (counted) this.#cursor.usage(counted)
    const refused = readRefused(problem.message, category)
    this.#cursor.finish('refusal', { refused })
    this.#cursor.done()
  }

  #ofItem(type: string, event: WireStep): void {
    this.#isBegun = true
    const take = this.#items.event(type, event, readPlace(event))
    if (take)
      this.hint.give(DELTA, (text) => {
        take(text)
        return this.#cursor.drain()
      })
  }

  /** Reads a value that is no event: a bare error, or a whole response in one piece. */
  #stray(value: WireResponse): void {
    const isBare = value['type'] === undefined && saysError(value)
    const problem = isBare ? failureIn(value, FAILED) : problemIn(value)
    if (problem) this.#cursor.fail(problem)
    else if (value.object === 'response' || Array.isArray(value.output)) this.#finish(value)
  }
}

function problemOfResponse(response: WireResponse): Problem | undefined {
  switch (response.status) {
    case 'failed':
      return problemIn(response) ?? FAILED
    case 'cancelled':
      return CANCELLED
    case 'queued':
    case 'in_progress':
      return UNFINISHED
    default:
      return isObject(response.error) ? problemIn(response) : undefined
  }
}
