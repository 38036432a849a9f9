import { defined, isObject, listOf, type Json, type JsonObject } from '../../src/json/json.ts'
import { membersBeside } from '../../src/model/ext.ts'
import type { Usage } from '../../src/model/request.ts'
import { readServedTier, writeServedTier, type ServedWords } from '../../src/rules/served.ts'
import { countIn, objectIn, withoutNulls, keep } from './dialect.ts'

export const SERVED: ServedWords = {
  tiers: { standard: 'default', priority: 'priority', batch: 'batch' },
  searches: true,
  fetches: true,
}

/** The list of the steps of one reply with the tokens of each, and the type of step that is in no sum. */
const PARTS = 'iterations'
const UNSUMMED = 'compaction'

/**
 * The tokens of the summaries that the service made by itself. They are paid for, but stand in no sum
 * (@anthropic-ai/sdk 1.14, `BetaIterationsUsage`).
 */
const summaries = (parts: Json | undefined): Usage[] =>
  listOf(parts).flatMap((part) =>
    isObject(part) && part['type'] === UNSUMMED ? [readCounts(part)] : [],
  )

const COUNTS = ['input', 'cacheRead', 'cacheWrite', 'output'] as const

function withSummaries(usage: Usage, parts: Json | undefined): Usage {
  const sums = { ...usage }
  for (const summary of summaries(parts))
    for (const name of COUNTS) if (summary[name]) sums[name] = (sums[name] ?? 0) + summary[name]
  return sums
}

/**
 * Reads the four counts. On the wire the input excludes tokens that were read from or written to a cache; the canonical
 * count includes them.
 */
function readCounts(raw: JsonObject): Usage {
  const cacheRead = countIn(raw['cache_read_input_tokens'])
  const cacheWrite = countIn(raw['cache_creation_input_tokens'])
  const fresh = countIn(raw['input_tokens'])
  const input = fresh === undefined ? undefined : fresh + (cacheRead ?? 0) + (cacheWrite ?? 0)
  return defined({ input, cacheRead, cacheWrite, output: countIn(raw['output_tokens']) })
}

const COUNTED = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
])

export function readUsage(raw: Json | undefined): Usage {
  if (!isObject(raw)) return {}
  const { output_tokens_details, ...beside } = membersBeside(raw, COUNTED) ?? {}
  const { service_tier, server_tool_use, speed, ...rest } = beside
  const { web_search_requests, web_fetch_requests, ...uses } = objectIn(server_tool_use)
  // Fast mode has the name that it has in the replies of other services.
  const tier = speed === 'fast' ? 'priority' : readServedTier(SERVED.tiers, service_tier)
  const { thinking_tokens, ...details } = objectIn(output_tokens_details)
  const left = withoutNulls({ ...rest, ...(speed !== undefined && speed !== 'fast' && { speed }) })
  return {
    ...withSummaries(readCounts(raw), raw[PARTS]),
    ...defined({
      reasoning: countIn(thinking_tokens),
      searches: countIn(web_search_requests),
      fetches: countIn(web_fetch_requests),
      tier,
    }),
    ...keep({
      ...left,
      ...(Object.keys(details).length > 0 && { output_tokens_details: details }),
      ...(Object.keys(uses).length > 0 && { server_tool_use: uses }),
    }),
  }
}

/** Inverse of `withSummaries`: the tokens of a summary stand in a step of their own, and in no sum. */
function writeParts({ summary, ...sums }: Usage): JsonObject {
  if (!summary) return writeCounts(sums)
  const rest = { ...sums }
  for (const name of COUNTS) rest[name] = Math.max(0, (sums[name] ?? 0) - (summary[name] ?? 0))
  const counts = writeCounts(summary)
  const { cache_creation_input_tokens: created } = counts
  const cache_creation = { ephemeral_5m_input_tokens: created ?? 0, ephemeral_1h_input_tokens: 0 }
  const answer = rest.output === 0 ? [] : [{ type: 'message', ...writeCounts(rest) }]
  return {
    ...writeCounts(rest),
    [PARTS]: [{ type: UNSUMMED, ...counts, cache_creation }, ...answer],
  }
}

/** Inverse of `readCounts`. The specification requires all four. */
const writeCounts = ({
  input = 0,
  cacheRead = 0,
  cacheWrite = 0,
  output = 0,
}: Usage): JsonObject => ({
  input_tokens: Math.max(0, input - cacheRead - cacheWrite),
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
})

/** Inverse of `readUsage`. */
export function writeUsage(usage: Usage): JsonObject {
  const { reasoning, searches = 0, fetches = 0 } = usage
  const service_tier = writeServedTier(SERVED.tiers, usage.tier)
  return {
    ...writeParts(usage),
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...(searches + fetches > 0 && {
      server_tool_use: { web_search_requests: searches, web_fetch_requests: fetches },
    }),
    ...(service_tier !== undefined && { service_tier }),
  }
}

/** Later counts replace earlier ones; null is ignored. */
export const mergeUsage = (before: JsonObject, after: Json | undefined): JsonObject => ({
  ...before,
  ...withoutNulls(objectIn(after)),
})
