import { lossCount } from '../model/loss.ts'
import { shownUsd } from './cost.ts'
import { ATTEMPTS_SHOWN, cachedShare, levelOf, type LogEntry, type ProcessEvent } from './entry.ts'

const VALUE_CHARACTERS = 256
const LOSSES_SHOWN = 20
/** Shorter secrets would also mask ordinary words. */
const MIN_SECRET_CHARACTERS = 8

/** Control characters, line separators and marks of direction: they can forge lines, or control a terminal. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu

export interface LogOptions {
  /** Writes a line, or several, each but the last with its end. */
  write(text: string): void
  now(): number
  /** Runs work a little later. Lines are then spelled and written together; without it each is written at once. */
  later?: ((run: () => void) => void) | undefined
  /** Writes an entry as a line; as JSON when absent. */
  spell?: Spell | undefined
  /** Texts that must never appear in a line. A function gives those of the moment, because settings can change. */
  secrets: readonly string[] | (() => readonly string[])
}

/** A line of the log: an exchange, or an event of the process. */
export type Logged = LogEntry | ProcessEvent

/** An entry with its time, and with the secrets that were in use then: they may be forgotten before it is spelled. */
interface Waiting {
  entry: Logged
  ms: number
  hiding: Hiding
}

/** So many entries wait at most. */
const MOST_WAITING = 256

/** The sink of the log: one line per entry. */
export function createLog(options: LogOptions): (entry: Logged) => void {
  const { secrets, write, now, later, spell = jsonLine } = options
  const hidingNow = changing(typeof secrets === 'function' ? secrets : () => secrets)
  const timeOf = isoClock()
  const line = ({ entry, ms, hiding }: Waiting): string =>
    hiding.mask(spell(entry, timeOf(ms), hiding.shorten))
  const noted = (entry: Logged): Waiting => ({ entry, ms: now(), hiding: hidingNow() })
  if (!later) return (entry) => write(line(noted(entry)))
  let waiting: Waiting[] = []
  const flush = (): void => {
    const all = waiting
    waiting = []
    if (all.length > 0) write(all.map(line).join('\n'))
  }
  return (entry) => {
    if (waiting.length === 0) later(flush)
    waiting.push(noted(entry))
    if (waiting.length === MOST_WAITING) flush()
  }
}

/** What keeps some secrets out of lines. */
interface Hiding {
  mask(text: string): string
  /** Masks before it shortens, because half a secret would not be found any more. */
  shorten: Shorten
}

function hidingOf(secrets: readonly string[]): Hiding {
  const mask = masker(secrets)
  return { mask, shorten: (text) => capped(mask(text)) }
}

/** Spells times; the second is spelled once, because that takes as long as all else of its line but the JSON. */
function isoClock(): (ms: number) => string {
  let second = NaN
  let beginning = ''
  return (ms) => {
    const whole = Math.floor(ms / 1000)
    if (whole !== second) {
      second = whole
      beginning = new Date(whole * 1000).toISOString().slice(0, -'000Z'.length)
    }
    return `${beginning}${String(Math.floor(ms) - whole * 1000).padStart(3, '0')}Z`
  }
}

type Shorten = (text: string) => string

/** Writes an entry and its time as a line. `shorten` limits the length of texts from outside. */
export type Spell = (entry: Logged, time: string, shorten: Shorten) => string

function changing(secrets: () => readonly string[]): () => Hiding {
  let known = secrets()
  let hiding = hidingOf(known)
  return () => {
    const now = secrets()
    if (now !== known) hiding = hidingOf((known = now))
    return hiding
  }
}

function masker(all: readonly string[]): (text: string) => string {
  const secrets = [...new Set(all)].filter(({ length }) => length >= MIN_SECRET_CHARACTERS)
  const longestFirst = secrets.toSorted((first, second) => second.length - first.length)
  return (text) =>
    longestFirst.reduce(
      (line, secret) => (line.includes(secret) ? line.replaceAll(secret, () => '***') : line),
      text,
    )
}

/** Everything that is known of an exchange, or of an event of the process. */
function jsonLine(entry: Logged, time: string, shorten: Shorten): string {
  const isEvent = 'event' in entry
  const said = isEvent ? entry : saidOf(entry)
  const begin = `{"time":"${time}","level":"${levelOf(entry)}",${isEvent ? '' : '"event":"exchange",'}`
  const plain = begin + JSON.stringify(said).slice(1)
  const text = isDelicate(plain) ? begin + shortened(said, shorten).slice(1) : plain
  return PLAIN.test(text) ? text : printable(text)
}

/** V8 copies `...entry` at once where a literal begins with it; behind other members it looks up each one. */
const saidOf = (entry: LogEntry): object => ({
  ...entry,
  cost: entry.cost === undefined ? undefined : shownUsd(entry.cost),
  cached: entry.usage?.cacheRead === undefined ? undefined : cachedShare(entry.usage),
  losses: entry.losses && entry.losses.length > 0 ? lossTexts(entry) : undefined,
  attempts: entry.attempts?.slice(0, ATTEMPTS_SHOWN),
})

/** A short value need not be shortened, so no half of a secret can be left over. JSON escapes quotes, and with them a secret that holds one. */
const isDelicate = (line: string): boolean => line.includes('\\') || hasLongValue(line)

/**
 * Without a quote in a value, each quote begins or ends one. From one quote on, the last one within reach shows that
 * all values between the two are short.
 */
function hasLongValue(line: string): boolean {
  for (let from = 0; line.length - from > VALUE_CHARACTERS;) {
    const at = line.lastIndexOf('"', from + VALUE_CHARACTERS)
    if (at < from) return line.includes('"', from)
    from = at + 1
  }
  return false
}

const shortened = (line: object, shorten: Shorten): string =>
  JSON.stringify(line, (_, value: unknown) => (typeof value === 'string' ? shorten(value) : value))

/** Nearly every line is of visible ASCII. */
const PLAIN = /^[\x20-\x7e]*$/

/** The losses of an entry, up to a limit. */
export function lossTexts({ losses = [] }: LogEntry): string[] {
  const texts = losses.slice(0, LOSSES_SHOWN).map(({ code, path }) => `${code} ${path}`)
  const more = lossCount(losses) - texts.length
  return more > 0 ? [...texts, `${more} more`] : texts
}

const capped = (text: string): string =>
  text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS - 1)}…` : text

/** The text without characters that can forge lines or control a terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
