import { exactly } from '../model/exactly.ts'
import { encodeBase64 } from '../json/base64.ts'
import { encoded } from '../json/bytes.ts'
import { HEX } from '../json/sha256.ts'

export const MASK = '***'
/** A shorter value is as likely an ordinary word, so it is not hidden. */
const SHORTEST = 8

export const isLong = ({ length }: string): boolean => length >= SHORTEST

const BACKSLASH = '\\'

/** The characters of a secret. A row of backslashes is one: each escaping of a text doubles it. */
const charactersOf = (secret: string): string[] => [...secret.replace(/\\+/g, () => BACKSLASH)]

/** What may stand before a character, behind another one or as the first. */
function between(before: string | undefined, next: string): string {
  if (before === undefined) return next === BACKSLASH ? '(?<!\\\\)' : ''
  return before === BACKSLASH || next === BACKSLASH ? '' : '\\\\*'
}

/**
 * A pattern for a secret in any spelling of its characters. Its time is linear in the length of the text: a row of
 * backslashes in it belongs to one place of the pattern, and none is matched before the first character, where the row
 * would be counted anew from each of them.
 */
function secretPattern(secret: string): string {
  const characters = charactersOf(secret)
  return characters.map((next, at) => between(characters[at - 1], next) + spelled(next)).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

/**
 * One character: itself; `%2B` and `%252b` in addresses, where a space may be `+`; `\u002b` in JSON, which may be
 * within JSON; `&plus;`, by number too, in pages.
 */
function spelled(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  const hex = anyCase(code.toString(16))
  const bytes = encodeURIComponent(letter.toWellFormed())
  const inAddress = bytes.startsWith('%') ? bytes : `%${code.toString(16).padStart(2, '0')}`
  const entity = ENTITIES[letter]
  // The plain character comes last, because it may be the beginning of another spelling.
  return `(?:${[
    ...(letter === ' ' ? ['\\+'] : []),
    anyCase(inAddress).replaceAll('%', '%(?:25)*'),
    ...(code < 65_536 ? [`\\\\u0*${hex}`] : []),
    `&(?:amp;)*#0*${code};`,
    `&(?:amp;)*#[xX]0*${hex};`,
    ...(entity ? [`&(?:amp;)*${entity};`] : []),
    exactly(letter),
  ].join('|')})${letter === BACKSLASH ? '+' : ''}`
}

const anyCase = (text: string): string =>
  text.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`)

/**
 * Patterns for all spellings of some secrets, the longest first. A short one is a word by itself, since servers that
 * want no key are given `x` or `key`, and `maximum` and `invalid_api_key` hold none.
 */
export const patternsOf = (secrets: readonly string[]): string[] => [
  ...wordsOf(secrets).map((secret) => {
    const pattern = secretPattern(secret)
    return isLong(secret) ? pattern : String.raw`(?<!\w)${pattern}(?!\w)`
  }),
  ...secrets.filter(isLong).map(inHex),
]

/** As dumps of a request show it, in digits of either case. */
const inHex = (secret: string): string =>
  anyCase([...encoded(secret)].map((byte) => HEX[byte]).join('[ :]?'))

/** The forms of a secret: plain, and its core in base64 of either alphabet. */
const wordsOf = (secrets: readonly string[]): string[] =>
  secrets
    .toSorted((one, other) => other.length - one.length)
    .flatMap((secret) => [
      secret,
      ...(isLong(secret) ? base64Cores(secret).flatMap(eitherAlphabet) : []),
    ])

const eitherAlphabet = (base64: string): string[] => [
  ...new Set([base64, base64.replaceAll('+', '-').replaceAll('/', '_')]),
]

const OFFSETS = [0, 1, 2]

/**
 * The part of the base64 that every text with the secret has in common, for each of the three alignments (after
 * nothing, `x:`, or any user name). Letters at the edges are left out, because they also hold bits of the
 * neighbours.
 */
