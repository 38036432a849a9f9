import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { FinishReason, Usage } from '../../src/model/request.ts'
import { countIn, lookup, objectIn, textIn } from './members.ts'
import { leftoversBeyond } from './tails.ts'

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

/** The members that are read: whatever our own usage consists of. */
const COUNTS = Object.keys(countsIn(writeUsage({})))

/** How a response ended. */
export interface Ending {
  status: 'completed' | 'incomplete'
  reason?: 'max_output_tokens' | 'content_filter'
}

const COMPLETED: Ending = { status: 'completed' }
const CUT: Ending = { status: 'incomplete', reason: 'max_output_tokens' }
const FILTERED: Ending = { status: 'incomplete', reason: 'content_filter' }

const ENDINGS: Record<FinishReason, Ending> = {
  stop: COMPLETED,
  'stop-sequence': COMPLETED,
  'tool-call': COMPLETED,
  length: CUT,
  'context-window': CUT,
  pause: CUT,
  refusal: FILTERED,
  safety: FILTERED,
  recitation: FILTERED,
  'malformed-call': FILTERED,
  other: FILTERED,
}

/** A refusal in words is a reply like any other. */
export const chooseEnding = (reason: FinishReason, seen: Seen): Ending =>
  reason === 'refusal' && seen.refusal ? COMPLETED : ENDINGS[reason]

const REASONS: Record<string, FinishReason> = {
  max_output_tokens: 'length',
  max_tokens: 'length',
  content_filter: 'safety',
}

/** What a reply contained, as far as it says why it ended. */
export interface Seen {
  refusal: boolean
  call: boolean
}

export function chooseFinish(
  ending: { status: string; reason?: string | undefined },
  seen: Seen,
): FinishReason {
  // Without a reason it is the commonest one.
  if (ending.status === 'incomplete')
    return lookup(REASONS, ending.reason ?? 'max_output_tokens') ?? 'other'
  if (seen.call) return 'tool-call'
  return seen.refusal ? 'refusal' : 'stop'
}

export function readFinish(response: JsonObject, seen: Seen): FinishReason {
  const details = response['incomplete_details']
  const reason = isObject(details) ? textIn(details, 'reason') : undefined
  return chooseFinish({ status: textIn(response, 'status') ?? 'completed', reason }, seen)
}
