import { isObject, type Json, type JsonObject } from '../../src/canonical/json.ts'
import type { Ext } from '../../src/canonical/model.ts'
import { countIn, DIALECT, textIn } from './members.ts'

/** One output item of a stream, as far as it is known. */
export interface Item {
  index: number
  /** Keys of the blocks that were opened for it; a closed one is never opened again. */
  opened: Set<string>
  /** The key of its open content part, and how many annotations that part has had. */
  part: string | undefined
  cited: number
  /** Text that a part brought along when it was announced, as far as deltas have not repeated it. */
  announced: string
  /** What the `added` event said; some servers say everything there. */
  added: JsonObject
  /** Deltas of a call that came before its name. */
  early: string
  /** The kind of reasoning that is being shown, and the part of it. */
  shown: 'summary' | 'content' | undefined
  paragraph: number
  finished: boolean
}

/** What an event says of the item that it is about. */
export interface Place {
  index: number | undefined
  id: string | undefined
}

export const newItem = (index: number): Item => ({
  index,
  opened: new Set(),
  part: undefined,
  cited: 0,
  announced: '',
  added: {},
  early: '',
  shown: undefined,
  paragraph: 0,
  finished: false,
})

/** Which part of its item an event is about. */
export const partIndex = (event: JsonObject): number =>
  countIn(event, 'content_index') ?? countIn(event, 'summary_index') ?? 0

/** Which part of the work a message belongs to; only this dialect says it. */
export function phaseOf(item: JsonObject): Ext | undefined {
  const phase = textIn(item, 'phase')
  return phase === undefined ? undefined : { [DIALECT]: { phase } }
}

const PARTS: ReadonlySet<Json | undefined> = new Set(['output_text', 'refusal', 'text'])

/** The part of a message that an event brings; parts of other items are none of the conversation's. */
export const partIn = ({ part }: JsonObject): JsonObject =>
  isObject(part) && PARTS.has(part['type']) ? part : {}

/** The whole of a call's input, by whichever name it goes. */
export const inputIn = (value: JsonObject): string | undefined =>
  textIn(value, 'type')?.includes('custom_tool_call')
    ? textIn(value, 'input')
    : textIn(value, 'arguments')
