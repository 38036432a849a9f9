import type { ReadReplyContext } from '../contract.ts'
import type { Cursor } from '../../src/model/cursor.ts'
import { mergeExt } from '../../src/model/events.ts'
import { isObject, type Json, listOf } from '../../src/json/json.ts'
import { hasLogprobs, readLogprobs } from '../../src/model/logprobs.ts'
import { isAmong } from '../../src/rules/late-tools.ts'
import { raiseInput } from '../../src/rules/text-tools.ts'
import { PARAGRAPH, readSearch } from './blocks.ts'
import { readAnnotation } from './citations.ts'
import { callsFor } from './client-tools.ts'
import { readCode, readDrawn, readSummary } from './hosted.ts'
import { readMcpCall, readMcpListing } from './mcp.ts'
import { lookup, objectIn, objectsOf, opaque, memberText, memberCount } from './dialect.ts'
import { wireNames, type WireNames } from './names.ts'
import {
  inputIn,
  leftOfItem,
  leftOfPart,
  partIn,
  partsIn,
  readPhase,
  reasoningTail,
  textPart,
  type Shown,
  toTail,
} from './reader-parts.ts'
import type { Seen } from './reply.ts'
import type { Ext, ToolKey } from '../../src/model/request.ts'
import { lossesIn } from '../../src/model/loss.ts'
import { readServerSearch } from './tool-changes.ts'
import type { WireItem, WirePart, WireStep } from './wire.ts'

type Handler = (items: Items, item: Item, event: WireStep) => Take | undefined | void

/** Sorts the events of output items into blocks. */
export class Items {
  /** The events that are read; others only report the state of an item, or are unknown. */
  static readonly EVENTS = {
    'response.output_item.added': (items, item, event) => items.#added(item, event),
    'response.output_item.done': (items, item, event) => {
      if (isObject(event.item)) items.finish(item.index, event.item)
    },
    'response.output_text.delta': (items, item, event) => items.#partDelta(item, event, 'text'),
    'response.output_text.done': (items, item, event) =>
      items.#partWhole(item, partIndex(event), textPart(event)),
    'response.content_part.added': (items, item, event) => items.#announce(item, event),
    'response.content_part.done': (items, item, event) =>
      items.#partWhole(item, partIndex(event), partIn(event)),
    'response.output_text.annotation.added': (items, item, event) => items.#annotate(item, event),
    'response.refusal.delta': (items, item, event) => items.#partDelta(item, event, 'refusal'),
    'response.refusal.done': (items, item, event) =>
      items.#partWhole(item, partIndex(event), textPart(event)),
    'response.function_call_arguments.delta': (items, item, event) => items.#callDelta(item, event),
    'response.function_call_arguments.done': (items, item, event) => items.#callWhole(item, event),
    'response.custom_tool_call_input.delta': (items, item, event) => items.#callDelta(item, event),
    'response.custom_tool_call_input.done': (items, item, event) => items.#callWhole(item, event),
    'response.code_interpreter_call_code.delta': (items, item, event) => items.#code(item, event),
    'response.code_interpreter_call_code.done': (items, item, event) => items.#code(item, event),
    'response.reasoning_summary_text.delta': (items, item, event) =>
      items.#reasoningDelta(item, event, 'summary'),
    'response.reasoning_text.delta': (items, item, event) =>
      items.#reasoningDelta(item, event, 'content'),
    'response.reasoning_summary_text.done': (items, item, event) =>
      items.#reasoningWhole(item, event, 'summary'),
    'response.reasoning_text.done': (items, item, event) =>
      items.#reasoningWhole(item, event, 'content'),
  } as const satisfies Record<string, Handler>

  readonly seen: Seen = { refusal: false, call: false }
  readonly #cursor: Cursor
  readonly #context: ReadReplyContext
  readonly #names: WireNames
  readonly #items = new ItemList()
  #lastCode: string | undefined
  #lastSearch = ''

  constructor(cursor: Cursor, context: ReadReplyContext) {
    this.#cursor = cursor
    this.#context = context
    this.#names = wireNames(context.request)
  }

