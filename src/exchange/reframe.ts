import type { Exchange } from './exchange.ts'
import type { PassPlan, TranslatePlan } from './plan.ts'
import { readRequest } from './read-request.ts'
import { isStreamType } from '../stream/reply-events.ts'
import type { UpstreamCall } from '../upstream/call.ts'

/**
 * An upstream of the caller's own dialect may stream what was asked for whole, or the other way round: then
 * its reply is read and written anew in the form that the caller can take. Undefined where the bytes can pass.
 */
export function gatherForBody(
  exchange: Exchange,
  plan: PassPlan,
  call: UpstreamCall,
): TranslatePlan | undefined {
  if (isAsAsked(exchange, plan, call.headers.get('content-type'))) return undefined
  const { destination, requested, stream, losses, sent } = plan
  try {
    const request = readRequest(exchange, exchange.body.text)
    return { kind: 'translate', destination, requested, stream, losses, sent, request }
  } catch {
    // The upstream understood what is not understood here: it is also to be believed about its answer.
    return undefined
  }
}

function isAsAsked({ route }: Exchange, plan: PassPlan, contentType: string | null): boolean {
  if (isStreamType(contentType)) return plan.stream && route.framing !== 'json-array'
  const isJson = /^application\/json\b/i.test(contentType ?? '')
  return !isJson || !plan.stream || route.framing === 'json-array'
}
