import { invalid } from '../model/problem.ts'
import { VERSION } from '../version.ts'
import type { WrittenRequest } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { encoded, utf8Text, wholeBytes, withoutMark, type Bytes } from '../json/bytes.ts'
import { setMember } from '../json/json.ts'
import { placeKey, upstreamKey, type Placement } from './credentials.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import type { UpstreamSettings } from '../config/settings.ts'

/** A request to be sent, with its address and its key, and the secrets in it. */
export interface SentRequest<Body = Bytes> {
  method: string
  url: string
  headers: Record<string, string>
  body: Body
  secrets: Secrets
}

/** All headers are made here, so that no header of a caller reaches an upstream by chance. */
export function addressRequest(
  said: WrittenRequest<Bytes>,
  upstream: UpstreamSettings,
  { credential, stream }: { credential: string | undefined; stream: boolean },
): SentRequest {
  const key = upstreamKey(upstream.key, credential)
  const place = placeKey(upstream.auth, key)
  const { path, query = [], headers: own, body } = formed(said, upstream)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'user-agent': `dragoman/${VERSION}`,
    ...(upstream.trace && { traceparent: '' }),
    ...own,
    ...lowerCased(upstream.headers),
  }
  if (place.header) {
    const [name, value] = place.header
    headers[name] = value
  }
  return {
    method: 'POST',
    url: buildUrl(upstream, path, wholeQuery(query, upstream, place)),
    headers,
    body,
    secrets: createSecrets(key, upstream.headers, upstream.secretQuery),
  }
}

/** The request in the form in which the upstream takes it, where that is not the form of its dialect. */
function formed(
  request: WrittenRequest<Bytes>,
  { dialect, form }: Pick<UpstreamSettings, 'dialect' | 'form'>,
): WrittenRequest<Bytes> {
  if (form === undefined) return request
  const adapter = adapters.find((each) => each.dialect === dialect)
  const write = adapter?.upstream.forms?.[form]?.write
  if (!write) return request
  const text = utf8Text(withoutMark(wholeBytes(request.body)))
  const written = write({ query: [], ...request, body: text })
  return {
    ...request,
    ...written,
    body: written.body === text ? request.body : encoded(written.body),
  }
}

type Query = NonNullable<WrittenRequest['query']>

/** What the configuration says of the query beats what a caller says. */
function wholeQuery(
  query: Query,
  { query: configured }: UpstreamSettings,
  { query: key }: Placement,
): Query {
  if (!configured) return key ? [...query, key] : query
  const others = query.filter(([name]) => !Object.hasOwn(configured, name))
  return [...others, ...Object.entries(configured), ...(key ? [key] : [])]
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) setMember(lower, name.toLowerCase(), value)
  return lower
}

/** A path below the configured address, whose version replaces that of the path. */
export const placedPath = ({ version }: Pick<UpstreamSettings, 'version'>, path: string): string =>
  version === undefined
    ? path
    : path.replace(/^\/v1(?:beta)?(?=\/)/, version === '' ? '' : `/${version}`)

function buildUrl(upstream: UpstreamSettings, path: string, query: Query): string {
  const text = addresses.get(upstream)?.get(path) ?? addressOf(upstream, path)
  if (query.length === 0) return text
  return `${text}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`
}

/** By the paths of requests, of which most upstreams have one. */
const addresses = new WeakMap<UpstreamSettings, Map<string, string>>()
const MOST_KNOWN = 64
const LONGEST_KNOWN = 256

function addressOf(upstream: UpstreamSettings, path: string): string {
  const wanted = placedPath(upstream, path)
  const text = new URL(upstream.base).href.replace(/\/$/, '') + wanted
  // A model's name that leaves its path segment (`..`, `?`) would reach another endpoint with the proxy's key.
  if (!isPlainPath(wanted) && (new URL(text).href !== text || /[?#]/.test(wanted)))
    throw invalid('The name of the model cannot be part of a path.', 'model')
  const known = addresses.get(upstream) ?? new Map<string, string>()
  if (known.size >= MOST_KNOWN) known.clear()
  if (path.length <= LONGEST_KNOWN) addresses.set(upstream, known.set(path, text))
  return text
}

/** A path that URL parsers leave unchanged: no segment begins with a dot. */
const isPlainPath = (path: string): boolean => /^(?:\/[\w:@~-][\w.:@~-]*)+$/.test(path)

const MASK = '***'

/** The request without secrets, to be shown to a person. Any name of a header may stand for a secret. */
export function masked(sent: SentRequest): { url: string; headers: Record<string, string> } {
  const url = new URL(sent.url)
  const query = sent.secrets.hide(url.search.replace(/([?&]key=)[^&]*/g, `$1${MASK}`))
  const headers = Object.entries(sent.headers).map(([name, value]) => [
    name,
    SECRET.test(name) ? maskedCredential(value) : sent.secrets.hide(value),
  ])
  return { url: url.origin + url.pathname + query, headers: Object.fromEntries(headers) }
}

const SECRET = /auth|key|token|secret|cookie|password/

const maskedCredential = (value: string): string =>
  value.startsWith('Bearer ') ? `Bearer ${MASK}` : MASK
