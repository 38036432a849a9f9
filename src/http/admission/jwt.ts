import type { JwtSettings } from '../../config/settings.ts'
import { isObject, parseObject, type JsonObject } from '../../json/json.ts'
import { utf8Text } from '../../json/bytes.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import type { Ports } from '../../ports.ts'
import { smallAnswer } from './small-answer.ts'

/** The names of WebCrypto for an algorithm, and the kind of key that goes with it (RFC 7518, section 3.1; RFC 8037). */
interface Algorithm {
  key: { kty: string; crv?: string }
  imported: { name: string; hash?: string; namedCurve?: string }
  verified: { name: string; hash?: string; saltLength?: number }
}

const rsa = (name: string, bits: number, saltLength?: number): Algorithm => ({
  key: { kty: 'RSA' },
  imported: { name, hash: `SHA-${bits}` },
  verified: { name, ...(saltLength !== undefined && { saltLength }) },
})

const elliptic = (crv: string, bits: number): Algorithm => ({
  key: { kty: 'EC', crv },
  imported: { name: 'ECDSA', namedCurve: crv },
  verified: { name: 'ECDSA', hash: `SHA-${bits}` },
})

const PKCS = 'RSASSA-PKCS1-v1_5'

/**
 * No algorithm with a shared secret is among them, nor none at all: who knows a public key would sign with it. Which one
 * holds is decided by the key, which has to be of its kind.
 */
const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = new Map([
  ['RS256', rsa(PKCS, 256)],
  ['RS384', rsa(PKCS, 384)],
  ['RS512', rsa(PKCS, 512)],
  ['PS256', rsa('RSA-PSS', 256, 32)],
  ['PS384', rsa('RSA-PSS', 384, 48)],
  ['PS512', rsa('RSA-PSS', 512, 64)],
  ['ES256', elliptic('P-256', 256)],
  ['ES384', elliptic('P-384', 384)],
  ['ES512', elliptic('P-521', 512)],
  [
    'EdDSA',
    {
      key: { kty: 'OKP', crv: 'Ed25519' },
      imported: { name: 'Ed25519' },
      verified: { name: 'Ed25519' },
    },
  ],
])

const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether a key that was presented may be a token. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** Keys are asked for again when they are so old, and for an unknown one no sooner than after a pause. */
const FRESH_MS = 600_000
const PAUSE_MS = 30_000
const PATIENCE_MS = 5000
const MOST_BYTES = 1_048_576
/** Keys that a token without `kid` is tried with. */
const MOST_TRIED = 8
/** A modulus of 2048 bits has so many characters. */
const SHORTEST_MODULUS = 342
const MOST_KNOWN = 1000

/** A token with a valid signature. */
export interface Verified {
  name: string
  /** The end of its time, in milliseconds since 1970. */
  expiresAt: number
}

/** Undefined for a token that is not good. Rejects with ProblemError where no keys can be had. */
export type VerifyToken = (token: string) => Promise<Verified | undefined>

type JwtPorts = Pick<Ports, 'send' | 'now'>

export function tokenVerifier(settings: JwtSettings, ports: JwtPorts): VerifyToken {
  const keys = new KeySet(settings.jwks, ports)
  const known = new Map<string, Verified>()
  return async (token) => {
    const before = known.get(token)
    if (before && keys.isFresh) return before
    const [head = '', body = '', signature = ''] = token.split('.')
    const header = objectIn(head)
    const claims = objectIn(body)
    const algorithm = ALGORITHMS.get(header?.['alg'])
    // Extensions that have to be understood are not (RFC 7515, section 4.1.11).
    if (!header || !claims || !algorithm || header['crit'] !== undefined) return undefined
    const verified = readClaims(claims, settings, ports.now())
    if (!verified) return undefined
    const signed = new TextEncoder().encode(`${head}.${body}`)
    for (const key of await keys.fitting(header, algorithm)) {
      if (!(await isSigned(key, algorithm, bytesIn64(signature), signed))) continue
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(token, verified)
      return verified
    }
    return undefined
  }
}

const LONGEST_NAME = 128
/** Clocks differ a little. */
const LEEWAY_MS = 60_000

