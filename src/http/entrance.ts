import { ProblemError, type Problem } from '../canonical/problem.ts'
import type { Admission } from '../gateway/credentials.ts'
import type { Arrival } from './arrival.ts'
import type { Site } from './site.ts'

const UNKNOWN_KEY: Problem = {
  kind: 'authentication',
  message: 'The key is missing or is none that this proxy knows.',
  code: 'invalid_api_key',
}

/** Lets in whoever presents a key that fits; throws ProblemError. */
export function admissionOf(site: Site, arrival: Arrival): Admission {
  const { request, incoming } = arrival
  const admission = site.admit(request.headers, incoming.query)
  if (!admission.admitted) throw new ProblemError(UNKNOWN_KEY)
  return admission
}
