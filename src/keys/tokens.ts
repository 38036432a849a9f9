import { encoded } from '../json/bytes.ts'
import { isObject, parseObject } from '../json/json.ts'
import type { Assertion, TokenKey, UpstreamSettings } from '../config/settings.ts'
import { ProblemError, type Problem } from '../model/problem.ts'
import type { Ports } from '../ports.ts'
import { SILENT, within } from '../stream/time.ts'
import { toSource } from '../stream/source.ts'

interface Token {
  value: string
  /** Milliseconds since 1970. */
  endsAt: number
  renewsAt: number
}

/** What is known of a token: the one that is used, and the one that is being fetched. */
interface State {
  token?: Token | undefined
  coming?: Promise<Token> | undefined
}

/** By the settings of the key, which are the same object for each request to an upstream. */
const states = new WeakMap<TokenKey, State>()

const SECOND_MS = 1000
const EARLY_MS = 300 * SECOND_MS
/** What is left of a short life when its token is renewed. */
const EARLY_PART = 0.1
const USUAL_LIFE_S = 3600
const FETCH_MS = 10 * SECOND_MS
/** After a failure a token that is still good is not renewed at once. */
const AGAIN_MS = 10 * SECOND_MS
const MOST_BYTES = 65_536

export type Fetching = Pick<Ports, 'send' | 'now'>

/** A token that is good: fetched once for all who wait, and ahead of the end of the last one. Throws ProblemError. */
export async function tokenOf(
  key: TokenKey,
  upstream: Pick<UpstreamSettings, 'name' | 'proxy' | 'timeouts'>,
  ports: Fetching,
): Promise<string> {
  const state = states.get(key) ?? {}
  states.set(key, state)
  const { token } = state
  if (token && ports.now() < token.renewsAt) return token.value
  try {
    return (await share(state, () => fetchToken(key, upstream, ports))).value
  } catch (error) {
    if (!token || token.endsAt <= ports.now() || state.token !== token) throw error
    token.renewsAt = Math.min(token.endsAt, ports.now() + AGAIN_MS)
    return token.value
  }
}

/** Forgets a token that was refused, unless another one has come since. */
export function forgetToken(key: TokenKey, refused: string): void {
  const state = states.get(key)
  if (state?.token?.value === refused) state.token = undefined
}

/** On Workers a request that fetches may end without another word, so that others wait only as long as a fetch may take. */
async function share(state: State, fetchOne: () => Promise<Token>): Promise<Token> {
  const before = state.coming
  const come = before && (await within(before, FETCH_MS))
  if (come && come !== SILENT) return come
  const own = fetchOne()
  state.coming = own
  try {
    return (state.token = await own)
  } finally {
    if (state.coming === own) state.coming = undefined
  }
}

async function fetchToken(
  key: TokenKey,
  { name, proxy, timeouts }: Pick<UpstreamSettings, 'name' | 'proxy' | 'timeouts'>,
  { send, now }: Fetching,
): Promise<Token> {
  const began = now()
  const request = await requestFor(key, began)
  const fail = (why: string): never => {
    throw new ProblemError(noToken(name, why))
  }
  const reply = await send({
    ...request,
    url: key.url,
    signal: AbortSignal.timeout(FETCH_MS),
    connectMs: Math.min(timeouts.connectMs, FETCH_MS),
    // The token of a machine is at the machine.
    ...(proxy !== undefined && key.form && { proxy }),
  }).catch(() => fail('no answer'))
  const text = reply.body ? await textOf(reply.body).catch(() => fail('no answer')) : ''
  const said = parseObject(text)
  const value = said?.['access_token']
  const isGood = reply.status === 200 && typeof value === 'string' && TOKEN.test(value)
  if (!isGood) return fail([reply.status, codeIn(said)].filter(Boolean).join(' '))
  const life = Number(said?.['expires_in'])
  const lifeMs = (life > 0 ? life : USUAL_LIFE_S) * SECOND_MS
  const endsAt = began + lifeMs
  return { value, endsAt, renewsAt: endsAt - Math.min(EARLY_MS, lifeMs * EARLY_PART) }
}

const TOKEN = /^[\x21-\x7e]{1,16384}$/

/** It says the place, and nothing of what was sent there or of what came back but a code. */
const noToken = (upstream: string, why: string): Problem => ({
  kind: 'unavailable',
  message: `no token for upstream ${upstream}: ${why}`,
})

/** `invalid_grant`, as all such services say it (RFC 6749, section 5.2). */
function codeIn(said: unknown): string {
  const code = isObject(said) ? said['error'] : undefined
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : ''
}

async function textOf(body: Parameters<typeof toSource>[0]): Promise<string> {
  const source = toSource(body)
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = await source.read(); bytes; bytes = await source.read()) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length <= MOST_BYTES) continue
    source.cancel()
    return ''
  }
  return text + decoder.decode()
}

const FORM = 'application/x-www-form-urlencoded'

async function requestFor({ form, assertion }: TokenKey, now: number) {
  const proof = assertion && { grant_type: JWT, assertion: await assertionOf(assertion, now) }
  const posted = form ?? proof
  if (!posted) return { method: 'GET', headers: { 'metadata-flavor': 'Google' } }
  const headers = { 'content-type': FORM, accept: 'application/json' }
  return { method: 'POST', headers, body: encoded(String(new URLSearchParams(posted))) }
}

const JWT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const ASSERTED_S = 3600

/** What a service account signs to be given a token (@ai-sdk/google-vertex 4.0.208, edge). */
async function assertionOf({ email, key, keyId, audience }: Assertion, now: number) {
  const iat = Math.floor(now / SECOND_MS)
  const head = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) }
  const claims = { iss: email, scope: SCOPE, aud: audience, iat, exp: iat + ASSERTED_S }
  const text = [head, claims].map((part) => base64url(encoded(JSON.stringify(part)))).join('.')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const bytes = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0))
  const known = await crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign(algorithm.name, known, new Uint8Array(encoded(text)))
  return `${text}.${base64url(new Uint8Array(signature))}`
}

const base64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