export function base64Cores(secret: string): string[] {
  return OFFSETS.map((offset) => {
    const whole = encodeBase64('x'.repeat(offset) + secret)
    const letters = whole.replace(/=+$/, '')
    const end = letters.length === whole.length ? letters.length : letters.length - 1
    return letters.slice(Math.ceil((offset * 8) / 6), end)
  })
}

/** A search for several secrets, in a text that may go on. */
export interface Sought {
  /** The secrets in plain form. */
  readonly plain: readonly string[]
  /** A cheap check whether the text may hold a secret. */
  isLikely(text: string): boolean
  /** The place where a secret may begin; -1 for none. */
  next(text: string, from: number): number
  /** The end of the secret that begins at `at`; `open` where the text ends inside it. */
  end(text: string, at: number): number | 'open' | undefined
  /** Hides the secrets in a whole text. */
  hide(text: string): string
}

/** So many characters of a secret reveal little, and do not occur by chance. */
const TELLING = 6
/** The length of so many characters in the longest spelling. */
export const TELLING_CHARACTERS = 8 * TELLING

export function seek(secrets: readonly string[]): Sought | undefined {
  if (secrets.length === 0) return undefined
  const words = wordsOf(secrets)
  const beginnings = [...new Set(words.map((word) => [...word].slice(0, TELLING).join('')))]
  const plain = beginnings.map(exactly)
  const likely = new RegExp([...plain, '[%&\\\\]'].join('|'))
  const beginning = new RegExp(beginnings.map(secretPattern).join('|'), 'g')
  const known = new RegExp(words.map(secretPattern).join('|'), 'g')
  // No spelling is shorter than what it spells, and most texts of an event are.
  const shortest = Math.min(...words.map(({ length }) => length))
  const isThere = (text: string) =>
    text.length >= shortest && (ESCAPES.test(text) || words.some((word) => text.includes(word)))
  return {
    plain: secrets,
    isLikely: (text) => likely.test(text),
    next(text, from) {
      beginning.lastIndex = from
      return beginning.exec(text)?.index ?? -1
    },
    end(text, at) {
      const ends = words.map((word) => endOf(word, text, at))
      return ends.find((end) => typeof end === 'number') ?? ends.find((end) => end === 'open')
    },
    hide: (text) => (isThere(text) ? text.replace(known, MASK) : text),
  }
}

/** Every spelling except base64 begins with one of these. */
const ESCAPES = /[%&\\]/

/** Compares character by character, to see where a text ends inside a secret. */
function endOf(word: string, text: string, at: number): number | 'open' | undefined {
  if (text.startsWith(word, at)) return at + word.length
  let end = at
  for (const letter of charactersOf(word)) {
    const one = letterPattern(letter)
    one.lastIndex = end
    if (!one.test(text)) return isCut(text, end) ? 'open' : undefined
    end = one.lastIndex
  }
  return end
}

const letters = new Map<string, RegExp>()

function letterPattern(letter: string): RegExp {
  const known = letters.get(letter)
  if (known) return known
  const made = new RegExp(`\\\\*${spelled(letter)}`, 'y')
  letters.set(letter, made)
  return made
}

/** No spelling of one character is longer. */
const LONGEST_LETTER = 24
const CUT_LETTER = /^(?:\\*(?:u[\da-fA-F]{0,8})?|%[%\da-fA-F]*|&[#;\w]*)$/

const isCut = (text: string, at: number): boolean =>
  text.length - at <= LONGEST_LETTER && CUT_LETTER.test(text.slice(at))

/** Searches a text that comes in parts for secrets in plain form, none of which goes over the end of a line; cheap. */
export function finder(secrets: readonly string[]): (part: string) => boolean {
  const longest = Math.max(1, ...secrets.map(({ length }) => length))
  let end = ''
  return (part) => {
    const text = end + part
    end = part.endsWith('\n') ? '' : text.slice(-longest)
    return secrets.some((secret) => text.includes(secret))
  }
}
