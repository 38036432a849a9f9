import type { AskedRequest } from '../stages.ts'
import { likelyValue } from '../../json/slices.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import {
  endOfColon,
  endOfSpace,
  endOfString,
  endOfValue,
  SIGN,
  type Slice,
} from '../../json/tokens.ts'
import type { Received } from '../received.ts'

/**
 * A hash of the beginning of a conversation, which stays the same while it grows: its model, its instructions, and all
 * messages up to the first of the user. It is found and hashed for every request, so the body is neither parsed nor
 * read whole.
 */
export function openingWords(
  { received, caller }: Pick<AskedRequest, 'received' | 'caller'>,
  scanned: ScannedBody | undefined,
  model = '',
): number | undefined {
  const { beginning } = caller.same
  const find = beginning && memberFinder(received, scanned)
  const turns = find?.(beginning?.turns)
  if (!turns) return undefined
  const hash = new WordHash()
  hash.add(model, 0, model.length)
  try {
    const instructions = find?.(beginning?.instructions)
    if (instructions) hash.words(instructions.text, instructions.start)
    hashTurns(hash, turns.text, turns)
  } catch {
    // Malformed JSON is reported where the body is parsed.
    return undefined
  }
  return hash.value
}

/** A member, and a text in which it stands. */
interface PlacedMember extends Slice {
  readonly text: string
}

type FindMember = (name: string | undefined) => PlacedMember | undefined

function memberFinder(
  received: Pick<Received, 'text'>,
  scanned: ScannedBody | undefined,
): FindMember | undefined {
  if (scanned?.beginningOf)
    return (name) => {
      const text = name === undefined ? undefined : scanned.beginningOf?.(name, MOST_TURNS)
      return text === undefined ? undefined : { text, start: 0, end: text.length }
    }
  const text = scanned?.text ?? textOf(received)
  if (text === undefined) return undefined
  return (name) => {
    const slice = name === undefined ? undefined : memberAt(text, scanned, name)
    return slice && { text, ...slice }
  }
}

/** The text of a body; undefined for bytes that are no text. */
function textOf(received: Pick<Received, 'text'>): string | undefined {
  try {
    return received.text
  } catch {
    return undefined
  }
}

/**
 * Finds a member of the body. Where the path names the model, the body has not been scanned, so the first text that
 * looks like the member counts.
 */
function memberAt(text: string, scanned: ScannedBody | undefined, name: string): Slice | undefined {
  if (scanned) return scanned.members.get(name)
  try {
    const start = likelyValue(text, name)
    return start === undefined ? undefined : { start, end: endOfValue(text, start) }
  } catch {
    return undefined
  }
}

const MOST_TURNS = 8

/** Reads turns up to the first of the user; instructions may stand before it. */
function hashTurns(hash: WordHash, text: string, { start, end }: Slice): void {
  if (text.charCodeAt(start) !== SIGN.openBracket) {
    hash.add(text, start, end)
    return
  }
  let at = start + 1
  for (let count = 0; count < MOST_TURNS; count += 1) {
    at = endOfSpace(text, at)
    if (text.charCodeAt(at) === SIGN.comma) at = endOfSpace(text, at + 1)
    const after = hash.words(text, at)
    if (after === at || !hash.isInstruction) return
    at = after
  }
}

/**
 * Whether the name of a member says that it holds content, in any of the dialects. Cache marks beside them come and go
 * and are not hashed.
 */
const holdsWords = (text: string, name: number): boolean =>
  text.startsWith('"content"', name) ||
  text.startsWith('"text"', name) ||
  text.startsWith('"parts"', name)

/** The rest of a longer text is not looked at. */
const LONGEST = 4096
/** About so many characters, spread over a longer text, are hashed for it. */
const SAMPLES = 48

/** A hash over samples of several texts. Conversations with the same hash share a member, and nothing else. */
class WordHash {
  #one = 0x811c9dc5
  #other = 0x9747b28c
  /** Whether what was added last was a message with a role, and that was not the user's. */
  isInstruction = false

  /** Adds the content of a message; returns the index behind it. Every text is gone over once. */
  words(text: string, start: number): number {
    this.isInstruction = false
    const code = text.charCodeAt(start)
    if (code === SIGN.openBracket) return this.#elements(text, start)
    if (code === SIGN.openBrace) return this.#members(text, start)
    const end = endOfValue(text, start)
    if (code === SIGN.quote) this.add(text, start, end)
    return end
  }

  /** Elements and members are gone over without a visitor: this is done for every request of a pool. */
  #elements(text: string, start: number): number {
    let at = endOfSpace(text, start + 1)
    while (at < text.length && text.charCodeAt(at) !== SIGN.closeBracket)
      at = endOfPart(text, at, this.words(text, at))
    return at + 1
  }

  #members(text: string, start: number): number {
    let isInstruction = false
    let at = endOfSpace(text, start + 1)
    while (at < text.length && text.charCodeAt(at) !== SIGN.closeBrace) {
      const value = endOfSpace(text, endOfColon(text, endOfString(text, at)))
      const isWords = holdsWords(text, at)
      const end = isWords ? this.words(text, value) : endOfValue(text, value)
      if (!isWords && text.startsWith('"role"', at))
        isInstruction = !text.startsWith('"user"', value)
      at = endOfPart(text, value, end)
    }
    this.isInstruction = isInstruction
    return at + 1
  }

  add(text: string, start: number, end: number): void {
    const last = Math.min(end, start + LONGEST)
    const step = Math.max(1, Math.trunc((last - start) / SAMPLES))
    let [one, other] = [this.#one, this.#other]
    one = Math.imul(one ^ (end - start), 0x01000193)
    for (let at = start; at < last; at += step) {
      const unit = text.charCodeAt(at)
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other ^ unit, 0x5bd1e995)
    }
    this.#one = one
    this.#other = other ^ (other >>> 15)
  }

  /** 52 bits of both. */
  get value(): number {
    return (this.#one >>> 0) * 2 ** 20 + (this.#other >>> 12)
  }
}

/** The index of the next part behind a value, or of what closes the last one. Throws SyntaxError without a value. */
function endOfPart(text: string, value: number, end: number): number {
  if (end === value) throw new SyntaxError('expected a value')
  const at = endOfSpace(text, end)
  return text.charCodeAt(at) === SIGN.comma ? endOfSpace(text, at + 1) : at
}
