import type { Frame } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Grammar } from './grammar.ts'
import {
  addedItem,
  doneItem,
  duplicate,
  emptyPart,
  part,
  running,
  summaryPart,
  TERMINAL,
} from './responses-shapes.ts'
import {
  array,
  count,
  filled,
  first,
  list,
  literal,
  member,
  object,
  payload,
  same,
  show,
  text,
  type Shape,
} from './shape.ts'

/** Item types whose body streams: the events' stem and the member that holds the body. */
const BODIES: Record<string, { stem: string; key: string }> = {
  function_call: { stem: 'response.function_call_arguments', key: 'arguments' },
  custom_tool_call: { stem: 'response.custom_tool_call_input', key: 'input' },
  code_interpreter_call: { stem: 'response.code_interpreter_call_code', key: 'code' },
  mcp_call: { stem: 'response.mcp_call_arguments', key: 'arguments' },
}

/** The kinds of part that an item has, by the item's type. */
const PARTED: Record<string, { added: string; done: string; index: string }> = {
  message: {
    added: 'response.content_part.added',
    done: 'response.content_part.done',
    index: 'content_index',
  },
  reasoning: {
    added: 'response.reasoning_summary_part.added',
    done: 'response.reasoning_summary_part.done',
    index: 'summary_index',
  },
}
const TEXTS: Record<string, { stem: string; key: string; extra: Record<string, Shape> }> = {
  output_text: {
    stem: 'response.output_text',
    key: 'text',
    extra: { logprobs: array(object({})) },
  },
  refusal: { stem: 'response.refusal', key: 'refusal', extra: {} },
  summary_text: { stem: 'response.reasoning_summary_text', key: 'text', extra: {} },
}

/** Says only how far a hosted tool is; no order to check beyond the open item. */
const STATUS =
  /^response\.(web_search_call\.(in_progress|searching|completed)|code_interpreter_call\.(in_progress|interpreting|completed)|mcp_(?:call|list_tools)\.(in_progress|completed|failed))$/

interface Part {
  type: string
  text: string
  annotations: Json[]
  /** The text is complete: its `done` came. */
  done: boolean
}

interface Item {
  type: string
  added: JsonObject
  body: string
  bodyDone: boolean
  parts: Json[]
  part: Part | undefined
}

/** Reads one stream, event by event; every step says what is wrong. */
class Walk {
  #id: Json | undefined
  #progressed = false
  #output: Json[] = []
  #item: Item | undefined
  ended = false

