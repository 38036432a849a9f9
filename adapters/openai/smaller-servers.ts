import { withElements, withMembers } from '../../src/json/edit.ts'
import {
  isObject,
  objectsOf,
  textIn,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { LoseOf } from '../../src/model/loss.ts'
import { shownLabel } from '../../src/rules/media.ts'
import { describeText, TEXT_TOOL_SCHEMA } from '../../src/rules/text-tools.ts'

/** How a dialect writes results of tools, and messages of the user. */
export interface ResultWire {
  isResult(item: JsonObject): boolean
  /** The member with the result, and the member with the id of its call. */
  readonly found: string
  readonly id: string
  /** Results are texts even where they show nothing. */
  readonly isText?: true
  says(label: string, media: readonly JsonObject[]): JsonObject[]
  asUser(content: JsonObject[]): JsonObject
}

/**
 * Moves media out of results of tools, for servers that take only text there: into a message of the user behind the
 * last result of the group.
 */
export function withMediaBehind(items: Json[], wire: ResultWire): Json[] {
  const held: JsonObject[] = []
  const settle = (): JsonObject[] => {
    const content = held.splice(0)
    return content.length > 0 ? [wire.asUser(content)] : []
  }
  const moved = withElements(items, (item) => {
    if (!isObject(item) || !wire.isResult(item)) return [...settle(), item]
    const found = item[wire.found]
    const parts = objectsOf(found)
    const texts = parts.flatMap(({ text }) => textIn(text) || [])
    const media = parts.filter(({ text }) => typeof text !== 'string')
    if (media.length > 0) held.push(...wire.says(shownLabel(textIn(item[wire.id])), media))
    else if (!wire.isText || !Array.isArray(found)) return item
    return withMembers(item, { [wire.found]: texts.join('\n') })
  })
  const last = settle()
  return last.length > 0 ? [...moved, ...last] : moved
}

interface FreeText {
  readonly description: Json | undefined
  /** As `responses` has it: the members of a grammar stand beside the type. */
  readonly format: Json | undefined
}

/** A tool that takes free text as a function with one string: its members besides the name. */
export function freeTextMembers({ description: said, format }: FreeText, lose: LoseOf): JsonObject {
  const described = {
    ...(typeof said === 'string' && { description: said }),
    ...(isObject(format) && { format }),
  }
  const description = describeText(described, lose)
  return {
    ...(description !== undefined && { description }),
    parameters: new Verbatim(TEXT_TOOL_SCHEMA),
  }
}
