import type { Json } from '../../src/json/json.ts'
import { codecOf } from '../../src/model/ext.ts'
import type { NameRule } from '../../src/model/names.ts'

export const DIALECT = 'generate-content'

/** What the service says of function names. */
export const NAME_RULE: NameRule = {
  forbidden: /[^a-zA-Z0-9_.-]/,
  start: /^[a-zA-Z_]/,
  maxLength: 64,
}

/** What this dialect knows of how a node stood here. */
export interface Facts {
  /** The id of a call or a result, which the service's own types do not have. */
  id?: string
  /** How many parts stand between a thought and the call that repeats it. */
  before?: number
  /** The response of a function as it came, where writing would wrap it otherwise. */
  response?: Json
  /** Media inside of a response. */
  parts?: true
  /** A kind of media that the service itself may judge, of its own callers. */
  taken?: true
  /** Media with a name, and such at a place that the service can reach. */
  named?: true
  file?: true
  /** Schemas as they came. */
  parameters?: Json
  parametersJsonSchema?: Json
  responseSchema?: Json
  responseJsonSchema?: Json
  /** The member that switches a built-in tool on. */
  tool?: string
  /** Names beside a choice that is free. */
  names?: true
  /** A level of thinking in the caller's own spelling. */
  level?: string
  /** Labels, of a caller that knows that they are taken. */
  labels?: true
  /** A tier in the caller's own spelling, which says what holds anyway. */
  tier?: string
}

export const { keep, restOf, factsOf, isOrigin, opaque } = codecOf<Facts>(DIALECT)

/** Several values where the wire takes a list or just one. */
export function many<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