  /** Handles a delta, and returns its handler where the event held nothing else. */
  event(type: string, event: WireStep, place: ItemPlace): Take | undefined {
    const handler = lookup<Handler>(Items.EVENTS, type)
    if (!handler) return undefined
    return handler(this, this.#items.at(place), event) ?? undefined
  }

  /** Reads the whole item: adds what its events did not bring. */
  finish(index: number, item: WireItem): void {
    const state = this.#items.at({ index, id: memberText(item, 'id') })
    if (state.finished) return
    this.#finishAs(state, item)
    state.finished = true
  }

  #finishAs(state: Item, item: WireItem): void {
    switch (item.type) {
      case 'message':
        return this.#finishMessage(state, item)
      case 'reasoning':
        return this.#finishReasoning(state, item)
      case 'function_call':
      case 'custom_tool_call':
        return this.#finishCall(state, item)
      case 'code_interpreter_call':
        return this.#finishCode(state, item)
      case 'mcp_call':
        return this.#cursor.whole(state.key, readMcpCall(item))
      case 'mcp_list_tools':
        return this.#cursor.whole(state.key, readMcpListing(item))
      case 'web_search_call':
        return this.#cursor.whole(state.key, this.#search(item))
      case 'tool_search_call':
      case 'tool_search_output':
        return this.#finishToolSearch(state, item)
      default:
        return this.#finishOther(state, item)
    }
  }

