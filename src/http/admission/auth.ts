import { ProblemError, type Problem } from '../../model/problem.ts'
import type { Admission } from '../../upstream/credentials.ts'
import type { ReceivedRequest } from '../request-head.ts'
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

/** Admits a caller that presents a known key; throws ProblemError. */
export function authenticate(context: AppContext, received: ReceivedRequest): Admission {
  const { request, head } = received
  const admission = context.admit(request.headers, head.query)
  const { admitted, expired, caller } = admission
  // Whose key is over the log says too, because that caller is about to ask why.
  if (admitted || expired) received.journal.note({ caller: caller.name })
  if (!admitted) throw new ProblemError(expired ? EXPIRED_KEY : UNKNOWN_KEY)
  return admission
}
