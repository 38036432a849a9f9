import { estimateTokens } from '../../rules/estimate.ts'
import { parse, stringify } from '../../json/json.ts'
import type { Loss } from '../../model/loss.ts'
import { ProblemError } from '../../model/problem.ts'
import { replyHeaders } from '../answers/answer.ts'
import type { Answer, Exchange } from '../exchange.ts'
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
  exchange: Exchange,
  plan: Plan,
  ask: (sent: SentRequest) => Promise<UpstreamCall>,
): Promise<Answer> {
  if (!plan.sent) return estimated(exchange, plan)
  const call = await ask(plan.sent)
  if (NO_COUNTER.has(call.status)) {
    call.release()
    return estimated(exchange, plan)
  }
  if (!isSuccess(call.status)) {
    const refused = await placeRefusal(exchange, plan, await readRefusal(exchange, plan, call))
    if (exchange.isRepeatable) throw new RefusedError(refused, plan, call)
    throw new ProblemError(refused.problem)
  }
  if (plan.kind === 'pass') return passReply(exchange, plan, call)
  const tokens = plan.destination.adapter.upstream.readTokenCount(await readCount(exchange, call))
  return tokens === undefined
    ? estimated(exchange, plan)
    : counted(exchange, plan, tokens, plan.losses)
}

async function readCount(exchange: Exchange, call: UpstreamCall) {
  const bytes = await allBytes(exchange, call)
  try {
    return parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

function estimated(exchange: Exchange, plan: Plan): Answer {
  const request = plan.kind === 'translate' ? plan.request : plan.read()
  return counted(exchange, plan, estimateTokens(request), [...plan.losses, ESTIMATED])
}

function counted(exchange: Exchange, plan: Plan, tokens: number, losses: readonly Loss[]): Answer {
  const body = stringify(exchange.caller.caller.writeTokenCount(tokens))
  exchange.journal.finish({ status: 200, losses })
  const headers = replyHeaders(plan, undefined, losses)
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}