  /** An item that the caller has to carry out becomes a call, also for a caller that does not know such items. */
  #finishOther(state: Item, item: WireItem): void {
    const { request, lose } = this.#context
    const blocks = callsFor(item, request, lose)
    if (blocks.length > 0) this.seen.call = true
    else blocks.push(readDrawn(item) ?? readSummary(item) ?? opaque(item))
    for (const [index, block] of blocks.entries())
      this.#cursor.whole(index === 0 ? state.key : `${state.key} ${index}`, block)
  }

  #search(item: WireItem): ReturnType<typeof readSearch> {
    const sources = objectsOf(objectIn(item.action)['sources'])
    if (sources.some((source) => !('url' in source)))
      this.#context.lose('dropped', 'reply.search.sources')
    return readSearch(item)
  }

  #finishToolSearch(state: Item, item: WireItem): void {
    const block = readServerSearch(item, this.#lastSearch)
    if (block?.kind === 'tool-search') this.#lastSearch = block.id
    if (block?.kind === 'tool-change') block.tools = this.#offered(block.tools)
    this.#cursor.whole(state.key, block ?? opaque(item))
  }

  /** A caller knows only the tools that it offers. */
  #offered(tools: readonly ToolKey[]): ToolKey[] {
    const offered = tools.filter(isAmong(this.#context.request.tools))
    if (offered.length < tools.length) this.#context.lose('dropped', 'reply.tool-change')
    return offered
  }

  #added(state: Item, { item }: WireStep): void {
    if (!isObject(item)) return
    state.added = item
    const { type }: WireItem = item
    if (type === 'function_call' || type === 'custom_tool_call') this.#openCall(state, item)
    if (type === 'reasoning') this.#openReasoning(state)
  }

  /** Whether the block was opened by this call. */
  #first(state: Item, key: string): boolean {
    if (state.opened.has(key)) return false
    state.opened.add(key)
    return true
  }

  #openPart(state: Item, at: number, kind: 'text' | 'refusal'): string {
    const key = `${state.index}.${at}`
    if (!this.#first(state, key)) return key
    this.#closePart(state)
    state.part = key
    state.cited = 0
    state.weighed = 0
    state.announced = ''
    if (kind === 'refusal') this.seen.refusal = true
    const ext = readPhase(state.added)
    this.#cursor.open(key, ext ? { kind, text: '', ext } : { kind, text: '' })
    return key
  }

  #partDelta(state: Item, event: WireStep, kind: 'text' | 'refusal'): Take | undefined {
    const first = memberText(event, 'delta')
    if (first === undefined || state.finished) return undefined
    const key = this.#openPart(state, partIndex(event), kind)
    this.#weigh(state, event.logprobs, 0)
    const take = taken(first, (delta) => {
      if (!isAnnounced(state, delta)) this.#cursor.delta(key, delta)
    })
    return hasLogprobs(event.logprobs) ? undefined : take
  }

  /** Takes the log probabilities of the open part, from one of its tokens on. */
  #weigh(state: Item, list: Json | undefined, from: number): void {
    const logprobs = readLogprobs(list, this.#context.lose).slice(from)
    state.weighed += logprobs.length
    if (state.part !== undefined) this.#cursor.weigh(state.part, logprobs)
  }

  /** Handles text in an announced part; deltas continue it, unless they begin with it. */
  #announce(state: Item, event: WireStep): void {
    const part = partIn(event)
    const text = memberText(part, 'text') ?? memberText(part, 'refusal') ?? ''
    if (text === '' || state.finished) return
    this.#partWhole(state, partIndex(event), part)
    state.announced = text
  }

  #partWhole(state: Item, at: number, part: WirePart): void {
    const kind = part.type === 'refusal' ? 'refusal' : 'text'
    const whole = memberText(part, kind)
    const type = memberText(part, 'type')
    if (whole === undefined && type !== undefined)
      lossesIn(this.#context.lose)('reply', type)('dropped', '')
    if (whole === undefined || state.finished) return
    const key = this.#openPart(state, at, kind)
    if (key === state.part) this.#weigh(state, part.logprobs, state.weighed)
    this.#cursor.complete(key, whole)
    if (key !== state.part) return
    state.left = leftOfPart(part)
    for (const annotation of listOf(part.annotations).slice(state.cited))
      this.#cite(state, annotation)
  }

  #annotate(state: Item, event: WireStep): void {
    this.#openPart(state, partIndex(event), 'text')
    this.#cite(state, event.annotation ?? null)
  }

  #cite(state: Item, annotation: Json): void {
    const citation = readAnnotation(annotation)
    state.cited += 1
    if (citation && state.part !== undefined) this.#cursor.cite(state.part, citation)
  }

  #finishMessage(state: Item, item: WireItem): void {
    if (state.opened.size === 0) state.added = item
    for (const [at, part] of partsIn(item).entries())
      if (isObject(part)) this.#partWhole(state, at, part)
    state.left = mergeExt(state.left, leftOfItem(item, 'message'))
    this.#closePart(state)
  }

  #closePart({ part = '', left }: Item): void {
    this.#cursor.close(part, toTail(left))
  }

  #openReasoning(state: Item): string {
    if (this.#first(state, state.key)) this.#cursor.open(state.key, { kind: 'reasoning', text: '' })
    return state.key
  }

  /** Shows either thoughts or their summary: whichever comes first. */
  #reasoningDelta(state: Item, event: WireStep, shown: Shown): Take | undefined {
    const first = memberText(event, 'delta')
    if (!first || state.finished) return undefined
    const key = this.#openReasoning(state)
    state.shown ??= shown
    if (state.shown !== shown) return undefined
    const at = partIndex(event)
    if (at > state.paragraph && this.#cursor.seen(key) > 0) this.#cursor.delta(key, PARAGRAPH)
    state.paragraph = Math.max(state.paragraph, at)
    return taken(first, (delta) => this.#cursor.delta(key, delta))
  }

  /** Handles a paragraph that came without deltas. */
  #reasoningWhole(state: Item, event: WireStep, shown: Shown): void {
    const isUnsaid =
      partIndex(event) > state.paragraph || this.#cursor.seen(this.#openReasoning(state)) === 0
    if (isUnsaid) this.#reasoningDelta(state, { ...event, delta: event.text ?? '' }, shown)
  }

  #finishReasoning(state: Item, item: WireItem): void {
    const key = this.#openReasoning(state)
    const { shown, texts } = thoughtsIn(item, state.shown)
    this.#cursor.complete(key, texts.join(PARAGRAPH))
    this.#cursor.close(key, reasoningTail(item, shown))
  }

  /** A call is opened as soon as it has a name. */
  #openCall(state: Item, item: WireItem): void {
    const name = memberText(item, 'name')
    if (!name || !this.#first(state, state.key)) return
    this.seen.call = true
    const isText = item.type === 'custom_tool_call'
    const tool = this.#names.fromWire(name, memberText(item, 'namespace'))
    // A free-form tool was offered to this server as a function.
    const isWrapped = tool.form === 'text' && !isText
    const opened = {
      kind: 'tool-call' as const,
      id: memberText(item, 'call_id') || memberText(item, 'id') || this.#context.newId('call_'),
      ...tool,
      form: isText || isWrapped ? ('text' as const) : ('json' as const),
      input: '',
    }
    this.#cursor.open(state.key, opened, isWrapped ? raiseInput : undefined)
    this.#cursor.delta(state.key, state.early)
  }

  #callDelta(state: Item, event: WireStep): Take | undefined {
    const first = memberText(event, 'delta')
    if (!first || state.finished) return undefined
    return taken(first, (delta) => {
      if (state.opened.size > 0) this.#cursor.delta(state.key, delta)
      else state.early += delta
    })
  }

  #callWhole(state: Item, event: WireStep): void {
    const whole = inputIn(event) ?? ''
    if (state.finished) return
    if (state.opened.size > 0) this.#cursor.complete(state.key, whole)
    else if (whole.length > state.early.length) state.early = whole
  }

  #finishCall(state: Item, item: WireItem): void {
    const whole = inputIn(item)
    const added = inputIn({ ...state.added, type: item.type ?? '' })
    this.#openCall(state, { ...state.added, ...item, name: memberText(item, 'name') || 'unknown' })
    this.#cursor.complete(state.key, whole || added || '')
    this.#cursor.close(state.key, toTail(leftOfItem(item, 'call')))
  }

  /** Opens code when it comes, because an item may have only outputs. */
  #openCode(state: Item, id: string | undefined): void {
    if (!this.#first(state, state.key)) return
    this.#lastCode = id ?? this.#context.newId('ci_')
    const block = { id: this.#lastCode, language: 'python', code: '' }
    this.#cursor.open(state.key, { kind: 'code', ...block })
  }

  #code(state: Item, event: WireStep): void {
    const [delta, whole] = [memberText(event, 'delta'), memberText(event, 'code')]
    if (!(delta || whole) || state.finished) return
    this.#openCode(state, memberText(state.added, 'id'))
    if (delta) this.#cursor.delta(state.key, delta)
    else this.#cursor.complete(state.key, whole ?? '')
  }

  #finishCode(state: Item, item: WireItem): void {
    const { code, result } = readCode(item, this.#lastCode)
    if (code) {
      this.#openCode(state, memberText(item, 'id'))
      this.#cursor.complete(state.key, code.code)
    }
    this.#cursor.close(state.key, toTail(leftOfItem(item, 'code')))
    const callId = this.#lastCode ?? result?.callId ?? ''
    if (result) this.#cursor.whole(`${state.key}.result`, { ...result, callId })
  }
}

