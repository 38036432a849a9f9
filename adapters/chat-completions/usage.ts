import { withMembers } from '../../src/json/edit.ts'
import {
  defined,
  isObject,
  parseObject,
  pickMembers,
  stringify,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { membersBeside } from '../../src/model/ext.ts'
import type { Usage } from '../../src/model/request.ts'
import type { CountingRule, ModelFacts, ServerFacts } from '../contract.ts'
import {
  PLAIN_TIER,
  readServedTier,
  writeServedTier,
  type ServedWords,
} from '../../src/rules/served.ts'
import { keep, objectIn, countIn, isAbsent } from './dialect.ts'

/** Where OpenRouter counts searches, under the newer name and the older one. */
const TOOL_COUNTS = ['server_tool_use_details', 'server_tool_use'] as const
const SEARCHES = 'web_search_requests'
const COUNTED: ReadonlySet<string> = new Set([SEARCHES])

const READ = new Set<string>([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_tokens_details',
  'completion_tokens_details',
  'cached_tokens',
  'reasoning_tokens',
  'prompt_cache_hit_tokens',
  'prompt_cache_miss_tokens',
  'cache_write_tokens',
  'num_search_queries',
  ...TOOL_COUNTS,
])

export const SERVED: ServedWords = {
  tiers: { default: 'default', priority: 'priority', flex: 'flex', scale: 'scale' },
}

/** What other servers call the tier that holds where none is asked for. */
const USUAL = new Set<Json | undefined>(['on_demand', 'standard'])

/** The tier of a reply, which stands beside its counts. */
export const readTier = (word: Json | undefined): string | undefined =>
  USUAL.has(word) ? PLAIN_TIER : readServedTier(SERVED.tiers, word)

/** Inverse of `readTier`. */
export function writeTierOf({ tier }: Usage): JsonObject {
  const service_tier = writeServedTier(SERVED.tiers, tier)
  return service_tier === undefined ? {} : { service_tier }
}

/**
 * The counts of a reply. Most servers count cached tokens in the prompt and thoughts in the completion. The
 * exceptions show in the sums: xAI leaves thoughts out of the completion; for servers known to do so (Gemini's
 * compatible API), whatever the total has beyond its parts is output. Parts larger than their whole (Azure's grok,
 * OpenRouter) are cut to it.
 */
export function readUsage(raw: Json | undefined, server: ServerFacts = {}): Usage {
  if (!isObject(raw)) return {}
  const prompts = objectIn(raw['prompt_tokens_details'])
  const completions = objectIn(raw['completion_tokens_details'])
  const input = countIn(raw['prompt_tokens'])
  const thought = countIn(completions['reasoning_tokens']) ?? countIn(raw['reasoning_tokens'])
  const output = countOutput(raw, input, thought, server)
  const cached =
    countIn(prompts['cached_tokens']) ??
    countIn(raw['cached_tokens']) ??
    countIn(raw['prompt_cache_hit_tokens'])
  const written = countIn(prompts['cache_write_tokens']) ?? countIn(raw['cache_write_tokens'])
  const cacheRead = within(cached, input)
  const left = input === undefined ? undefined : input - (cacheRead ?? 0)
  return {
    ...defined({
      input,
      cacheRead,
      cacheWrite: within(written, left),
      output,
      reasoning: within(thought, output),
      searches: countSearches(raw),
    }),
    ...keep({
      ...leftIn(raw, READ),
      ...toolCountsIn(raw),
      ...leftIn(withoutAllText(prompts, raw['prompt_tokens']), KEPT),
      ...leftIn(withoutAllText(completions, raw['completion_tokens']), KEPT),
    }),
  }
}

/** How often the service searched. Perplexity counts searches in `num_search_queries`. */
function countSearches(raw: JsonObject): number | undefined {
  for (const name of TOOL_COUNTS) {
    const counts = raw[name]
    const count = isObject(counts) && countIn(counts[SEARCHES])
    if (count) return count
  }
  return countIn(raw['num_search_queries']) || undefined
}

function toolCountsIn(raw: JsonObject): JsonObject {
  const left: JsonObject = {}
  for (const name of TOOL_COUNTS) {
    const counts = raw[name]
    const others = isObject(counts) ? leftIn(counts, COUNTED) : {}
    if (Object.keys(others).length > 0) left[name] = others
  }
  return left
}

function countOutput(
  raw: JsonObject,
  input: number | undefined,
  thought: number | undefined,
  server: ServerFacts,
): number | undefined {
  const said = countIn(raw['completion_tokens'])
  const total = countIn(raw['total_tokens'])
  if (total === undefined || input === undefined) return said
  const beyond = total - input - (said ?? 0)
  if (beyond <= 0) return said
  const isThought = thought !== undefined && thought > 0 && beyond === thought
  return isThought || server.outputInTotal === true ? total - input : said
}

/** Cuts a part to `bound`, its whole; an unknown whole does not bound it. */
const within = (count: number | undefined, bound: number | undefined): number | undefined =>
  count === undefined || bound === undefined ? count : Math.min(count, bound)

const KEPT = new Set(['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'])

/** Leaves out `text_tokens` where it only repeats the whole count. */
function withoutAllText(counts: JsonObject, all: Json | undefined): JsonObject {
  const { text_tokens: texts, ...others } = counts
  return texts !== undefined && texts === all ? others : counts
}

function leftIn(counts: JsonObject, known: ReadonlySet<string>): JsonObject {
  const others = membersBeside(counts, known)
  return others ? pickMembers(others, isCounted) : {}
}

const isCounted = (_: string, value: Json): boolean => value !== 0 && !isAbsent(value)

/** Inverse of `readUsage`, with the total as the sum. */
export function writeUsage(usage: Usage): JsonObject {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: cacheRead,
      ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
    },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

const OPTIONS = 'stream_options'
const ASKING = { include_usage: true }

/** Servers without the member report usage in streams without being asked. */
const isUnknown = ({ server, drop }: ModelFacts): boolean =>
  server?.members?.includes(OPTIONS) === false || drop?.includes(OPTIONS) === true

const asks = (options: JsonObject): boolean => options['include_usage'] === true

/** Services of this dialect count the tokens of a stream when they are asked, in a chunk without choices. */
export const counting: CountingRule = {
  member: OPTIONS,
  value: stringify(ASKING),
  isSettled: (asked, facts) => isUnknown(facts) || asks(parseObject(asked ?? '') ?? {}),
  isCount(data) {
    const { choices, usage, error } = parseObject(data) ?? {}
    return Array.isArray(choices) && choices.length === 0 && isObject(usage) && !error
  },
}

/** Asks for the counts of a stream. */
export function withCounting(body: JsonObject, facts: ModelFacts): JsonObject {
  const options = objectIn(body[OPTIONS])
  if (body['stream'] !== true || isUnknown(facts) || asks(options)) return body
  return withMembers(body, { [OPTIONS]: { ...options, ...ASKING } })
}
