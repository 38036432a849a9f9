import type { Lookup } from '../../model/lookup.ts'

/** Headers of every page: a page shows what models say, which is hostile text. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * Whether a request comes from the page itself. A page whose name server maps its own name to this machine (DNS
 * rebinding) has that name in `Host`; other pages are told by `Origin` or `Sec-Fetch-Site`.
 */
export function isOwnPage(headers: Lookup, port: number): boolean {
  const host = headers.get('host') ?? ''
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  if (!names.includes(host)) return false
  const origin = headers.get('origin')
  if (origin !== null && origin !== `http://${host}`) return false
  const site = headers.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}
