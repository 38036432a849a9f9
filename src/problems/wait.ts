import { isObject, amountIn, type Json } from '../json/json.ts'
import type { Lookup } from '../model/lookup.ts'

/**
 * Longer than limits last that are told with a wait. What an upstream says beyond it would keep a client, or a member
 * of a pool, away for ever.
 */
export const WAIT_BOUND_MS = 86_400_000

const bounded = (wait: number): number => Math.min(wait, WAIT_BOUND_MS)

/** How long to wait, where an upstream says it in the body: among the details of an error, or in its words. */
export function readWait(message: string, details?: Json): number | undefined {
  for (const detail of Array.isArray(details) ? details : []) {
    if (!isObject(detail)) continue
    const { retryDelay: delay, metadata } = detail
    const reset = isObject(metadata) ? metadata['quotaResetDelay'] : undefined
    const found = milliseconds(delay) ?? milliseconds(reset)
    if (found !== undefined) return found
  }
  const [, minutes, amount, unit] = WORDS.exec(message) ?? []
  return total(Number(minutes ?? 0) * 60_000 + Number(amount ?? 0) * (unit === 'ms' ? 1 : 1000))
}

/** `Please try again in 1m20s`, `retry in 34.5s`, `reset after 373ms`. */
const WORDS =
  /(?:try again|retry|reset)\w*(?: in| after)\s+(?:(\d{1,6})m(?!s))?\s?(?:([\d.]{1,12})\s?(ms|s)\b)?/i

/** A duration as `34s`, `373.8ms` or `{seconds, nanos}`. */
function milliseconds(delay: Json | undefined): number | undefined {
  if (isObject(delay))
    return total(amountIn(delay['seconds'] ?? 0) * 1000 + amountIn(delay['nanos'] ?? 0) / 1_000_000)
  const text = typeof delay === 'string' ? delay : ''
  const [, amount, unit] = /^([\d.]{1,12})(ms|s)$/.exec(text) ?? []
  return total(Number(amount) * (unit === 's' ? 1000 : 1))
}

/** A larger number would not be written in digits alone, as headers have to say it (RFC 9110, section 10.2.3). */
const total = (wait: number): number | undefined =>
  wait > 0 && Number.isSafeInteger(Math.ceil(wait)) ? bounded(Math.ceil(wait)) : undefined

/** The wait that a header names: in milliseconds, in seconds, or as a date. */
export function headerWait(headers: Lookup, now: number): number | undefined {
  const fine = headers.get('retry-after-ms') ?? ''
  if (AMOUNT.test(fine)) return bounded(Number(fine))
  const coarse = headers.get('retry-after') ?? ''
  if (AMOUNT.test(coarse)) return bounded(Number(coarse) * 1000)
  // `Date.parse` reads a bare number as a year.
  const date = /[a-z]/i.test(coarse) ? Date.parse(coarse) : Number.NaN
  return Number.isNaN(date) ? undefined : bounded(Math.max(0, date - now))
}

const AMOUNT = /^\d{1,12}(?:\.\d{0,12})?$/