/** The state of one output item of a stream. */
export interface Item {
  index: number
  /** The key of its block, for an item that is a single block. */
  key: string
  /** Keys of all blocks opened for it; a closed one is not opened again. */
  opened: Set<string>
  /** The key of its open content part, and the number of annotations in that part. */
  part: string | undefined
  cited: number
  /** The number of that part's tokens that are known. */
  weighed: number
  /** The leftovers of that part. */
  left: Ext | undefined
  /** The text of an announced part that deltas have not repeated yet. */
  announced: string
  /** The item in its `added` event; a server that does not stream an item sends all of it there. */
  added: WireItem
  /** Deltas of a call that came before its name. */
  early: string
  /** The kind of reasoning that is shown, and its part. */
  shown: Shown | undefined
  paragraph: number
  finished: boolean
}

/** The thoughts of an item: of the kind that has been shown, or else the summary. */
export function thoughtsIn(
  item: WireItem,
  before: Shown | undefined,
): { shown: Shown; texts: string[] } {
  const textsOf = (member: Shown) =>
    objectsOf(item[member]).flatMap((part) => memberText(part, 'text') || [])
  const shown = before ?? (textsOf('summary').length > 0 ? 'summary' : 'content')
  return { shown, texts: textsOf(shown) }
}

/** The item that an event is about. */
export interface ItemPlace {
  index: number | undefined
  id: string | undefined
}

export function readPlace(event: WireStep): ItemPlace {
  const { item } = event
  const id = memberText(event, 'item_id') ?? (isObject(item) ? memberText(item, 'id') : undefined)
  return { index: memberCount(event, 'output_index'), id }
}

/**
 * The items of a reply. An item is found by its index; its id counts only without an index, because LiteLLM changes
 * it from event to event.
 */
class ItemList {
  readonly #items = new Map<number, Item>()
  readonly #ids = new Map<string, number>()

  /** Finds the item, or makes a new one. */
  at({ id, index = this.#indexOf(id) }: ItemPlace): Item {
    const known = this.#items.get(index)
    if (known) return known
    const item = newItem(index)
    this.#items.set(index, item)
    if (id !== undefined) this.#ids.set(id, index)
    return item
  }

  #indexOf(id: string | undefined): number {
    const known = id === undefined ? undefined : this.#ids.get(id)
    return known ?? (id === undefined ? Math.max(0, this.#items.size - 1) : this.#items.size)
  }
}

const newItem = (index: number): Item => ({
  index,
  key: `${index}`,
  opened: new Set(),
  part: undefined,
  cited: 0,
  weighed: 0,
  left: undefined,
  announced: '',
  added: {},
  early: '',
  shown: undefined,
  paragraph: 0,
  finished: false,
})

/** Handles a delta, and later ones that differ only in their text. */
export type Take = (delta: string) => void

export function taken(delta: string, take: Take): Take {
  take(delta)
  return take
}

/** Whether a delta repeats text of its announced part. */
export function isAnnounced(item: Item, delta: string): boolean {
  if (item.announced === '') return false
  const isRepeated = delta !== '' && item.announced.startsWith(delta)
  item.announced = isRepeated ? item.announced.slice(delta.length) : ''
  return isRepeated
}

/** The index of the part that an event is about. */
export const partIndex = (event: WireStep): number =>
  memberCount(event, 'content_index') ?? memberCount(event, 'summary_index') ?? 0
