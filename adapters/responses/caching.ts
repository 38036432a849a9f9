import {
  defined,
  isObject,
  pickMembers,
  wordIn,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type {
  Block,
  CacheMiss,
  Caching,
  Request,
  TextBlock,
  Usage,
} from '../../src/model/request.ts'
import { nothingLost, type Lose } from '../../src/model/loss.ts'
import { rememberedEach } from '../../src/model/remembered.ts'
import type { Members } from '../../src/model/ext.ts'
import type { WriteRequestContext } from '../contract.ts'
import { writeCache } from './blocks.ts'
import { isOrigin, listOf, lookup, memberText } from './dialect.ts'

/** Reads the cache settings of the whole prompt; unknown ones are left over. `stood`: the settings as they came. */
export function readCaching(members: Members): { caching?: Caching; stood?: JsonObject } {
  const options = members.object('prompt_cache_options')
  const retention = members.text('prompt_cache_retention')
  const stood: JsonObject = {
    ...(options && { prompt_cache_options: options }),
    ...(retention !== undefined && { prompt_cache_retention: retention }),
  }
  if (Object.keys(stood).length === 0) return {}
  const { mode, ttl: _, prewarm, comparison_response_id: id, ...rest } = options ?? {}
  const isNamed = typeof id === 'string'
  const beside = isNamed || id === undefined ? rest : { ...rest, comparison_response_id: id }
  const others = prewarm === true || prewarm === undefined ? beside : { ...beside, prewarm }
  const asked = pickMembers(others, (_, value) => value !== null && value !== false)
  if (Object.keys(asked).length > 0) members.leave('prompt_cache_options', asked)
  const ttl = (options && memberText(options, 'ttl')) ?? retention
  const explicit = mode === 'explicit'
  const caching = {
    ...(explicit && { explicit }),
    ...(ttl !== undefined && { ttl }),
    ...(prewarm === true && { prewarm }),
    ...(isNamed && { comparedWith: id }),
  }
  return { stood, caching }
}

/** How the ids of the service's own responses begin. */
const RESPONSE = 'resp_'

/** Names the reply to compare with, for a caller of another dialect. The service knows none but its own replies. */
export function writeComparison(request: Request, takesIt: boolean, lose: Lose): JsonObject {
  const id = isOrigin(request) ? undefined : request.caching?.comparedWith
  if (id === undefined) return {}
  if (takesIt && id.startsWith(RESPONSE))
    return { prompt_cache_options: { comparison_response_id: id } }
  return lose('dropped', 'caching.comparedWith') ?? {}
}

const REASONS: Readonly<Record<string, CacheMiss['reason']>> = {
  model_changed: 'model',
  tools_changed: 'tools',
  input_changed: 'input',
  context_compacted: 'input',
}

/** What a comparison found. `left`: what only this dialect says of it. */
export function readDiagnosis(found: JsonObject): { usage: Usage; left: JsonObject } {
  const { type, reason, cache_missed_tokens: tokens, ...left } = found
  const miss = (named: CacheMiss['reason']) => ({
    cacheMiss: defined({ reason: named, tokens: typeof tokens === 'number' ? tokens : undefined }),
  })
  if (type === 'cache_hit') return { usage: {}, left }
  if (type === 'cache_miss')
    return { usage: miss(lookup(REASONS, wordIn(reason)) ?? 'options'), left }
  return { usage: miss(type === 'comparison_response_not_found' ? 'no-reply' : 'unknown'), left }
}

/** The cache key: the caller's own, or the text that stands for its session. */
export function cacheKeyFor(
  { cacheKey }: Request,
  { cache, lose }: WriteRequestContext,
): string | undefined {
  if (cache?.mode === 'off') return cacheKey === undefined ? undefined : lose('dropped', 'cacheKey')
  return cacheKey ?? (cache?.mode === 'derive' ? cache.session() : undefined)
}

/** The service writes its cache four times per request, one of them at a mark that it sets itself. */
const MAX_MARKS = 3
export const MARK = 'prompt_cache_breakpoint'

/** Removes the oldest marks where there are too many, but not that of the instructions. */
export function capMarks(
  input: readonly JsonObject[],
  kept: JsonObject | undefined,
  lose: WriteRequestContext['lose'],
): JsonObject[] {
  const [first, ...others] = input
  let excess = first ? countMarks(first) - MAX_MARKS : 0
  // The first item is made anew for each request, so its count is not remembered.
  for (const count of markEach(others, [], nothingLost, () => countMarks)) excess += count
  if (excess <= 0) return [...input]
  lose('dropped', 'cache', `at most ${MAX_MARKS} marks`)
  const unmarked = (part: Json): Json => {
    if (excess <= 0 || !isObject(part) || !isMarked(part)) return part
    excess -= 1
    const { [MARK]: _, ...rest } = part
    return rest
  }
  return input.map((item) => {
    if (excess <= 0 || countMarks(item) === 0 || item === kept) return item
    const { content, output } = item
    return {
      ...item,
      ...(Array.isArray(content) && { content: content.map(unmarked) }),
      ...(Array.isArray(output) && { output: output.map(unmarked) }),
    }
  })
}

const markEach = rememberedEach<JsonObject, number>()

export const countMarks = (item: JsonObject): number =>
  ['content', 'output'].flatMap((member) => listOf(item[member])).filter(isMarked).length

const isMarked = (part: Json): boolean => isObject(part) && part[MARK] !== undefined

/**
 * Neither `instructions` nor tools can have a mark. So for a model that takes marks the instructions are the first
 * message of the developer, which has the mark of either. That holds where nothing is marked, too: marks come and go,
 * and the prompt has to stay the same.
 */
export function instructingMessage(
  { system, tools }: Request,
  { marks, lose }: { marks: boolean; lose: WriteRequestContext['lose'] },
): JsonObject | undefined {
  const tool = tools.find((one) => one.kind !== 'opaque' && one.cache !== undefined)
  const inTools = tool && tool.kind !== 'opaque' ? tool.cache : undefined
  const texts = system.filter(isFilledText)
  if (!marks || texts.length === 0) return undefined
  const last = texts.findLastIndex(({ cache }) => cache !== undefined)
  const content = texts.map(({ text, cache }, index) => {
    const mark = index === last ? cache : last < 0 && index === 0 ? inTools : undefined
    const side = 'input' as const
    return { type: 'input_text', text, ...writeCache(mark, { side, marks, own: false, lose }) }
  })
  return { type: 'message', role: 'developer', content }
}

const isFilledText = (block: Block): block is TextBlock =>
  block.kind === 'text' && block.text !== ''
