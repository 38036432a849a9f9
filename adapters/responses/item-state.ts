import { isObject, listOf, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Ext } from '../../src/model/request.ts'
import { countIn, DIALECT, objectsOf, textIn } from './members.ts'

/** One output item of a stream, as far as it is known. */
export interface Item {
  index: number
  /** The key of its block, for an item that is one. */
  key: string
  /** Keys of the blocks that were opened for it; a closed one is never opened again. */
  opened: Set<string>
  /** The key of its open content part, and how many annotations that part has had. */
  part: string | undefined
  cited: number
  /** What is left of that part. */
  left: Ext | undefined
  /** Text that a part brought along when it was announced, as far as deltas have not repeated it. */
  announced: string
  /** What the `added` event said; some servers say everything there. */
  added: JsonObject
  /** Deltas of a call that came before its name. */
  early: string
  /** The kind of reasoning that is being shown, and the part of it. */
  shown: Shown | undefined
  paragraph: number
  finished: boolean
}

export type Shown = 'summary' | 'content'

/** The thoughts of an item, in the kind that has been shown of them or else in their summary. */
export function thoughtsIn(
  item: JsonObject,
  before: Shown | undefined,
): { shown: Shown; texts: string[] } {
  const textsOf = (member: Shown) =>
    objectsOf(item[member]).flatMap((part) => textIn(part, 'text') || [])
  const shown = before ?? (textsOf('summary').length > 0 ? 'summary' : 'content')
  return { shown, texts: textsOf(shown) }
}

/** What an event says of the item that it is about. */
export interface Place {
  index: number | undefined
  id: string | undefined
}

export function readPlace(event: JsonObject): Place {
  const { item } = event
  const id = textIn(event, 'item_id') ?? (isObject(item) ? textIn(item, 'id') : undefined)
  return { index: countIn(event, 'output_index'), id }
}

/**
 * The items of a reply. One is known by its index; its id, which some servers change from event to event,
 * counts only where there is no index.
 */
export class ItemList {
  readonly #items = new Map<number, Item>()
  readonly #ids = new Map<string, number>()

  /** A new one, where it has not been heard of. */
  at({ id, index = this.#indexOf(id) }: Place): Item {
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
  left: undefined,
  announced: '',
  added: {},
  early: '',
  shown: undefined,
  paragraph: 0,
  finished: false,
})

/** What is done with a delta, and with those that follow it and differ in nothing else. */
export type Take = (delta: string) => void

export function taken(delta: string, take: Take): Take {
  take(delta)
  return take
}

/** Whether a delta says once more what its part brought along when it was announced. */
export function isAnnounced(item: Item, delta: string): boolean {
  const isRepeated = delta !== '' && item.announced.startsWith(delta)
  item.announced = isRepeated ? item.announced.slice(delta.length) : ''
  return isRepeated
}

/** Which part of its item an event is about. */
export const partIndex = (event: JsonObject): number =>
  countIn(event, 'content_index') ?? countIn(event, 'summary_index') ?? 0

/** Which part of the work a message belongs to; only this dialect says it. */
export function readPhase(item: JsonObject): Ext | undefined {
  const phase = textIn(item, 'phase')
  return phase === undefined ? undefined : { [DIALECT]: { phase } }
}

const PARTS: ReadonlySet<Json | undefined> = new Set(['output_text', 'refusal', 'text'])

/** The part of a message that an event brings; parts of other items are none of the conversation's. */
export const partIn = ({ part }: JsonObject): JsonObject =>
  isObject(part) && PARTS.has(part['type']) ? part : {}

/** The parts of a message; some servers say a text without more ado. */
export const partsIn = ({ content }: JsonObject): Json[] =>
  typeof content === 'string' ? [{ text: content }] : listOf(content)

/** The same of an event that brings nothing but the text of one. */
export const textPart = ({ text, refusal }: JsonObject): JsonObject =>
  typeof refusal === 'string' ? { type: 'refusal', refusal } : { text: text ?? null }

/** The whole of a call's input, by whichever name it goes. */
export const inputIn = (value: JsonObject): string | undefined =>
  textIn(value, 'type')?.includes('custom_tool_call')
    ? textIn(value, 'input')
    : textIn(value, 'arguments')
