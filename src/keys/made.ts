import type { MadeKey, UpstreamSettings } from '../config/settings.ts'
import { ProblemError } from '../model/problem.ts'
import { CallError, type UpstreamCall } from '../upstream/call.ts'
import type { SentRequest } from '../upstream/request.ts'
import { createSecrets } from '../upstream/secrets.ts'
import { sign } from './signature.ts'
import { forgetToken, tokenOf, type Fetching } from './tokens.ts'

type Keyed = UpstreamSettings & { made: MadeKey }

/** Whether the key of an upstream is made here. */
export const isMade = (upstream: UpstreamSettings): upstream is Keyed => upstream.made !== undefined

/**
 * Puts the key into a request that is about to go, behind all that changes it. Throws CallError where there is none: the
 * upstream was not asked.
 */
export async function withMadeKey(
  sent: SentRequest,
  upstream: Keyed,
  ports: Fetching,
  method: string = sent.method,
): Promise<void> {
  const { made, headers, secretQuery } = upstream
  if (made.kind === 'signature') {
    const now = ports.now() + (offsets.get(made) ?? 0)
    sent.headers = { ...sent.headers, ...(await sign({ ...sent, method }, made, now)) }
    const { id, secret } = made
    sent.secrets = createSecrets(made.session, headers, { ...secretQuery, id, secret })
    return
  }
  const token = await tokenOf(made, upstream, ports).catch((error: unknown) => {
    throw error instanceof ProblemError ? new CallError(error.problem, 'connect') : error
  })
  sent.headers = { ...sent.headers, authorization: `Bearer ${token}` }
  sent.secrets = createSecrets(token, headers, secretQuery)
}

/** By how many milliseconds the clock of a service is ahead of the one here. */
const offsets = new WeakMap<MadeKey, number>()
/** Further apart a signature is refused. */
const MOST_APART_MS = 240_000

/** Whether a refusal is one that another key may mend: a token that has ended early, or a clock that is off. */
export function mayMend(
  { status, headers }: Pick<UpstreamCall, 'status' | 'headers'>,
  sent: SentRequest,
  { made }: Keyed,
  { now }: Fetching,
): boolean {
  if (made.kind === 'token') {
    if (status !== UNAUTHORIZED) return false
    forgetToken(made, (sent.headers['authorization'] ?? '').replace(/^Bearer /, ''))
    return true
  }
  const there = status === FORBIDDEN ? Date.parse(headers.get('date') ?? '') : Number.NaN
  const offset = there - now()
  const isOff = Math.abs(offset - (offsets.get(made) ?? 0)) > MOST_APART_MS
  if (isOff) offsets.set(made, offset)
  return isOff
}

const UNAUTHORIZED = 401
const FORBIDDEN = 403
