import type { Json } from '../json/json.ts'
import type { FinishEvent } from '../model/events.ts'
import type { Lose } from '../model/loss.ts'
import type { FinishReason, RefusalDetails } from '../model/request.ts'

/** The ends without an answer, or with no more of it; at other ends there is nothing to explain. */
const REFUSING: ReadonlySet<FinishReason> = new Set<FinishReason>([
  'refusal',
  'safety',
  'recitation',
  'malformed-call',
  'other',
])

export const isRefusing = (reason: FinishReason): boolean => REFUSING.has(reason)

/** Services leave out what they do not tell, or say null, or an empty text. */
export function readRefused(
  explanation: Json | undefined,
  category?: Json | undefined,
): RefusalDetails | undefined {
  const refused: RefusalDetails = {}
  if (typeof explanation === 'string' && explanation !== '') refused.explanation = explanation
  if (typeof category === 'string' && category !== '') refused.category = category
  return Object.keys(refused).length > 0 ? refused : undefined
}

/** What is said where the service leaves it at the reason. */
const WORDS: Partial<Record<FinishReason, string>> = {
  refusal: 'The model refused to answer',
  safety: 'The answer was withheld for safety',
  recitation: 'The answer was withheld because it repeats what is written elsewhere',
}

/**
 * The explanation of an end for a dialect with words for refusals and none for what they are about. `isSilent`: the
 * reply holds nothing, and an agent would look in it for what it could show.
 */
export function refusalWords(
  { reason, refused: { explanation, category } = {} }: FinishEvent,
  isSilent: boolean,
  lose: Lose,
): string | undefined {
  const own = isSilent ? WORDS[reason] : undefined
  if (explanation === undefined && own !== undefined) {
    lose('defaulted', 'reply.refusal')
    return category === undefined ? `${own}.` : `${own} (${category}).`
  }
  if (category !== undefined) lose('dropped', 'reply.refusal.category')
  return explanation
}
