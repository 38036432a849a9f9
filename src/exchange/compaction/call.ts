import { summaryReply } from '../../compaction/heard.ts'
import type { Event } from '../../model/events.ts'
import { toProblem } from '../../problems/failures.ts'
import type { Piece, UpstreamCall } from '../../upstream/call.ts'
import type { SentRequest } from '../../upstream/request.ts'
import type { Answer, Context } from '../exchange.ts'
import type { SummaryPlan, SummaryChannel, TranslatePlan } from '../request/plan.ts'
import { SummaryTurns, type AskUpstream } from './turns.ts'

/**
 * Asks for the summary that a plan is about. What comes of it looks like an upstream that answers with it, so that a
 * reply is written, kept and counted as any other, and its stream is kept alive meanwhile.
 */
export async function callForSummary(
  context: Context,
  plan: TranslatePlan,
  summary: SummaryPlan,
  sent: SentRequest,
  ask: AskUpstream,
): Promise<UpstreamCall> {
  const turns = new SummaryTurns(context, plan, summary, ask)
  const first = await turns.begin(sent)
  return callWithEvents(first, summary.channel, turns, async function* () {
    yield summaryReply(await turns.heard())
  })
}

/** A call that answers with events. `isStream`: each step by itself; else all of them at once. */
export function callWithEvents(
  first: UpstreamCall,
  { events }: SummaryChannel,
  turns: Pick<SummaryTurns, 'call' | 'leave'>,
  steps: () => AsyncGenerator<Event[]>,
  isStream = false,
): UpstreamCall {
  const type = isStream ? 'text/event-stream' : 'application/json'
  const ready = new TextEncoder().encode(isStream ? 'data: {}\n\n' : '{}')
  const coming = steps()
  let isOver = false
  return {
    status: first.status,
    headers: {
      get: (name) => (name.toLowerCase() === 'content-type' ? type : first.headers.get(name)),
      keys: () => first.headers.keys?.() ?? [],
    },
    requestId: first.requestId,
    async read(): Promise<Piece> {
      if (isOver) return undefined
      try {
        let step = await coming.next()
        for (; !step.done; step = await coming.next()) {
          events.push(...step.value)
          if (isStream) return { bytes: ready }
        }
        isOver = true
        return isStream ? undefined : { bytes: ready }
      } catch (error) {
        isOver = true
        return { problem: toProblem(error) }
      }
    },
    cancel: () => turns.leave(),
    release: () => turns.call?.release(),
  }
}

/** What an answer brings back of the request, with the long data that was left out of it. */
export const withLongData = ({ received }: TranslatePlan, answer: Answer): Answer =>
  received.isLifted && typeof answer.body === 'string'
    ? { ...answer, body: received.filled(answer.body) }
    : answer
