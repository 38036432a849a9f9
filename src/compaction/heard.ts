import { fold, unfoldBlock, type Event, type Folded } from '../model/events.ts'
import type { Problem } from '../model/problem.ts'
import { summaryMadeHere } from '../model/proof.ts'
import type { Usage } from '../model/request.ts'
import type { Again } from './prompt.ts'

/** What became of a summary turn: the words, or why there are none. */
export interface SummaryHeard {
  id: string
  model: string
  usage: Usage
  words: string
  /** Why the same should be asked once more. */
  again?: Again
  /** Why there is nothing to be told. */
  problem?: Problem
}

/** Reads the reply to a summary turn. Thoughts are no summary, and neither is a call. */
export function heardSummary(events: readonly Event[]): SummaryHeard {
  const { reply, problem }: Folded = fold(events)
  const texts = reply.blocks.flatMap((block) => (block.kind === 'text' ? [block.text.trim()] : []))
  const words = texts.filter((text) => text !== '').join('\n\n')
  const heard = { id: reply.id, model: reply.model, usage: reply.usage ?? {}, words }
  if (problem) return { ...heard, problem }
  const { finish = 'other' } = reply
  const isRefused = REFUSED.has(finish) || reply.blocks.some(({ kind }) => kind === 'refusal')
  if (isRefused) return { ...heard, problem: noSummary('the model refused to write one', false) }
  const again = reasonToRepeat(reply, words)
  return again
    ? { ...heard, again, ...(words === '' && { problem: noSummary(WHY[again]) }) }
    : heard
}

const REFUSED: ReadonlySet<string> = new Set(['refusal', 'safety', 'recitation'])

function reasonToRepeat({ blocks, finish }: Folded['reply'], words: string): Again | undefined {
  if (blocks.some(({ kind }) => kind === 'tool-call')) return 'called'
  if (finish === 'length' || finish === 'context-window') return 'cut'
  return words === '' ? 'wordless' : undefined
}

const WHY: Record<Again, string> = {
  called: 'the model called a tool instead',
  cut: 'it was cut off before its first word',
  wordless: 'the model wrote none',
}

const noSummary = (why: string, retry?: boolean): Problem => ({
  kind: 'overloaded',
  message: `There is no summary: ${why}.`,
  details: { error_code: 'compaction_unavailable' },
  ...(retry !== undefined && { retry }),
})

/** The usage of a summary, of which all is the summary's. */
export function ofSummary(usage: Usage): Usage {
  const { input, cacheRead, cacheWrite, output } = usage
  return { ...usage, summary: { ...definedCounts({ input, cacheRead, cacheWrite, output }) } }
}

const definedCounts = (counts: Record<string, number | undefined>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => (count === undefined ? [] : [[name, count]])),
  )

/** The block of a summary, as the events of a reply. */
export const summaryEvents = (words: string): Event[] => unfoldBlock(summaryMadeHere(words))

/** A reply that is a summary and nothing else. */
export const summaryReply = ({ id, model, usage, words }: SummaryHeard): Event[] => [
  { type: 'start', id, model },
  ...summaryEvents(words),
  { type: 'usage', usage: ofSummary(usage) },
  { type: 'finish', reason: 'stop' },
]
