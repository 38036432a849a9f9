import { ProblemError, type Problem } from '../canonical/problem.ts'
import type { Arrival } from './arrival.ts'
import type { Site } from './site.ts'

const UNKNOWN_KEY: Problem = {
  kind: 'authentication',
  message: 'The key is missing or is none that this proxy knows.',
  code: 'invalid_api_key',
}

/** Lets in whoever presents a key that fits; throws ProblemError. What comes back may go to an upstream. */
export async function credentialOf(site: Site, arrival: Arrival): Promise<string | undefined> {
  const { request, incoming } = arrival
  const { admitted, credential } = await site.admit(request.headers, incoming.query)
  if (!admitted) throw new ProblemError(UNKNOWN_KEY)
  return credential
}
