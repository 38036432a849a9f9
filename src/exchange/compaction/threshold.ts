import { ofSummary, summaryEvents, type SummaryHeard } from '../../compaction/heard.ts'
import { afterSummary } from '../../compaction/since.ts'
import { summaryTurn } from '../../compaction/turn.ts'
import { parse } from '../../json/json.ts'
import type { Event } from '../../model/events.ts'
import { ProblemError } from '../../model/problem.ts'
import { addUsage } from '../../observe/entry.ts'
import { estimateTokens } from '../../rules/estimate.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import type { SentRequest } from '../../upstream/request.ts'
import { isSuccess, readRefusal } from '../answers/refusal.ts'
import type { Context } from '../exchange.ts'
import { allBytes } from '../reply/pass.ts'
import type { SummaryPlan, TranslatePlan } from '../request/plan.ts'
import { callWithEvents } from './call.ts'
import { stepsOf } from './steps.ts'
import { SummaryTurns, type AskUpstream } from './turns.ts'

/** An estimate is wrong by less than this factor, so that most turns need no count. */
const FAR = 2
/** How much of what the threshold leaves the end of the conversation may have. */
const TAIL = 0.5

/** The plan of a turn that needs no summary; undefined where it is longer than its threshold. */
export async function planWithin(
  context: Context,
  plan: TranslatePlan,
  summary: SummaryPlan,
  ask: AskUpstream,
): Promise<TranslatePlan | undefined> {
  const { above = 0 } = summary
  if ((await countInput(context, summary, above, ask)) > above) return undefined
  const { summary: _, ...rest } = plan
  const losses = plan.losses.filter(({ path }) => path !== 'compaction')
  return { ...rest, losses, destination: { ...plan.destination, adapter: summary.adapter } }
}

async function countInput(
  context: Context,
  { of, adapter, counter }: SummaryPlan,
  above: number,
  ask: AskUpstream,
): Promise<number> {
  const estimate = estimateTokens(of)
  if (!counter || estimate * FAR < above || estimate > above * FAR) return estimate
  const call = await ask(counter)
  if (!isSuccess(call.status)) {
    call.release()
    return estimate
  }
  const text = new TextDecoder().decode(await allBytes(context, call))
  return adapter.upstream.readTokenCount(parsed(text)) ?? estimate
}

function parsed(text: string) {
  try {
    return parse(text)
  } catch {
    return null
  }
}

/** Asks for the summary, and then for the turn that goes on from it, unless the caller wants to see it first. */
export async function callAboveThreshold(
  context: Context,
  plan: TranslatePlan,
  summary: SummaryPlan,
  ask: AskUpstream,
): Promise<UpstreamCall> {
  const { above = 0, asking, of, channel, write } = summary
  const turns = new SummaryTurns(context, plan, summary, ask)
  const first = await turns.begin(write(summaryTurn(of, asking)))
  const steps = async function* (): AsyncGenerator<Event[]> {
    const heard = await turns.heard()
    const { id, model, words } = heard
    yield [{ type: 'start', id, model }, ...summaryEvents(words)]
    if (of.compact?.pause) return yield ending(heard)
    turns.demandCaller()
    const call = await goOn(ask, plan, write(afterSummary(of, words, above * TAIL)), context)
    turns.call = call
    for await (const step of stepsOf(context, plan, summary, call))
      yield step.flatMap((event) => behindSummary(event, heard))
  }
  return callWithEvents(first, channel, turns, steps, plan.stream)
}

async function goOn(
  ask: AskUpstream,
  plan: TranslatePlan,
  sent: SentRequest,
  context: Context,
): Promise<UpstreamCall> {
  const call = await ask(sent)
  if (isSuccess(call.status)) return call
  context.journal.spared()
  throw new ProblemError((await readRefusal(context, plan, call)).problem)
}

const ending = ({ usage }: SummaryHeard): Event[] => [
  { type: 'usage', usage: ofSummary(usage) },
  { type: 'finish', reason: 'stop' },
]

/** The reply has begun already, and costs what both took. */
function behindSummary(event: Event, { usage }: SummaryHeard): Event[] {
  if (event.type === 'start') return []
  if (event.type !== 'usage') return [event]
  return [{ type: 'usage', usage: { ...addUsage(usage, event.usage), ...summaryIn(usage) } }]
}

const summaryIn = (usage: SummaryHeard['usage']) => {
  const { summary } = ofSummary(usage)
  return summary ? { summary } : {}
}
