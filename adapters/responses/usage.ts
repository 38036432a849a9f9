import { defined, isObject, pickMembers, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Usage } from '../../src/model/request.ts'
import { readServedTier, writeServedTier, type ServedWords } from '../../src/rules/served.ts'
import { memberCount, leftoversBeyond, objectIn } from './dialect.ts'

export const SERVED: ServedWords = {
  tiers: { default: 'default', priority: 'priority', flex: 'flex', scale: 'scale' },
  searches: true,
}

/** How often the service searched, and its tier, which stand beside the counts. `left`: the response without these. */
export function readServed(response: JsonObject): { usage: Usage; left: JsonObject } {
  const tier = readServedTier(SERVED.tiers, response['service_tier'])
  if (response['tool_usage'] === undefined) return { usage: defined({ tier }), left: response }
  const { tool_usage, ...others } = response
  const { web_search, ...uses } = objectIn(tool_usage)
  const { num_requests, ...more } = objectIn(web_search)
  const usedElse = {
    ...withoutZeros(uses),
    ...(Object.keys(more).length > 0 && { web_search: more }),
  }
  return {
    usage: defined({
      searches: typeof num_requests === 'number' ? num_requests : undefined,
      tier,
    }),
    left: { ...others, ...(Object.keys(usedElse).length > 0 && { tool_usage: usedElse }) },
  }
}

/** Inverse of `readServed`. */
export function writeServed({ searches, tier }: Usage): JsonObject {
  const service_tier = writeServedTier(SERVED.tiers, tier)
  return {
    ...(service_tier !== undefined && { service_tier }),
    ...(searches && {
      tool_usage: { image_gen: NO_IMAGES, web_search: { num_requests: searches } },
    }),
  }
}

const NO_TOKENS = { image_tokens: 0, text_tokens: 0 }
/** Required beside the searches (`ToolUsage` of openai 7.57.0). */
const NO_IMAGES = {
  input_tokens: 0,
  input_tokens_details: NO_TOKENS,
  output_tokens: 0,
  output_tokens_details: NO_TOKENS,
  total_tokens: 0,
}

/** The service also lists tools that were not used, with counts of 0. */
const withoutZeros = (uses: JsonObject): JsonObject => pickMembers(uses, (_, use) => hasCount(use))

const hasCount = (use: Json): boolean =>
  isObject(use) ? Object.values(use).some(hasCount) : use !== 0 && use !== null

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
    input: memberCount(counts, 'input_tokens'),
    cacheRead: memberCount(counts, 'cached_tokens'),
    cacheWrite: memberCount(counts, 'cache_write_tokens'),
    output: memberCount(counts, 'output_tokens'),
    reasoning: memberCount(counts, 'reasoning_tokens'),
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
const COUNTS: ReadonlySet<string> = new Set(Object.keys(countsIn(writeUsage({}))))
