import type { Memo, Recorder, RecorderContext } from '../adapter.ts'
import {
  isObject,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../../src/canonical/json.ts'
import { lookup, objectsOf, textIn } from './members.ts'
import { writeMemo } from './memo.ts'
import { FramePacker } from './memory-frames.ts'
import { typeOfItem } from './wire.ts'

export function recorder({ fresh, writer, newId }: RecorderContext): Recorder {
  const frames = new FramePacker()
  let ids: Json[] | undefined
  const memo = (output: Json | undefined, response: string, stream?: string): Memo => {
    ids ??= idsFor(fresh.items, newId)
    return { text: writeMemo(fresh, ids, response, stream), items: idsIn(output) }
  }
  const unfinished = (cancelled = false): Memo => {
    const response = writer.body()
    const output = frames.final === undefined ? itemsIn(frames.whole()) : response['output']
    const state = { ...response, ...(cancelled && CANCELLED), ...(output && { output }) }
    return memo(output, stringify(state))
  }
  return {
    get id() {
      return textIn(writer.body(), 'id')
    },
    get size() {
      return frames.size
    },
    push(written) {
      for (const frame of written) frames.add(frame)
    },
    memo(body) {
      const { output } = writer.body()
      if (body !== undefined) return memo(output, body, '')
      return frames.final === undefined ? unfinished() : memo(output, frames.final, frames.packed())
    },
    unfinished,
  }
}

const CANCELLED = { status: 'cancelled', error: null }

/** The items that are whole. */
const itemsIn = (frames: readonly string[]): JsonObject[] =>
  frames.flatMap((data) => {
    const { type, item = null } = parseObject(data) ?? {}
    return type === 'response.output_item.done' && isObject(item) ? [item] : []
  })

export const idsIn = (output: Json | undefined): string[] =>
  objectsOf(output).flatMap((item) => textIn(item, 'id') ?? [])

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  function_call_output: 'fco_',
  custom_tool_call_output: 'ctco_',
}

/** The ids of items that have none; null for one that has. */
export const idsFor = (items: readonly Json[], newId: (prefix: string) => string): Json[] =>
  items.map((item) => {
    if (!isObject(item) || typeof item['id'] === 'string') return null
    return newId(lookup(PREFIXES, typeOfItem(item)) ?? 'item_')
  })
