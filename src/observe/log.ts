import { cachedShare, levelOf, type LogEntry, type ProcessEvent } from './entry.ts'

const VALUE_CHARACTERS = 256
const LOSSES_SHOWN = 20
/** Shorter secrets would mask ordinary words. */
const MIN_SECRET_CHARACTERS = 8

/** Control characters of both sets and the line separators: they forge lines, or drive a terminal. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu

export interface LogOptions {
  write(line: string): void
  now(): number
  /** How an entry becomes a line; JSON unless something else is wanted. */
  spell?: Spell | undefined
  /** Values that must never appear in an entry; they may change while the log is written. */
  secrets: readonly string[] | (() => readonly string[])
}

/** What a line of the log is about. */
export type Logged = LogEntry | ProcessEvent

/** The sink of the log: one line per entry. */
export function createLog(options: LogOptions): (entry: Logged) => void {
  const { secrets } = options
  const mask = typeof secrets === 'function' ? changing(secrets) : masker(secrets)
  // In this order: half a secret would not be found any more.
  const shorten: Shorten = (text) => capped(mask(text))
  const { write, now, spell = jsonLine } = options
  return (entry) => write(mask(spell(entry, new Date(now()).toISOString(), shorten)))
}

type Shorten = (text: string) => string

/** An entry and its time as a line, of which no text that came from outside is longer than `shorten` makes it. */
export type Spell = (entry: Logged, time: string, shorten: Shorten) => string

function changing(secrets: () => readonly string[]): (text: string) => string {
  let known = secrets()
  let mask = masker(known)
  return (text) => {
    const now = secrets()
    if (now !== known) mask = masker((known = now))
    return mask(text)
  }
}

function masker(all: readonly string[]): (text: string) => string {
  const secrets = all.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS)
  const masked = secrets
    .toSorted((first, second) => second.length - first.length)
    .map((secret) => secret.replace(/[^\w]/g, '\\$&'))
  if (masked.length === 0) return (text) => text
  const known = new RegExp(masked.join('|'), 'g')
  // To find none of a few words is what happens, and costs less than a pattern of them.
  return (text) =>
    secrets.some((secret) => text.includes(secret)) ? text.replace(known, '***') : text
}

/** Everything that is known of an exchange, or of what happens to the process. */
function jsonLine(entry: Logged, time: string, shorten: Shorten): string {
  const line = {
    time,
    level: levelOf(entry),
    ...('event' in entry ? entry : exchangeMembers(entry)),
  }
  const text = isDelicateLine(line) ? shortened(line, shorten) : JSON.stringify(line)
  return PLAIN.test(text) ? text : printable(text)
}

function exchangeMembers(entry: LogEntry): object {
  const { losses, ...rest } = entry
  const cached = entry.usage?.cacheRead === undefined ? undefined : cachedShare(entry.usage)
  return {
    event: 'exchange',
    ...rest,
    ...(cached !== undefined && { cached }),
    ...(losses?.length && { losses: lossTexts(entry) }),
  }
}

/** What is short need not be shortened, and leaves no half of a secret. */
const isDelicateLine = (line: object): boolean =>
  Object.values(line).some((value: unknown) =>
    Array.isArray(value) ? value.some(isDelicateMember) : isDelicate(value),
  )

/** A member of a list is a text, or an object of texts and numbers. */
const isDelicateMember = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? isDelicateLine(value) : isDelicate(value)

/** JSON spells quotes otherwise, and so a secret that has one. */
const isDelicate = (value: unknown): boolean =>
  typeof value === 'string' && (value.length > VALUE_CHARACTERS || /["\\]/.test(value))

const shortened = (line: object, shorten: Shorten): string =>
  JSON.stringify(line, (_, value: unknown) => (typeof value === 'string' ? shorten(value) : value))

/** Nearly every line is of visible ASCII. */
const PLAIN = /^[\x20-\x7e]*$/

/** The losses of an entry, a bounded number of them. */
export function lossTexts({ losses = [] }: LogEntry): string[] {
  const texts = losses.slice(0, LOSSES_SHOWN).map(({ code, path }) => `${code} ${path}`)
  return losses.length > LOSSES_SHOWN ? [...texts, `${losses.length - LOSSES_SHOWN} more`] : texts
}

const capped = (text: string): string =>
  text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS - 1)}…` : text

/** The text without anything that forges lines or drives a terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
