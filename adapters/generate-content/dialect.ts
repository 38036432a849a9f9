import { rewriteMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import { createCodec } from '../../src/model/ext.ts'
import type { NameRule } from '../../src/rules/names.ts'

export const DIALECT = 'generate-content'

/** The service's rule for function names. */
export const NAME_RULE: NameRule = {
  forbidden: /[^a-zA-Z0-9_.-]/,
  start: /^[a-zA-Z_]/,
  maxLength: 64,
}

/** Facts of this dialect about how a node was spelled here. */
export interface Facts {
  /** The id of a call or a result, which the service's own types do not have. */
  id?: string
  /** How many parts stand between a thought and the call that repeats it. */
  before?: number
  /** The response of a function as it came, where writing it anew would wrap it differently. */
  response?: Json
  /** Media inside of a response. */
  parts?: true
  /** The service may not accept this kind of media; for callers of this dialect the service decides. */
  taken?: true
  /** `named`: media that came with a name. `file`: media at a place that the service can reach. */
  named?: true
  file?: true
  /** How closely to look at a picture, as the caller said it. */
  resolution?: JsonObject
  /** Schemas as they came. */
  parameters?: Json
  parametersJsonSchema?: Json
  responseSchema?: Json
  responseJsonSchema?: Json
  /** The caller's own word for a function whose result is awaited. */
  behavior?: Json
  /** How closely to look at all pictures. */
  mediaResolution?: Json
  /** The request's `mediaResolution` holds for this picture. */
  general?: true
  /** The member that switches a built-in tool on. */
  tool?: string
  /** A search of this dialect said which domains it leaves out. */
  excludes?: true
  /** A function for a screen: its settings on the first one. */
  screen?: true | JsonObject
  /** A choice that holds calls to their schemas, so that the functions are strict. */
  mode?: 'VALIDATED'
  /** The choice listed names although it was free. */
  names?: true
  /** A level of thinking as the caller spelled it. */
  level?: string
  /** The caller of this dialect sent labels, and knows that its service takes them. */
  labels?: true
  /** A tier as the caller spelled it, where it only names the default. */
  tier?: string
}

export const { keep, restOf, factsOf, isOrigin, opaque } = createCodec<Facts>(DIALECT)

/** What is left over of nested objects is kept on the request under its whole path, which begins so. */
export const GENERATION_PATH = 'generationConfig.'
export const TOOL_CONFIG_PATH = 'toolConfig.'
export const CALLING_PATH = 'toolConfig.functionCallingConfig.'

export const prefixed = (prefix: string, fields: JsonObject): JsonObject =>
  rewriteMembers(fields, (key, value) => [prefix + key, value])

/** The values of a member that is a list or a single value. */
export function many<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
