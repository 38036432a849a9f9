import { estimateTokens } from '../../rules/estimate.ts'
import { parse, stringify } from '../../json/json.ts'
import type { Loss } from '../../model/loss.ts'
import { ProblemError } from '../../model/problem.ts'
import { replyHeaders } from '../answers/answer.ts'
import type { Answer, Context } from '../exchange.ts'
import type { SentRequest } from '../../upstream/request.ts'
import { allBytes, passReply } from '../reply/pass.ts'
import type { Plan } from '../request/plan.ts'
import { isSuccess, placeRefusal, readRefusal, RefusedError } from '../answers/refusal.ts'
import type { UpstreamCall } from '../../upstream/call.ts'

/** Upstreams without a token counter answer with one of these statuses. */
const NO_COUNTER: ReadonlySet<number> = new Set([404, 405, 501])

const ESTIMATED: Loss = {
  code: 'approximated',
  path: 'usage.input',
  detail: 'estimated from the length of the text',
}

/** Counts with the upstream's own counter, or else estimates by the length of the text. */
export async function countTokens(
  context: Context,
  plan: Plan,
  ask: (sent: SentRequest) => Promise<UpstreamCall>,
): Promise<Answer> {
  if (!plan.sent) return estimated(context, plan)
  const call = await ask(plan.sent)
  if (NO_COUNTER.has(call.status)) {
    call.release()
    return estimated(context, plan)
  }
  if (!isSuccess(call.status)) {
    const refused = await placeRefusal(context, plan, await readRefusal(context, plan, call))
    if (plan.isRepeatable) throw new RefusedError(refused, plan, call)
    throw new ProblemError(refused.problem)
  }
  if (plan.kind === 'pass') return passReply(context, plan, call)
  const tokens = plan.destination.adapter.upstream.readTokenCount(await readCount(context, call))
  return tokens === undefined
    ? estimated(context, plan)
    : counted(context, plan, tokens, plan.losses)
}

async function readCount(context: Context, call: UpstreamCall) {
  const bytes = await allBytes(context, call)
  try {
    return parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

function estimated(context: Context, plan: Plan): Answer {
  const request = plan.kind === 'translate' ? plan.request : plan.read()
  return counted(context, plan, estimateTokens(request), [...plan.losses, ESTIMATED])
}

function counted(context: Context, plan: Plan, tokens: number, losses: readonly Loss[]): Answer {
  const body = stringify(context.caller.caller.writeTokenCount(tokens))
  context.journal.finish({ status: 200, losses })
  const headers = replyHeaders(plan, undefined, losses)
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}
