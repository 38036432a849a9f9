import { pickMembers, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { FinishReason, Usage } from '../../src/model/request.ts'
import { leftovers, many } from './dialect.ts'

/**
 * `usageMetadata`: the prompt includes what was cached but not what tools added; candidates are without
 * thoughts in the service's own arithmetic and with them in that of some others, which the total tells.
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
  const rest = pickMembers(value, (key, one) => !COUNTS.includes(key) && !isAllText(one))
  return { ...usage, ...leftovers(rest) }
}

/** That all of it is text says no more than its count does. */
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
  const thoughts = Math.min(reasoning ?? 0, output)
  const tools = Math.min(toolUse ?? 0, input)
  return {
    promptTokenCount: input - tools,
    ...(cacheRead !== undefined && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: output - thoughts,
    ...(reasoning !== undefined && { thoughtsTokenCount: thoughts }),
    ...(toolUse !== undefined && { toolUsePromptTokenCount: tools }),
    totalTokenCount: input + output,
  }
}

/** The members that are read: whatever our own usage consists of. */
const COUNTS = Object.keys(writeUsage({ cacheRead: 0, reasoning: 0, toolUse: 0 }))

/** The enumeration in the order of its numbers, which some replies carry instead of the names. */
const REASONS: readonly (readonly [string, FinishReason])[] = [
  ['FINISH_REASON_UNSPECIFIED', 'other'],
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'safety'],
  ['RECITATION', 'recitation'],
  ['OTHER', 'other'],
  ['LANGUAGE', 'other'],
  ['BLOCKLIST', 'safety'],
  ['PROHIBITED_CONTENT', 'safety'],
  ['SPII', 'safety'],
  ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
  ['IMAGE_SAFETY', 'safety'],
]
/** Met on the wire, but not in the documentation. */
const LATER_REASONS: readonly (readonly [string, FinishReason])[] = [
  ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
  ['TOO_MANY_TOOL_CALLS', 'other'],
  ['IMAGE_PROHIBITED_CONTENT', 'safety'],
  ['IMAGE_RECITATION', 'recitation'],
  ['IMAGE_OTHER', 'other'],
  ['NO_IMAGE', 'other'],
  ['MODEL_ARMOR', 'safety'],
  ['CONTINUATION', 'pause'],
  ['MALFORMED_RESPONSE', 'other'],
]
const BY_NAME: ReadonlyMap<string, FinishReason> = new Map([...REASONS, ...LATER_REASONS])

export interface ReadFinish {
  reason: FinishReason
  /** The documented name, where writing the reason would choose another one. */
  name?: string
}

/** Undefined while the reply goes on. An unknown reason is no success. */
export function readFinish(value: Json | undefined): ReadFinish | undefined {
  if (typeof value === 'number') {
    const known = REASONS[value]
    return known ? namedFinish(...known) : { reason: 'other' }
  }
  if (typeof value !== 'string' || value === '') return undefined
  return namedFinish(value, BY_NAME.get(value) ?? 'other')
}

function namedFinish(name: string, reason: FinishReason): ReadFinish {
  const isDocumented = REASONS.some(([known]) => known === name && known !== UNSPECIFIED)
  return FINISH_NAMES[reason] === name || !isDocumented ? { reason } : { reason, name }
}

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'

/** Inverse of `readFinish`. There is no word for calls: a reply with calls just stops. */
export const FINISH_NAMES: Record<FinishReason, string> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  'context-window': 'MAX_TOKENS',
  'tool-call': 'STOP',
  refusal: 'SAFETY',
  safety: 'SAFETY',
  recitation: 'RECITATION',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  pause: 'OTHER',
  other: 'OTHER',
}

/** What a reader of the written reason will take it for. */
export const understood = (reason: FinishReason, hasCalls: boolean): FinishReason => {
  const again = BY_NAME.get(FINISH_NAMES[reason]) ?? 'other'
  return again === 'stop' && hasCalls ? 'tool-call' : again
}
