import { encoded, utf8Text, wholeBytes } from '../../json/bytes.ts'
import { isMade, mayMend, withMadeKey } from '../../keys/made.ts'
import { lossKey, lossList } from '../../model/loss.ts'
import type { Send, UpstreamResponse } from '../../ports.ts'
import { reframed } from '../../stream/eventstream.ts'
import { toSource } from '../../stream/source.ts'
import { timer } from '../../stream/time.ts'
import type { SayFrame } from '../../stream/codec.ts'
import type { CallContext, Piece, UpstreamCall } from '../../upstream/call.ts'
import type { SentRequest } from '../../upstream/request.ts'
import type { AdmittedRequest, Context } from '../exchange.ts'
import { isSuccess, refuseLosses } from '../answers/refusal.ts'
import { learnBetas, refusing } from '../request/learnt.ts'
import type { Plan } from '../request/plan.ts'

type Once = () => Promise<UpstreamCall>

const FRAMES = /^application\/vnd\.amazon\.eventstream\b/i

/** The exchange as a call needs it, with streams of Amazon's frames as the events of the dialect. */
export function callContext(context: Context, plan: Plan): CallContext {
  const { adapter, upstream } = plan.destination
  const { say } = adapter.upstream.forms?.[upstream.form ?? ''] ?? {}
  if (!say) return context
  const { ports, signal, journal } = context
  return { signal, journal, ports: { ...ports, send: saying(ports.send, say) } }
}

function saying(send: Send, say: SayFrame): Send {
  return async (request) => {
    const reply = await send(request)
    const { body, headers } = reply
    if (!body || !FRAMES.test(headers.get('content-type') ?? '')) return reply
    return { ...reply, headers: withType(headers), body: reframed(toSource(body), say) }
  }
}

const withType = (headers: UpstreamResponse['headers']): UpstreamResponse['headers'] => ({
  get: (name) => (name.toLowerCase() === 'content-type' ? 'text/event-stream' : headers.get(name)),
  ...(headers.keys && { keys: () => headers.keys?.() ?? [] }),
})

/** Whether the upstream may have to be asked twice, or its key has to be made first. */
export const isDemanding = ({ destination: { upstream, target } }: Plan): boolean =>
  upstream.form !== undefined || isMade(upstream) || target.facts.server?.betas !== undefined

/**
 * Asks with a key that is made, and once more where the refusal says what would have been taken: another key, or not
 * that beta. Nothing was done before such a refusal.
 */
export async function askAgain(
  admitted: AdmittedRequest,
  plan: Plan,
  sent: SentRequest,
  once: Once,
): Promise<UpstreamCall> {
  const call = await askWithKey(admitted.ports, plan, sent, once)
  return call.status === REFUSED && plan.destination.target.facts.server?.betas
    ? askWithoutBetas(admitted, plan, sent, call, once)
    : call
}

const REFUSED = 400

async function askWithKey(
  ports: Context['ports'],
  { destination: { upstream } }: Plan,
  sent: SentRequest,
  once: Once,
): Promise<UpstreamCall> {
  if (!isMade(upstream)) return once()
  await withMadeKey(sent, upstream, ports)
  const call = await once()
  if (isSuccess(call.status) || !mayMend(call, sent, upstream, ports)) return call
  call.release()
  await withMadeKey(sent, upstream, ports)
  return once()
}

/** A cloud that names the beta which it does not take is not sent that one again, while this process lives. */
async function askWithoutBetas(
  admitted: AdmittedRequest,
  plan: Plan,
  sent: SentRequest,
  refused: UpstreamCall,
  once: Once,
): Promise<UpstreamCall> {
  const { adapter } = plan.destination
  const { betas: rules } = adapter.upstream
  const { said, call } = await heldRefusal(refused)
  const text = utf8Text(wholeBytes(sent.body))
  const request = { headers: sent.headers, body: text }
  const names = rules?.refused(said, request) ?? []
  if (!rules || names.length === 0) return call
  learnBetas(admitted, plan.destination, names)
  const { lose, losses } = lossList()
  const { headers, body } = rules.sift(request, { betas: refusing(names) }, lose)
  const known = new Set(plan.losses.map(lossKey))
  plan.losses = [...plan.losses, ...losses.filter((loss) => !known.has(lossKey(loss)))]
  admitted.journal.note({ losses: plan.losses })
  if (admitted.settings.losses === 'reject') refuseLosses(plan.losses)
  call.release()
  Object.assign(sent, { headers, ...(body !== text && { body: encoded(body) }) })
  // What was signed has changed.
  return askWithKey(admitted.ports, plan, sent, once)
}

const MOST_BYTES = 65_536
const MOST_MS = 3000

/** The words of a refusal, and the call as if nothing had been read of it. */
async function heldRefusal(call: UpstreamCall): Promise<{ said: string; call: UpstreamCall }> {
  const clock = timer(() => call.cancel(), MOST_MS)
  const held: NonNullable<Piece>[] = []
  const decoder = new TextDecoder()
  let said = ''
  for (let size = 0; size < MOST_BYTES;) {
    const piece = await call.read()
    if (!piece) break
    held.push(piece)
    if (piece.problem) break
    size += piece.bytes.length
    said += decoder.decode(piece.bytes, { stream: true })
  }
  clearTimeout(clock)
  return { said, call: { ...call, read: async () => held.shift() ?? call.read() } }
}
