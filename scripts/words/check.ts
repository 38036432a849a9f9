import type { Dialect } from '../../adapters/dialect.ts'
import { othersThan, type Side, type FatedWord } from './census.ts'
import { SILENT_REPLIES, SILENT_REQUESTS, type Reasons } from './decisions.ts'

export const reasonsFor = (dialect: Dialect, side: Side): Reasons =>
  (side === 'request' ? SILENT_REQUESTS : SILENT_REPLIES)[dialect]

/** A word's own key: its type and member, and behind `=` the literal. */
const spellRule = ({ where, kind, word }: FatedWord): string =>
  kind === 'literal' ? `${where}=${word}` : `${where}.${word}`

const matches = (rule: string, key: string): boolean =>
  rule.endsWith('*')
    ? key.startsWith(rule.slice(0, -1))
    : rule === key || (rule.startsWith('*') && key.endsWith(rule.slice(1)))

/** Why a word may be silent; undefined where no reason is given. */
export function findReason(word: FatedWord, reasons: Reasons): string | undefined {
  const key = spellRule(word)
  const rule = Object.keys(reasons).find((each) => matches(each, key))
  return rule === undefined ? undefined : reasons[rule]
}

export interface FateVerdict {
  /** Words that are silent without a reason: `key over a dialect`. */
  readonly undecided: readonly string[]
  /** Reasons for words that are not silent, or are no words. */
  readonly stale: readonly string[]
}

export function verdictOn(words: readonly FatedWord[], dialect: Dialect, side: Side): FateVerdict {
  const reasons = reasonsFor(dialect, side)
  const silent = words.filter(({ fates }) => fates.includes('silent'))
  const undecided = silent.flatMap((word) => {
    if (findReason(word, reasons) !== undefined) return []
    const over = othersThan(dialect).filter((_, at) => word.fates[at] === 'silent')
    return [`${spellRule(word)} over ${over.join(', ')}`]
  })
  const stale = Object.keys(reasons).filter(
    (rule) => !silent.some((word) => matches(rule, spellRule(word))),
  )
  return { undecided, stale }
}
