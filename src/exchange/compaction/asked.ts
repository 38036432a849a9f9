import type { Summing } from '../request/plan.ts'
import type { AskedRequest } from '../stages.ts'
import type { ServerFacts } from '../../../adapters/contract.ts'
import { sinceSummary } from '../../compaction/since.ts'
import type { CompactionSettings } from '../../config/settings.ts'
import { MAX_OUTPUT_TOKENS } from '../../config/defaults.ts'
import { refuseUnsummable, summaryTurn } from '../../compaction/turn.ts'
import type { Lose } from '../../model/loss.ts'
import { invalid } from '../../model/problem.ts'
import type { Request } from '../../model/request.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import type { Destination } from '../../upstream/route.ts'

/** What the services ask for by themselves where a threshold has no number. */
const USUAL_THRESHOLD = 150_000

const compactionAt = ({ settings }: AskedRequest, { upstream }: Destination): CompactionSettings =>
  upstream.compaction ?? settings.compaction ?? {}

/**
 * Whether a service of the caller's own dialect is one of many that speak a part of it: one that keeps nothing, or
 * takes no items beside those of a conversation, would refuse the order for a summary.
 */
export const isSummedHere = (
  { caller, route }: AskedRequest,
  { adapter, target }: Destination,
  scanned: ScannedBody | undefined,
): boolean =>
  adapter === caller &&
  !writesSummaries(target.facts.server) &&
  route.operation === 'create' &&
  (route.compacts === true || scanned?.holds(mayAsk) === true)

const writesSummaries = ({ compacts, otherItems, state }: ServerFacts = {}): boolean =>
  compacts ?? (otherItems !== false && state !== false)

const mayAsk = (text: string): boolean => text.includes('"compaction_trigger"')

/**
 * The request as it is to be sent. A wish for a summary is a turn of its own, since only services of the caller's
 * dialect know it; one for later goes, unless it is served by configuration. Throws where there can be none. `served`:
 * the request as it was, with a wish that is no loss.
 */
export function withSummaryTurn(
  asked: AskedRequest,
  destination: Destination,
  request: Request,
  lose: Lose,
): { request: Request; summing?: Summing; served?: Request } {
  const { caller, route } = asked
  const { compact } = request
  const { adapter, target } = destination
  const isOwn = adapter === caller && writesSummaries(target.facts.server)
  if (!compact || isOwn) return { request }
  const {
    refused,
    threshold,
    maxOutputTokens = MAX_OUTPUT_TOKENS,
  } = compactionAt(asked, destination)
  const { compact: _, ...plain } = request
  const { maxOutputTokens: most = maxOutputTokens } = target.facts
  const asking = {
    maxOutputTokens: Math.min(maxOutputTokens, most),
    keepsChoice: adapter.upstream.cachesChoice === true,
  }
  if (compact.now && route.operation !== 'create') return { request: plain }
  if (compact.now) {
    if (refused) throw invalid(REFUSED, 'compaction')
    refuseUnsummable(request)
    lose('approximated', 'compaction')
    return { request: summaryTurn(request, asking), summing: { of: request, asking } }
  }
  if (!threshold || route.operation !== 'create') return { request: plain }
  lose('approximated', 'compaction')
  const { above = USUAL_THRESHOLD } = compact
  const of = sinceSummary(request)
  const served = { ...request, compact: { ...compact, now: true as const } }
  return { request: { ...plain, turns: of.turns }, summing: { of, asking, above }, served }
}

const REFUSED =
  'compaction: no summary is written for this upstream, by configuration ("compaction": "refuse"); ask for one in words, or leave it out.'
