import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Usage } from '../../src/model/request.ts'
import { countIn, leftoversBeyond, objectIn } from './dialect.ts'

/** The counts of a usage and of its details. */
const countsIn = (usage: JsonObject): JsonObject => ({
  ...objectIn(usage['input_tokens_details']),
  ...objectIn(usage['output_tokens_details']),
  ...usage,
})

export function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined
  const counts = countsIn(usage)
  return defined({
    input: countIn(counts, 'input_tokens'),
    cacheRead: countIn(counts, 'cached_tokens'),
    cacheWrite: countIn(counts, 'cache_write_tokens'),
    output: countIn(counts, 'output_tokens'),
    reasoning: countIn(counts, 'reasoning_tokens'),
    ext: leftoversBeyond(counts, COUNTS),
  })
}

export function writeUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

/** The members that are read: all those that `writeUsage` writes. */
const COUNTS = Object.keys(countsIn(writeUsage({})))
