import { encodeBase64 } from '../json/base64.ts'
import { encoded } from '../json/bytes.ts'
import { lazily } from '../json/memoize.ts'
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

/** A pattern of nothing but the text. */
const exactly = (text: string): string => text.replace(/\W/g, String.raw`\$&`)

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

/** So many characters of a secret reveal little, and do not occur by chance. */
const TELLING = 6
/** The length of so many characters in the longest spelling. */
export const TELLING_CHARACTERS = 8 * TELLING

/**
 * So much of a longer secret has to be there. What stands behind that is hidden as far as it is the same: to compare all
 * of a token anew at each place would not be linear.
 */
const MOST_COMPARED = 256

const headOf = (word: string): string => word.slice(0, MOST_COMPARED)

/** The beginnings of words. A pattern of whole ones would be too large for the tokens of clouds. */
const beginningsOf = (words: readonly string[]): string[] => [
  ...new Set(words.map((word) => [...word].slice(0, TELLING).join(''))),
]

/** Where a secret ends that begins at `at`; `at` itself where none does. */
type End = (text: string, at: number) => number

/**
 * Hides all spellings of some secrets. A short one is a word by itself, since servers that want no key are given `x` or
 * `key`, and `maximum` and `invalid_api_key` hold none.
 */
export function hider(secrets: readonly string[]): (text: string) => string {
  const words = wordsOf(secrets)
  const long = words.filter(isLong)
  const short = words.filter((word) => !isLong(word)).map(alone)
  const dumped = secrets.filter(isLong)
  const beginnings = [
    ...beginningsOf(long).map(secretPattern),
    ...short,
    ...beginningsOf(dumped).map(inHex),
  ]
  const ends = [...long.map(endOfWord), ...short.map(endOfMatch), ...dumped.map(endOfHex)]
  return hiding(new RegExp(beginnings.join('|'), 'g'), ends)
}

const hiding =
  (beginning: RegExp, ends: readonly End[]) =>
  (text: string): string => {
    let [shown, from] = ['', 0]
    beginning.lastIndex = 0
    for (let found = beginning.exec(text); found; found = beginning.exec(text)) {
      const at = found.index
      const end = Math.max(...ends.map((endFrom) => endFrom(text, at)))
      if (end > at) {
        shown += text.slice(from, at) + MASK
        from = end
      }
      beginning.lastIndex = Math.max(end, at + 1)
    }
    return from === 0 ? text : shown + text.slice(from)
  }

const alone = (word: string): string => String.raw`(?<!\w)${secretPattern(word)}(?!\w)`

function endOfMatch(pattern: string): End {
  const one = new RegExp(pattern, 'y')
  return (text, at) => {
    one.lastIndex = at
    return one.test(text) ? one.lastIndex : at
  }
}

const endOfWord =
  (word: string): End =>
  (text, at) => {
    const end = endOf(word, text, at, true)
    return typeof end === 'number' ? end : at
  }

/** As dumps of a request show it, in digits of either case. */
const inHex = (secret: string): string =>
  anyCase([...encoded(secret)].map((byte) => HEX[byte]).join('[ :]?'))

function endOfHex(secret: string): End {
  const bytes = lazily(() => encoded(secret))
  return (text, at) => {
    let [end, count] = [at, 0]
    for (const byte of bytes()) {
      const from = count > 0 && /[ :]/.test(text.charAt(end)) ? end + 1 : end
      if (text.slice(from, from + 2).toLowerCase() !== HEX[byte]) break
      end = from + 2
      count += 1
    }
    return count < Math.min(bytes().length, MOST_COMPARED) ? at : end
  }
}

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
export interface SecretForms {
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

export function secretForms(secrets: readonly string[]): SecretForms | undefined {
  if (secrets.length === 0) return undefined
  const words = wordsOf(secrets)
  const beginnings = beginningsOf(words)
  const plain = beginnings.map(exactly)
  const likely = new RegExp([...plain, '[%&\\\\]'].join('|'))
  const beginning = new RegExp(beginnings.map(secretPattern).join('|'), 'g')
  const hide = hiding(new RegExp(beginning), words.map(endOfWord))
  // No spelling is shorter than what it spells, and most texts of an event are.
  const heads = words.map(headOf)
  const shortest = Math.min(...heads.map(({ length }) => length))
  const isThere = (text: string) =>
    text.length >= shortest && (ESCAPES.test(text) || heads.some((head) => text.includes(head)))
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
    hide: (text) => (isThere(text) ? hide(text) : text),
  }
}

/** Every spelling except base64 begins with one of these, and a space may be a plus sign. */
const ESCAPES = /[%&+\\]/

/**
 * Compares character by character, to see where a text ends inside a secret, or is no more the same. `isWhole`: nothing
 * comes behind the text.
 */
function endOf(
  word: string,
  text: string,
  at: number,
  isWhole = false,
): number | 'open' | undefined {
  const same = commonLength(word, text, at)
  if (same === word.length) return at + same
  if (!isWhole && at + same === text.length) return 'open'
  if (same < MOST_COMPARED && !ESCAPES.test(text.slice(at, at + same + 1))) return undefined
  const head = headOf(word)
  const end = spelledEnd(head, text, at, isWhole)
  return typeof end !== 'number' || head === word ? end : spelledEnd(word, text, at, isWhole, end)
}

/** How many characters are the same in both: a token that comes in pieces is compared anew with each. */
function commonLength(word: string, text: string, at: number): number {
  let same = 0
  while (same < word.length && word.charCodeAt(same) === text.charCodeAt(at + same)) same += 1
  return same
}

/** The end in any spelling; `least` instead of nothing where so much is the same. */
function spelledEnd(
  word: string,
  text: string,
  at: number,
  isWhole: boolean,
  least?: number,
): number | 'open' | undefined {
  let end = at
  for (const letter of charactersOf(word)) {
    const one = letterPattern(letter)
    one.lastIndex = end
    if (!one.test(text)) {
      if (!isWhole && isCut(text, end)) return 'open'
      return least === undefined ? undefined : Math.max(least, end)
    }
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
