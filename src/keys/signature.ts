import { encoded, wholeBytes, type Bytes } from '../json/bytes.ts'
import type { SignatureKey } from '../config/settings.ts'

/** What of a request is signed. */
export interface Signable {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: Bytes
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/**
 * Headers that are signed where they are there, beside those that the signature brings. Others may be changed on the way
 * (tracing, the encoding of a reply, the agent).
 */
const SIGNED = ['content-type'] as const

/** The headers of a signature, version 4 (@smithy/signature-v4 5.7.5). `now`: milliseconds since 1970. */
export async function sign(
  { method, url, headers, body }: Signable,
  { id, secret, region, service, session }: SignatureKey,
  now: number,
): Promise<Record<string, string>> {
  const { host, pathname, searchParams } = new URL(url)
  const time = timeOf(now)
  const hash = hex(await crypto.subtle.digest('SHA-256', buffer(wholeBytes(body))))
  const added = {
    'x-amz-content-sha256': hash,
    'x-amz-date': time,
    ...(session !== undefined && { 'x-amz-security-token': session }),
  }
  const present = SIGNED.filter((name) => headers[name] !== undefined)
  const own = present.map((name): [string, string] => [name, headers[name] ?? ''])
  const lines = [...own, ['host', host] as const, ...Object.entries(added)].toSorted(byName)
  const names = lines.map(([name]) => name).join(';')
  const canonical = [
    method,
    canonicalPath(pathname),
    canonicalQuery(searchParams),
    ...lines.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names,
    hash,
  ].join('\n')
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`
  const digest = hex(await crypto.subtle.digest('SHA-256', buffer(encoded(canonical))))
  const text = [ALGORITHM, time, scope, digest].join('\n')
  const signature = hex(await mac(await signingKey(secret, scope), text))
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** `20261128T000000Z`. */
const timeOf = (now: number): string => new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
  Number(one > other) - Number(one < other)

/** Every service but S3 encodes the path once more, as it stands in the address. */
const canonicalPath = (pathname: string): string => pathname.split('/').map(escaped).join('/')

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]): [string, string] => [escaped(name), escaped(value)])
    .toSorted(byNameAndValue)
    .map((pair) => pair.join('='))
    .join('&')

const byNameAndValue = (one: readonly [string, string], other: readonly [string, string]): number =>
  byName(one, other) || Number(one[1] > other[1]) - Number(one[1] < other[1])

/** `encodeURIComponent` leaves five signs that are reserved (RFC 3986, section 2.2). */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

async function signingKey(secret: string, scope: string): Promise<ArrayBuffer> {
  let key = buffer(encoded(`AWS4${secret}`))
  for (const part of scope.split('/')) key = await mac(key, part)
  return key
}

async function mac(key: ArrayBuffer, text: string): Promise<ArrayBuffer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const known = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return crypto.subtle.sign('HMAC', known, buffer(encoded(text)))
}

/** The bytes in memory of their own. */
const buffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
