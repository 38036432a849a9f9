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

/** What this dialect notes about how a node was written here. */
export interface Facts {
  /** The id of a call or a result, which the service's own types do not have. */
  id?: string
  /** How many parts stand between a thought and the call that repeats it. */
  before?: number
  /** The response of a function as it came, where writing it again would wrap it in another way. */
  response?: Json
  /** The media of a result stood inside its response. */
  parts?: true
  /** The service may refuse this type of media. The service judges what its own callers send. */
  taken?: true
  /** `named`: the medium came with a name. `file`: it stands at a place that the service can reach. */
  named?: true
  file?: true
  /** The part's own `mediaResolution`, as it came. */
  resolution?: JsonObject
  /** Schemas as they came. */
  parameters?: Json
  parametersJsonSchema?: Json
  responseSchema?: Json
  responseJsonSchema?: Json
  /** The caller's own word for a function whose result is awaited. */
  behavior?: Json
  /** The request's `mediaResolution`, as it came. */
  mediaResolution?: Json
  /** How closely to look at this picture came from the request's `mediaResolution`. */
  general?: true
  /** The member that switches a built-in tool on. */
  tool?: string
  /** The search came in this dialect with domains to leave out. */
  excludes?: true
  /** A function for a screen; the first one holds the settings. */
  screen?: true | JsonObject
  /** The choice makes the service enforce the schemas of calls, so the functions are strict. */
  mode?: 'VALIDATED'
  /** The choice was free, but listed names. */
  names?: true
  /** The level of thinking as the caller wrote it. */
  level?: string
  /** A caller of this dialect sent labels, so its service takes them. */
  labels?: true
  /** The tier as the caller wrote it, where it only names the default. */
  tier?: string
}

export const { keep, restOf, factsOf, isOrigin, opaque } = createCodec<Facts>(DIALECT)

/** Leftovers of nested objects are kept on the request, under their whole paths, which begin so. */
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

/** A number, which may come as a string (proto3 JSON). */
export const readNumber = (value: Json | undefined): number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? Number(value) : undefined
