import type { Lookup } from '../model/lookup.ts'

const SHORTEST = 8

/** The headers in which callers send keys. */
const PRESENTED = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie'] as const

/** What a caller sent as a key; it is hidden wherever it stands. */
export function presentedSecrets(headers: Lookup, query: URLSearchParams): string[] {
  const values = PRESENTED.flatMap((name) => headers.get(name) ?? [])
  const parts = values.flatMap((value) => [value, ...value.split(/[\s=;,]+/)])
  return [...new Set([...parts, ...query.getAll('key')])].filter((part) => part.length >= SHORTEST)
}

const SECRET_HEADER = /auth|key|token|secret|cookie|password|credential|signature/i
const SECRET_PARAMETER = /([?&][^=&]*(?:key|token|secret|signature|password)[^=&]*=)[^&]*/gi

/** The entries of headers. */
export const entriesOf = (headers: Lookup & { keys?(): Iterable<string> }): [string, string][] =>
  [...(headers.keys?.() ?? [])].map((name) => [name, headers.get(name) ?? ''])

export type ShownHeaders = [name: string, value: string][]

/** Headers as the page shows them, without the values of those that hold keys. */
export function shownHeaders(headers: Iterable<readonly [string, string]>): ShownHeaders {
  return [...headers].map(([name, value]) => [name, isSecret(name) ? '***' : value])
}

/** `x-ratelimit-remaining-tokens` holds a count and no secret. */
const isSecret = (name: string): boolean =>
  SECRET_HEADER.test(name) && !/ratelimit|rate-limit|max-tokens/i.test(name)

/** An address without the values of parameters that hold keys. */
export const shownUrl = (url: string): string => url.replace(SECRET_PARAMETER, '$1***')
