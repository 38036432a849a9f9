import { Received } from '../exchange/received.ts'
import type { Answer } from '../exchange/exchange.ts'
import type { Tasks } from '../exchange/tasks.ts'
import { type Admission, mayUse } from '../upstream/credentials.ts'
import { askBefore } from './admission/before.ts'
import type { AppContext } from './app-context.ts'
import { readBody } from './read-body.ts'
import type { Arrival } from './request-head.ts'

/** What passes this request on; undefined where no upstream lists its path. */
export const passingAt = (
  { settings, tasks }: AppContext,
  { head, explain }: Arrival,
): Tasks | undefined =>
  !explain && head.method === 'POST' && tasks?.isPassedOn(settings, head.path) ? tasks : undefined

/**
 * Passes a request on that is no conversation; undefined where the upstream of its model does not list the path. Throws
 * ProblemError.
 */
export async function answerEndpoint(
  context: AppContext,
  tasks: Tasks,
  arrival: Arrival,
  { caller, credential, identity }: Admission,
): Promise<Answer | undefined> {
  const { settings, ports, pools, load, use } = context
  const { request, head, journal } = arrival
  journal.note({ operation: 'task' })
  await use?.enter(caller, journal)
  journal.onEnd(load.enter())
  const lease = load.lease()
  journal.onEnd(() => lease.release())
  const { bytes, tokens, size } = new Received(
    await readBody(request, settings.limits, lease, ports),
  )
  journal.note({ bytesIn: size })
  journal.received()
  const { before } = settings
  if (before) await askBefore(before, context, arrival, { caller: caller.name, bytes: size })
  await use?.reserve(caller, { tokens, usd: () => 0 }, journal)
  return tasks.passOn({
    settings,
    ports,
    pools,
    path: head.path,
    request,
    body: bytes,
    tokens,
    credential,
    identity,
    signal: request.signal,
    journal,
    mayUse: (model) => mayUse(caller, model),
  })
}
