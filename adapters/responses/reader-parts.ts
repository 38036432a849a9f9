import { isObject, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Tail } from '../../src/model/events.ts'
import type { Ext } from '../../src/model/request.ts'
import { DIALECT, keep, leftoversBeyond, listOf, memberText } from './dialect.ts'
import type { WireItem, WirePart, WireStep } from './wire.ts'

/** The phase of the work that a message belongs to; only this dialect has it. */
export function readPhase(item: WireItem): Ext | undefined {
  const phase = memberText(item, 'phase')
  return phase === undefined ? undefined : keep({ phase }).ext
}

const PARTS: ReadonlySet<Json | undefined> = new Set(['output_text', 'refusal', 'text'])

/** The part of a message that an event brings; empty for a part of another item, such as a summary of thoughts. */
export const partIn = ({ part }: WireStep): WirePart =>
  isObject(part) && PARTS.has(part['type']) ? part : {}

/** The parts of a message; a plain string is one text. */
export const partsIn = ({ content }: WireItem): Json[] =>
  typeof content === 'string' ? [{ text: content }] : listOf(content)

/** The part in an event that holds only its text. */
export const textPart = ({ text, refusal }: WireStep): WirePart =>
  typeof refusal === 'string' ? { type: 'refusal', refusal } : { text: text ?? null }

/** The whole input of a call, by either name. Arguments that a server sends as an object are its JSON. */
export function inputIn(value: JsonObject): string | undefined {
  if (memberText(value, 'type')?.includes('custom_tool_call')) return memberText(value, 'input')
  const given = value['arguments']
  return isObject(given) ? stringify(given) : memberText(value, 'arguments')
}

/** The leftovers of a part, for the end of its block. */
export const toTail = (ext: Ext | undefined): Tail => (ext ? { ext } : {})

const PART: ReadonlySet<string> = new Set(['type', 'text', 'refusal', 'annotations', 'logprobs'])
export const leftOfPart = (part: WirePart): Ext | undefined => leftoversBeyond(part, PART)

export type Shown = 'summary' | 'content'

/** The members of each kind of item that are read, besides those that all items have. */
const itemMembers = (...own: string[]): ReadonlySet<string> =>
  new Set(['id', 'type', 'status', ...own])
const ITEMS = {
  message: itemMembers('role', 'phase', 'content'),
  /** One of thoughts and summary is shown; the other is a leftover. */
  content: itemMembers('encrypted_content', 'content'),
  summary: itemMembers('encrypted_content', 'summary'),
  call: itemMembers('call_id', 'name', 'namespace', 'arguments', 'input'),
  code: itemMembers('code', 'outputs', 'container_id'),
}
export const leftOfItem = (item: WireItem, kind: keyof typeof ITEMS): Ext | undefined =>
  leftoversBeyond(item, ITEMS[kind])

export function reasoningTail(item: WireItem, shown: Shown): Tail {
  const tail = toTail(leftOfItem(item, shown))
  const proof = memberText(item, 'encrypted_content')
  return proof ? { ...tail, proof: { dialect: DIALECT, value: proof } } : tail
}
