import { isObject, objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { dotted, readPath } from '../../src/model/paths.ts'
import { WITHHELD, type Withheld } from '../../src/model/events.ts'
import { readRefused } from '../../src/problems/refused.ts'
import type { FinishReason, RefusalDetails } from '../../src/model/request.ts'
import { textIn, withoutNulls } from './dialect.ts'

/** The stop reason for each way to finish. */
const STOP_REASONS: Record<FinishReason, string> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'context-window': 'model_context_window_exceeded',
  'tool-call': 'tool_use',
  pause: 'pause_turn',
  refusal: 'refusal',
  safety: 'refusal',
  recitation: 'refusal',
  'malformed-call': 'refusal',
  other: 'refusal',
}

/** The way to finish for each stop reason. */
export const FINISH_REASONS = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'context-window',
  tool_use: 'tool-call',
  pause_turn: 'pause',
  refusal: 'refusal',
  // The requested summary is the whole reply.
  compaction: 'stop',
} satisfies Record<string, FinishReason>

const KNOWN_REASONS = new Map<Json | undefined, FinishReason>(Object.entries(FINISH_REASONS))

export const readStopReason = (word: Json | undefined): FinishReason =>
  KNOWN_REASONS.get(word) ?? 'other'

/** Inverse of `readStopReason`, where the dialect has a word. */
export const writeStopReason = (reason: FinishReason): string => STOP_REASONS[reason]

/** The members of a message that nothing reads. */
export function messageLeft(message: JsonObject): JsonObject {
  const { id: _id, type: _type, role: _role, model: _model, content: _content, ...others } = message
  const { stop_reason: _reason, stop_sequence: _sequence, usage: _usage, ...rest } = others
  const { input_transformations: _changed, stop_details: _details, ...unread } = rest
  return withoutNulls(unread)
}

/** Why a reply was refused, and the other members of `stop_details`. */
export function readStopDetails(
  details: Json | undefined,
  reason: FinishReason,
): { refused?: RefusalDetails | undefined; left?: JsonObject } {
  if (!isObject(details)) return {}
  if (reason !== 'refusal') return { left: { stop_details: details } }
  const { type: _, category = null, explanation = null, ...rest } = details
  const left = withoutNulls(rest)
  const isRead = Object.keys(left).length === 0
  const refused = readRefused(explanation, category)
  return isRead ? { refused } : { refused, left: { stop_details: left } }
}

/** Inverse of `readStopDetails`. */
export const writeStopDetails = (refused: RefusalDetails | undefined): JsonObject | undefined =>
  refused && {
    type: 'refusal',
    category: refused.category ?? null,
    explanation: refused.explanation ?? null,
  }

const MISMATCH = '_binding_mismatch'

/** The proofs that the model was not shown; undefined where the message does not say. */
export const readWithheld = (list: Json | undefined): Withheld[] | undefined =>
  Array.isArray(list)
    ? objectsOf(list).map(({ type, path, reason }) => ({
        at: readPath(textIn(path)),
        reason: textIn(reason).replace(MISMATCH, ''),
        ...(type !== 'thinking_dropped' && { shown: true as const }),
      }))
    : undefined

/** Inverse of `readWithheld`. Drops an entry without a place, or with a reason that this dialect does not have. */
export const writeWithheld = (withheld: readonly Withheld[], lose: Lose): JsonObject[] =>
  withheld.flatMap(({ at, reason, shown }) => {
    if (at && reason !== 'turn_boundary')
      return {
        type: shown ? 'thinking_mismatch_allowed' : 'thinking_dropped',
        path: dotted(at),
        reason: reason + MISMATCH,
      }
    lose('dropped', WITHHELD, reason)
    return []
  })

/**
 * The type of a delta. The specification shows deltas without a type, where their one member tells it; services name
 * it.
 */
export const deltaType = (delta: JsonObject): string =>
  textIn(delta['type']) || (MEMBERS.find(([member]) => member in delta)?.[1] ?? '')

const MEMBERS = [
  ['text', 'text_delta'],
  ['thinking', 'thinking_delta'],
  ['signature', 'signature_delta'],
  ['partial_json', 'input_json_delta'],
  ['citation', 'citations_delta'],
] as const
