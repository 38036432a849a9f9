import type { Tail } from '../../src/model/events.ts'
import { pickMembers, type JsonObject } from '../../src/json/json.ts'
import type { Ext } from '../../src/model/request.ts'
import type { Shown } from './item-state.ts'
import { DIALECT, extWith, textIn } from './members.ts'

/** The members besides those that are known, as far as they say something. */
export function leftoversBeyond(value: JsonObject, known: readonly string[]): Ext | undefined {
  const left = pickMembers(
    value,
    (key, one) => !known.includes(key) && one !== null && !(Array.isArray(one) && !one.length),
  )
  return extWith(left, {})
}

/** What is left of a part is said at the end of its block. */
export const toTail = (ext: Ext | undefined): Tail => (ext ? { ext } : {})

const PART = ['type', 'text', 'refusal', 'annotations']
export const leftOfPart = (part: JsonObject): Ext | undefined => leftoversBeyond(part, PART)

/** What is read of the items of each kind, besides what all of them have. */
const ITEMS = {
  message: ['role', 'phase', 'content'],
  reasoning: ['encrypted_content'],
  call: ['call_id', 'name', 'namespace', 'arguments', 'input'],
  code: ['code', 'outputs', 'container_id'],
}
export const leftOfItem = (
  item: JsonObject,
  kind: keyof typeof ITEMS,
  ...shown: string[]
): Ext | undefined => leftoversBeyond(item, ['id', 'type', 'status', ...ITEMS[kind], ...shown])

/** Of thoughts and their summary one is shown, and the other is left. */
export function reasoningTail(item: JsonObject, shown: Shown): Tail {
  const tail = toTail(leftOfItem(item, 'reasoning', shown))
  const proof = textIn(item, 'encrypted_content')
  return proof ? { ...tail, proof: { dialect: DIALECT, value: proof } } : tail
}