  step(type: string, event: JsonObject): string | undefined {
    if (this.ended) return 'comes after the end'
    if (this.#id === undefined) return this.#created(type, event)
    const response = event['response']
    if (response !== undefined && member(response, 'id') !== this.#id) return 'the id changes'
    const terminal = /^response\.(completed|incomplete|failed)$/.exec(type)?.[1]
    if (terminal !== undefined) return this.#terminal(terminal, event)
    if (type === 'response.in_progress') return this.#inProgress(response)
    if (type === 'response.output_item.added') return this.#itemAdded(event)
    return this.#inItem(type, event)
  }

  #created(type: string, event: JsonObject): string | undefined {
    if (type !== 'response.created') return 'comes before response.created'
    this.#id = member(event['response'], 'id')
    return running(event['response'], 'response')
  }

  #inProgress(response: Json | undefined): string | undefined {
    if (this.#progressed || this.#output.length > 0 || this.#item) return 'comes late or twice'
    this.#progressed = true
    return running(response, 'response')
  }

  #terminal(name: string, event: JsonObject): string | undefined {
    this.ended = true
    const { response, error } = event
    const failed = name === 'failed' ? member(response, 'error') : undefined
    if (!toldBeside(error, failed))
      return 'a failure, and only that, is told beside its response too'
    if (this.#item && name !== 'failed') return `${this.#item.type} is still open`
    const output = list(member(response, 'output'))
    const closed = this.#item ? output.slice(0, this.#output.length) : output
    return first([
      TERMINAL[name]?.(response, 'response'),
      same(closed, this.#output) ? undefined : 'output is not what the items were',
      duplicate(output),
    ])
  }

  #itemAdded(event: JsonObject): string | undefined {
    const item = event['item']
    if (this.#item) return `${this.#item.type} is still open`
    if (event['output_index'] !== this.#output.length) return this.#wrongIndex(event)
    if (!isObject(item)) return 'the item is no object'
    const type = text(item['type'])
    this.#item = { type, added: item, body: '', bodyDone: false, parts: [], part: undefined }
    return addedItem(item, 'item')
  }

  #wrongIndex(event: JsonObject): string {
    return `output_index ${show(event['output_index'])}, not ${this.#output.length}`
  }

  #inItem(type: string, event: JsonObject): string | undefined {
    const item = this.#item
    if (!item) return 'no item is open'
    if (event['output_index'] !== this.#output.length) return this.#wrongIndex(event)
    if (type === 'response.output_item.done') return this.#itemDone(item, event['item'])
    if (event['item_id'] !== item.added['id']) return `item_id ${show(event['item_id'])}`
    const parted = PARTED[item.type]
    if (type === parted?.added) return partAdded(item, event, parted.index)
    if (type === parted?.done) return partDone(item, event, parted.index)
    if (item.part && parted) return inPart(item.part, item, type, event, parted.index)
    const body = BODIES[item.type]
    if (body && type.startsWith(`${body.stem}.`)) return inBody(item, type, event, body)
    return STATUS.test(type) && type.startsWith(`response.${item.type}.`)
      ? undefined
      : `is unknown or out of place in ${item.type}`
  }

  #itemDone(item: Item, done: Json | undefined): string | undefined {
    const wrong = doneItem(done, 'item')
    if (wrong !== undefined) return wrong
    for (const key of ['id', 'type', 'call_id', 'name', 'namespace', 'role'])
      if (!same(member(done, key), item.added[key])) return `${key} changes`
    if (item.part) return 'a part is still open'
    this.#item = undefined
    this.#output.push(done ?? null)
    return gathered(item, done)
  }
}

/** What the item is at its end must be what its events said. */
function gathered(item: Item, done: Json | undefined): string | undefined {
  const parts = { message: 'content', reasoning: 'summary' }[item.type]
  if (parts !== undefined && !same(member(done, parts), item.parts))
    return `${parts} is not what its parts were: ${show(member(done, parts))} / ${show(item.parts)}`
  const body = BODIES[item.type]
  if (!body) return undefined
  const value = member(done, body.key)
  if ((value ?? '') !== item.body) return `${body.key} is not what its deltas were`
  return item.bodyDone ? undefined : `there was no ${body.stem}.done`
}

function inBody(
  item: Item,
  type: string,
  event: JsonObject,
  body: { stem: string; key: string },
): string | undefined {
  if (item.bodyDone) return 'comes after its done'
  if (type === `${body.stem}.delta`) {
    item.body += text(event['delta'])
    return filled(event['delta'], 'delta')
  }
  if (type !== `${body.stem}.done`) return 'is unknown'
  item.bodyDone = true
  if (item.type === 'function_call' && event['name'] !== item.added['name']) return 'name differs'
  return event[body.key] === item.body ? undefined : `${body.key} is not what its deltas were`
}

function partAdded(item: Item, event: JsonObject, index: string): string | undefined {
  if (item.part) return 'the part before is still open'
  if (event[index] !== item.parts.length) return `${index} ${show(event[index])}`
  const type = text(member(event['part'], 'type'))
  item.part = { type, text: '', annotations: [], done: false }
  if (item.type === 'message') return emptyPart(event['part'], 'part')
  return object({ type: literal('summary_text'), text: literal('') })(event['part'], 'part')
}

function partDone(item: Item, event: JsonObject, index: string): string | undefined {
  const open = item.part
  if (!open) return 'no part is open'
  if (event[index] !== item.parts.length) return `${index} ${show(event[index])}`
  if (!open.done) return 'its text has no done'
  const done = event['part']
  item.part = undefined
  item.parts.push(done ?? null)
  const wrong = (item.type === 'message' ? part : summaryPart)(done, 'part')
  if (wrong !== undefined) return wrong
  const key = TEXTS[open.type]?.key ?? 'text'
  if (member(done, 'type') !== open.type) return 'type changes'
  if (member(done, key) !== open.text) return `${key} is not what its deltas were`
  const annotations = member(done, 'annotations') ?? []
  return same(annotations, open.annotations) ? undefined : 'annotations differ'
}

function inPart(
  open: Part,
  item: Item,
  type: string,
  event: JsonObject,
  index: string,
): string | undefined {
  const rule = TEXTS[open.type]
  if (event[index] !== item.parts.length) return `${index} ${show(event[index])}`
  if (!rule) return `${open.type} has no events`
  if (type === 'response.output_text.annotation.added' && open.type === 'output_text') {
    const wrong = count(event['annotation_index'], 'annotation_index')
    if (event['annotation_index'] !== open.annotations.length) return wrong ?? 'annotation_index'
    open.annotations.push(event['annotation'] ?? null)
    return wrong
  }
  if (open.done) return 'comes after its done'
  if (type === `${rule.stem}.delta`) {
    open.text += text(event['delta'])
    return object({ delta: filled, ...rule.extra })(event, 'event')
  }
  if (type !== `${rule.stem}.done`) return `is unknown or out of place in ${open.type}`
  open.done = true
  if (event[rule.key] !== open.text) return `${rule.key} is not what its deltas were`
  return object(rule.extra)(event, 'event')
}

function check(frames: readonly Frame[]): string | undefined {
  const walk = new Walk()
  for (const [index, frame] of frames.entries()) {
    const event = payload(frame.data)
    if (typeof event === 'string') return `frame ${index}: ${event}`
    const type = text(event['type'])
    const wrong = (what: string) => `frame ${index} (${type}): ${what}`
    if (frame.event !== type) return wrong(`event line ${frame.event}`)
    if (event['sequence_number'] !== index)
      return wrong(`sequence_number ${show(event['sequence_number'])}`)
    const found = walk.step(type, event)
    if (found !== undefined) return wrong(found)
  }
  return walk.ended ? undefined : 'the stream has no end'
}

function checkBody(body: Json): string | undefined {
  const shape = TERMINAL[text(member(body, 'status'))]
  return shape
    ? first([shape(body, 'response'), duplicate(member(body, 'output'))])
    : 'response.status: is not final'
}

/** Whole, as in a body: openai-java 4.101 throws where it asks such an error for its type and there is none. */
function toldBeside(error: Json | undefined, failed: Json | undefined): boolean {
  if (failed === undefined || error === undefined) return error === failed
  const { type, param, ...rest } = isObject(error) ? error : {}
  return typeof type === 'string' && type !== '' && param !== undefined && same(rest, failed)
}

export const responses: Grammar = { check, checkBody }
