import { Verbatim, type Json, type JsonObject } from '../json/json.ts'
import { wholeBytes } from '../json/bytes.ts'
import type { Exchange } from './exchange.ts'
import { masked, type AddressedRequest } from '../upstream/request.ts'
import type { Plan } from './plan.ts'
import { makePlan } from './planner.ts'

/** What would be sent for a request, and what would be lost on the way. Nothing is sent. */
export async function explainExchange(exchange: Exchange): Promise<JsonObject> {
  const plan = await makePlan(exchange)
  return {
    caller: exchange.caller.dialect,
    upstream: describeUpstream(plan),
    losses: plan.losses.map((loss) => ({ ...loss })),
  }
}

function describeUpstream({ destination, sent }: Plan): JsonObject {
  const { name, dialect } = destination.upstream
  if (!sent) return { name, dialect, method: null, url: null, headers: {}, body: null }
  const { url, headers } = masked(sent)
  return { name, dialect, method: sent.method, url, headers, body: sentBody(sent) }
}

/** As it would be sent, to the digit; a body that is no JSON is shown as the text that it is. */
function sentBody({ body }: AddressedRequest): Json {
  const text = new TextDecoder().decode(wholeBytes(body))
  try {
    JSON.parse(text)
    return new Verbatim(text)
  } catch {
    return text
  }
}