/** What the claims say of the caller; undefined where they are for another audience, or not yet good. */
function readClaims(claims: JsonObject, settings: JwtSettings, now: number): Verified | undefined {
  const { iss, aud, exp, nbf } = claims
  const audiences = [aud].flat()
  if (iss !== settings.issuer || typeof exp !== 'number') return undefined
  if (!audiences.some((each) => typeof each === 'string' && settings.audience.includes(each)))
    return undefined
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= now + LEEWAY_MS))
    return undefined
  const name = claims[settings.name]
  if (typeof name !== 'string' || !/^[\x20-\x7e]+$/.test(name) || name.length > LONGEST_NAME)
    return undefined
  return { name, expiresAt: exp * 1000 }
}

async function isSigned(
  key: PublicKey,
  { verified }: Algorithm,
  signature: Uint8Array<ArrayBuffer> | undefined,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return signature !== undefined && crypto.subtle.verify(verified, key, signature, signed)
}

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** The keys behind one address. */
class KeySet {
  readonly #address: string
  readonly #ports: JwtPorts
  #keys: readonly JsonObject[] | undefined
  #askedAt = -Infinity
  #imported = new Map<string, Promise<PublicKey | undefined>>()

  constructor(address: string, ports: JwtPorts) {
    this.#address = address
    this.#ports = ports
  }

  get isFresh(): boolean {
    return this.#ports.now() - this.#askedAt <= FRESH_MS
  }

  async fitting(header: JsonObject, algorithm: Algorithm): Promise<PublicKey[]> {
    const age = this.#ports.now() - this.#askedAt
    if (!this.#keys || age > FRESH_MS) await this.#fetch()
    let found = this.#matching(header, algorithm)
    if (found.length === 0 && age > PAUSE_MS && age <= FRESH_MS) {
      await this.#fetch()
      found = this.#matching(header, algorithm)
    }
    const keys = await Promise.all(found.map((key) => this.#import(key, algorithm)))
    return keys.filter((key) => key !== undefined)
  }

  #matching({ kid, alg }: JsonObject, { key: { kty, crv } }: Algorithm): JsonObject[] {
    const fits = (key: JsonObject): boolean =>
      key['kty'] === kty &&
      (crv === undefined || key['crv'] === crv) &&
      (kid === undefined || key['kid'] === kid) &&
      (key['alg'] === undefined || key['alg'] === alg) &&
      (key['use'] === undefined || key['use'] === 'sig') &&
      (kty !== 'RSA' || String(key['n']).length >= SHORTEST_MODULUS)
    return (this.#keys ?? []).filter(fits).slice(0, MOST_TRIED)
  }

  /** Only the public members: a private key in the set must not be kept. */
  #import(key: JsonObject, { imported }: Algorithm): Promise<PublicKey | undefined> {
    const jwk = Object.fromEntries(
      ['kty', 'crv', 'n', 'e', 'x', 'y'].flatMap((name) =>
        name in key ? [[name, key[name]]] : [],
      ),
    )
    const place = JSON.stringify([imported, jwk])
    const known = this.#imported.get(place)
    if (known) return known
    const made = crypto.subtle
      .importKey('jwk', jwk, imported, false, ['verify'])
      .catch(() => undefined)
    this.#imported.set(place, made)
    return made
  }

  /** Keys that are there stay where new ones cannot be had. */
  async #fetch(): Promise<void> {
    this.#askedAt = this.#ports.now()
    try {
      this.#keys = await fetchKeys(this.#address, this.#ports)
      this.#imported = new Map()
    } catch {
      if (!this.#keys) throw new ProblemError(NO_KEYS)
    }
  }
}

const NO_KEYS: Problem = {
  kind: 'unavailable',
  message: 'The keys by which callers are known cannot be had at the moment.',
  code: 'jwks_unavailable',
  retryAfterMs: 1000,
}

/** Rejects for anything but a set of keys. */
async function fetchKeys(url: string, ports: JwtPorts): Promise<JsonObject[]> {
  const headers = { accept: 'application/json' }
  const bounds = { ms: PATIENCE_MS, bytes: MOST_BYTES }
  const { status, text } = await smallAnswer(ports, { method: 'GET', url, headers }, bounds)
  const keys = parseObject(text)?.['keys']
  if (status !== 200 || !Array.isArray(keys)) throw new Error('no set of keys')
  return keys.filter(isObject)
}

const objectIn = (part: string): JsonObject | undefined => {
  const bytes = bytesIn64(part)
  return bytes && parseObject(utf8Text(bytes))
}

function bytesIn64(part: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(text, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
