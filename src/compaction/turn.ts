import { defined } from '../json/json.ts'
import { ProblemError } from '../model/problem.ts'
import type { Block, Request, ToolChoice, Turn } from '../model/request.ts'
import { isInstruction } from '../rules/late-tools.ts'
import { summaryOrder, type Again } from './prompt.ts'

/** What decides how a summary is asked for. */
export interface Asking {
  maxOutputTokens: number
  /** Another choice of tools would cost the cache of the conversation. */
  keepsChoice: boolean
  again?: Again | undefined
}

/**
 * The conversation with one more turn of the user, which asks for a summary of it. Everything that a service caches a
 * prompt by stays: instructions, tools, turns, effort and verbosity. What would shape the answer goes.
 */
export function summaryTurn(request: Request, asking: Asking): Request {
  const { compact, format: _, toolChoice: __, sampling, reasoning, caching, ...rest } = request
  const { prewarm: ___, ...cached } = caching ?? {}
  const { again, maxOutputTokens } = asking
  const text = summaryOrder(compact?.instructions, again)
  return {
    ...rest,
    ...choiceFor(request, asking),
    turns: [...request.turns, { role: 'user', blocks: [{ kind: 'text', text }] }],
    sampling: defined({ verbosity: sampling.verbosity }),
    limits: { maxOutputTokens },
    ...(caching && { caching: cached }),
    ...(reasoning && { reasoning: again ? lightly(reasoning) : reasoning }),
  }
}

function choiceFor(
  { tools, toolChoice }: Request,
  { keepsChoice, again }: Asking,
): { toolChoice?: ToolChoice } {
  if (tools.length === 0) return {}
  if (!keepsChoice || again !== undefined) return { toolChoice: { mode: 'none' } }
  return toolChoice && toolChoice.mode !== 'required' ? { toolChoice } : {}
}

/** Thoughts count among the tokens of a reply, and have left no room for the summary. */
const lightly = ({ mode, visible }: NonNullable<Request['reasoning']>) =>
  defined({
    mode: mode === 'off' ? ('off' as const) : ('on' as const),
    effort: 'low' as const,
    visible,
  })

/** Throws for a conversation that holds nothing, or that breaks off within a call. */
export function refuseUnsummable({ turns }: Request): void {
  if (!turns.some((turn) => !isInstruction(turn) && turn.blocks.length > 0))
    throw refused(
      'compaction_nothing_to_summarize',
      'There is no conversation of which a summary could be written.',
    )
  const place = openCall(turns)
  if (place !== undefined)
    throw refused(
      'compaction_incomplete_turn',
      `${place}: this call has no result yet; send the result with the request for a summary.`,
      place,
    )
}

const refused = (error_code: string, message: string, param?: string): ProblemError =>
  new ProblemError(
    defined({ kind: 'invalid-request' as const, message, param, details: { error_code } }),
  )

/** The place of a call whose result is awaited. Where the model has said more since, it is not. */
function openCall(turns: readonly Turn[]): string | undefined {
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  const first = turns.findLastIndex(({ role }, at) => at < last && role !== 'assistant') + 1
  const answered = new Set(turns.slice(first).flatMap(({ blocks }) => blocks.flatMap(answeredBy)))
  for (const [at, { role, blocks }] of turns.entries())
    if (at >= first && role === 'assistant')
      for (const [index, block] of blocks.entries())
        if (block.kind === 'tool-call' && !answered.has(block.id))
          return `turns.${at}.blocks.${index}`
  return undefined
}

const answeredBy = (block: Block): string[] => (block.kind === 'tool-result' ? [block.callId] : [])
