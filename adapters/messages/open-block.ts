import { Verbatim, type JsonObject } from '../../src/json/json.ts'

/** A block of a reply that has started and not ended. */
export interface Open {
  raw: JsonObject
  /** The text of the input that came in pieces. */
  input: string
  signature: string
  /** Read only when it has ended. */
  gathered: boolean
}

const STREAMED = new Set(['text', 'thinking', 'tool_use'])

/** Whether a block is read while it comes. */
export const isStreamed = (type: string): boolean => STREAMED.has(type)

/** The whole block, with the input that came in pieces. */
export function withInput({ raw, input }: Open): JsonObject {
  if (input === '') return raw
  try {
    JSON.parse(input)
    return { ...raw, input: new Verbatim(input) }
  } catch {
    return raw
  }
}
