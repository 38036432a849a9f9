import type { Json } from '../../src/json/json.ts'
import type { FinishReason } from '../../src/model/request.ts'

/** The finish reasons in the order of their numbers, because a reply may hold the number. */
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
/** Finish reasons that the specification lacks: seen on the wire, or among the types of @google/genai 3.3.0. */
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
  ['ESCALATION', 'safety'],
  ['PUP_LIMITED_DISABLED', 'safety'],
]
const BY_NAME: ReadonlyMap<string, FinishReason> = new Map([...REASONS, ...LATER_REASONS])

export interface ReadFinish {
  reason: FinishReason
  /** The name, where the specification has it and writing the reason would choose another one. */
  name?: string
}

/** Reads a finish reason; undefined while the reply goes on. An unknown one is not read as success. */
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

/** Inverse of `readFinish`. The dialect has no reason for calls, so such a reply ends with `STOP`. */
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

/** The reason as a reader of the written reply will understand it. */
export const understood = (reason: FinishReason, hasCalls: boolean): FinishReason => {
  const again = BY_NAME.get(FINISH_NAMES[reason]) ?? 'other'
  return again === 'stop' && hasCalls ? 'tool-call' : again
}
