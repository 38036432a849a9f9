import { pickMembers, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Usage } from '../../src/model/request.ts'
import { readServedTier, writeServedTier, type ServedWords } from '../../src/rules/served.ts'
import { many, keep } from './dialect.ts'

export const SERVED: ServedWords = {
  tiers: { standard: 'default', priority: 'priority', flex: 'flex' },
}

/** The tiers as Vertex names them (`trafficType`). Other values are no tier of other dialects. */
const TRAFFIC: ReadonlyMap<Json | undefined, string> = new Map([
  ['ON_DEMAND', 'default'],
  ['ON_DEMAND_PRIORITY', 'priority'],
  ['ON_DEMAND_FLEX', 'flex'],
])

/**
 * Reads `usageMetadata`. The prompt includes cached tokens, but not those of tools. At the service itself the
 * candidates exclude thoughts. Other servers include them, which the total shows.
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isObject(value)) return undefined
  const prompt = count(value['promptTokenCount'])
  const cached = count(value['cachedContentTokenCount'])
  const candidates = count(value['candidatesTokenCount'])
  const thoughts = count(value['thoughtsTokenCount'])
  const toolUse = count(value['toolUsePromptTokenCount'])
  const total = count(value['totalTokenCount'])
  if ((prompt ?? candidates ?? thoughts ?? total) === undefined) return undefined
  const spoken = (candidates ?? 0) + (thoughts ?? 0)
  const input =
    (prompt ?? Math.max(0, (total ?? spoken) - spoken - (toolUse ?? 0))) + (toolUse ?? 0)
  const output = total !== undefined && total >= input ? total - input : spoken
  const usage: Usage = { input, output }
  if (cached !== undefined) usage.cacheRead = cached
  if (thoughts !== undefined) usage.reasoning = thoughts
  if (toolUse !== undefined) usage.toolUse = toolUse
  const { trafficType, serviceTier } = value
  const traffic = TRAFFIC.get(trafficType)
  const tier = traffic ?? readServedTier(SERVED.tiers, lowerCase(serviceTier))
  if (tier !== undefined && tier !== 'unspecified') usage.tier = tier
  const rest = pickMembers(value, (key, one) =>
    key === 'trafficType' ? !traffic : !COUNTS.includes(key) && !isAllText(one),
  )
  return { ...usage, ...keep(rest) }
}

const lowerCase = (value: Json | undefined) =>
  typeof value === 'string' ? value.toLowerCase() : undefined

/** Whether a count is of text alone. Then the details by modality say nothing more. */
const isAllText = (details: Json): boolean =>
  many(details).every((one) => isObject(one) && TEXT.has(one['modality']))

const TEXT = new Set<Json | undefined>(['TEXT', 1, '1'])

function count(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined
}

/** Inverse of `readUsage`: the parts add up to the total. */
export function writeUsage(usage: Usage = {}): JsonObject {
  const { input = 0, output = 0, cacheRead, reasoning, toolUse } = usage
  const serviceTier = writeServedTier(SERVED.tiers, usage.tier)
  const thoughts = Math.min(reasoning ?? 0, output)
  const tools = Math.min(toolUse ?? 0, input)
  return {
    promptTokenCount: input - tools,
    ...(cacheRead !== undefined && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: output - thoughts,
    ...(reasoning !== undefined && { thoughtsTokenCount: thoughts }),
    ...(toolUse !== undefined && { toolUsePromptTokenCount: tools }),
    totalTokenCount: input + output,
    ...(serviceTier !== undefined && { serviceTier }),
  }
}

/** The members that are read: all that `writeUsage` writes. */
const COUNTS = Object.keys(writeUsage({ cacheRead: 0, reasoning: 0, toolUse: 0, tier: 'default' }))
