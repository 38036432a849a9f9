import { ProblemError, type Problem } from '../../model/problem.ts'
import { type Admission, admissionBy, presentedKeys } from '../../upstream/credentials.ts'
import { isToken } from './jwt.ts'
import type { Arrival } from '../request-head.ts'
import type { AppContext } from '../app-context.ts'

export const UNKNOWN_KEY: Problem = {
  kind: 'authentication',
  message: 'The key is missing or is none that this proxy knows.',
  code: 'invalid_api_key',
  // Claude Code (2.1.330) would try again for minutes.
  retry: false,
}

const EXPIRED_KEY: Problem = {
  kind: 'authentication',
  message: 'The time of this key is over.',
  code: 'invalid_api_key',
  retry: false,
}

/** Admits a caller that presents a known key or a good token; rejects with ProblemError. */
export async function authenticate(context: AppContext, arrival: Arrival): Promise<Admission> {
  const { request, head } = arrival
  const byKey = context.admit(request.headers, head.query)
  const admission = byKey.admitted ? byKey : await admitByToken(context, arrival, byKey)
  const { admitted, expired, caller } = admission
  // Whose key is over the log says too, because that caller is about to ask why.
  if (admitted || expired) arrival.journal.note({ caller: caller.name })
  if (!admitted) throw new ProblemError(expired ? EXPIRED_KEY : UNKNOWN_KEY)
  return admission
}

async function admitByToken(
  { verifyToken, settings, ports }: AppContext,
  { request, head }: Arrival,
  otherwise: Admission,
): Promise<Admission> {
  const { callers } = settings
  if (!verifyToken || callers.kind !== 'keys') return otherwise
  const presented = presentedKeys(request.headers, head.query)
  for (const token of presented.filter(isToken)) {
    const verified = await verifyToken(token)
    if (!verified) continue
    const { name, expiresAt } = verified
    const caller = { name, limits: callers.limits }
    const beside = presented.find((key) => key !== token)
    const admission = admissionBy(callers.jwt?.issuer ?? '', caller, beside)
    const isOver = expiresAt <= ports.now()
    return isOver ? { ...admission, admitted: false, expired: true } : admission
  }
  return otherwise
}
