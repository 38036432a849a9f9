import { isMadeHere, summaryMadeHere } from '../model/proof.ts'
import type { Block, Request, Turn } from '../model/request.ts'
import { emptyRequest } from '../rules/empty-request.ts'
import { estimateTokens } from '../rules/estimate.ts'
import { withoutReasoning } from './shorter.ts'

/** What stands before a summary need not be sent any more. */
export function sinceSummary(request: Request): Request {
  const { turns } = request
  const at = turns.findLastIndex(({ blocks }) => blocks.some(isSummary))
  const turn = turns[at]
  if (!turn) return request
  const blocks = turn.blocks.slice(turn.blocks.findLastIndex(isSummary))
  return { ...request, turns: [{ ...turn, blocks }, ...turns.slice(at + 1)] }
}

const isSummary = (block: Block): boolean => block.kind === 'opaque' && isMadeHere(block)

/** The conversation with a summary in place of all but its end, which is no longer than so many tokens. */
export function afterSummary(request: Request, words: string, mostTokens: number): Request {
  const summary: Turn = { role: 'assistant', blocks: [summaryMadeHere(words)] }
  const { compact: _, inputTokens: __, turns, ...rest } = request
  const starts = [
    turns.findLastIndex(({ role, blocks }) => role === 'user' && blocks.some(isSaid)),
    turns.findLastIndex(({ role }) => role === 'assistant'),
  ]
  const fits = (at: number): boolean =>
    at >= 0 && estimateTokens({ ...emptyRequest(''), turns: turns.slice(at) }) <= mostTokens
  const start = starts.find(fits) ?? Math.max(...starts)
  return { ...rest, turns: [summary, ...turns.slice(start).map(withoutReasoning)] }
}

const isSaid = ({ kind }: Block): boolean => kind !== 'tool-result'
