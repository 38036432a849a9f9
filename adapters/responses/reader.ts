import type { ReadReplyContext, Reader } from '../contract.ts'
import { DeltaHint } from '../../src/stream/wire-events.ts'
import { Cursor } from '../../src/model/cursor.ts'
import type { Event } from '../../src/model/events.ts'
import { isObject, type Json } from '../../src/json/json.ts'
import { emptyRequest } from '../../src/model/empty-request.ts'
import type { Problem } from '../../src/model/problem.ts'
import { readPlace, Items } from './reader-blocks.ts'
import { leftoversBeyond, listOf, objectIn, textIn } from './dialect.ts'
import { problemIn } from './problems.ts'
import { isOwnEnd, readFinish, writeOpening } from './reply.ts'
import { readUsage } from './usage.ts'
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

/** Of these a response says what was done and not what was asked. */
const DONE = new Set(['access_programs', 'frequency_penalty', 'presence_penalty', 'service_tier'])

/** What was asked is said again in a response: the members that are written here for an empty request. */
const RESPONSE = [
  ...Object.keys(writeOpening(emptyRequest('', true), { newId: () => '', now: 0 })).filter(
    (key) => !DONE.has(key),
  ),
  'billing',
  'output_text',
]

const BEFORE_END = RESPONSE.filter((key) => key !== 'incomplete_details')

/** The numbers of events and their padding say nothing of a reply. */
const UNREAD = { counts: [['sequence_number']], noise: [['obfuscation']] }
const DELTA = ['delta']

/** Reads replies of an upstream, whole or event by event, and forgives what servers leave out. */
export function reader(context: ReadReplyContext): Reader {
  const cursor = new Cursor()
  const items = new Items(cursor, context)
  const hint = new DeltaHint(UNREAD)
  const respond = (response: Json | undefined) => {
    if (isObject(response)) finish(response)
    else cursor.fail(UNREADABLE)
  }
  const finish = (response: WireResponse) => {
    start(response)
    const problem = problemOfResponse(response)
    for (const [index, item] of listOf(response.output).entries())
      if (isObject(item)) items.finish(index, item)
    const usage = readUsage(response.usage)
    if (usage) cursor.usage(usage)
    if (problem) return cursor.fail(problem)
    const reason = readFinish(response, items.seen)
    const known = isOwnEnd(reason, response) ? BEFORE_END : RESPONSE
    cursor.finish(reason, undefined, leftoversBeyond(response, known))
    cursor.done()
  }
  const start = (response: WireResponse) => {
    cursor.start(textIn(response, 'id') ?? '', textIn(response, 'model') ?? '')
  }
  const event = (value: WireStep, name: string | undefined) => {
    const type = textIn(value, 'type') ?? name ?? ''
    const response = value.response
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        if (isObject(response)) start(response)
        return
      case 'response.completed':
      case 'response.incomplete':
        return respond(response)
      case 'response.failed':
        return cursor.fail(problemIn(response) ?? FAILED)
      case 'response.cancelled':
        return cursor.fail(CANCELLED)
      case 'error':
        return cursor.fail(problemIn(value) ?? FAILED)
      default:
        if (!type.startsWith('response.')) return stray(value)
        if (Object.hasOwn(Items.EVENTS, type)) return itemEvent(type, value)
        if ((value.delta ?? '') !== '') context.lose('dropped', type.replace('response', 'reply'))
    }
  }
  const itemEvent = (type: string, value: WireStep) => {
    const take = items.event(type, value, readPlace(value))
    if (take)
      hint.give(DELTA, (text) => {
        take(text)
        return drain()
      })
  }
  /** Not an event: an error that came bare, or a whole response in one piece. */
  const stray = (value: WireResponse) => {
    const problem = problemIn(value)
    if (problem) cursor.fail(problem)
    else if (value.object === 'response' || Array.isArray(value.output)) finish(value)
  }
  const drain = (): Event[] => cursor.drain()
  return {
    hint,
    body(json) {
      const response: WireResponse = objectIn(json)
      if (Array.isArray(response.output)) finish(response)
      else cursor.fail(problemIn(json) ?? UNREADABLE)
      return drain()
    },
    push({ name, data }) {
      if (cursor.ended) return []
      if (isObject(data)) event(data, name)
      else if (Array.isArray(data) && problemIn(data)) cursor.fail(problemIn(data) ?? FAILED)
      return drain()
    },
    broken() {
      cursor.fail(UNREADABLE)
      return drain()
    },
    end() {
      cursor.done()
      return drain()
    },
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
