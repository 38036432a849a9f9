import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Usage } from '../../src/model/request.ts'
import { countIn, objectIn, withoutNulls, keep } from './dialect.ts'

/** Here the input excludes tokens read from or written to a cache; the canonical count includes both. */
export function readUsage(raw: Json | undefined): Usage {
  if (!isObject(raw)) return {}
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, ...others } = raw
  const { output_tokens, output_tokens_details, ...rest } = others
  const { thinking_tokens, ...details } = objectIn(output_tokens_details)
  const cacheRead = countIn(cache_read_input_tokens)
  const cacheWrite = countIn(cache_creation_input_tokens)
  const fresh = countIn(input_tokens)
  const input = fresh === undefined ? undefined : fresh + (cacheRead ?? 0) + (cacheWrite ?? 0)
  const left = withoutNulls(rest)
  return {
    ...defined({
      input,
      cacheRead,
      cacheWrite,
      output: countIn(output_tokens),
      reasoning: countIn(thinking_tokens),
    }),
    ...keep({
      ...left,
      ...(Object.keys(details).length > 0 && { output_tokens_details: details }),
    }),
  }
}

/** Inverse of `readUsage`. The specification requires all four counts. */
export function writeUsage(usage: Usage): JsonObject {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning } = usage
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
  }
}

/** Later counts replace earlier ones; null is ignored. */
export const mergeUsage = (before: JsonObject, after: Json | undefined): JsonObject => ({
  ...before,
  ...withoutNulls(objectIn(after)),
})
