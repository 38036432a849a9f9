import type { ScannedBody } from '../json/scanned-body.ts'
import { endOfColon, endOfSpace, endOfValue, SIGN, visitParts, type Slice } from '../json/tokens.ts'
import type { Exchange } from './exchange.ts'

/**
 * The beginning of a conversation, which stays the same while it grows: its model, its instructions, and all
 * messages up to the first of the user. It is found and hashed for every request, so the body is neither parsed nor
 * read whole.
 */
export function openingWords(
  { body, caller }: Pick<Exchange, 'body' | 'caller'>,
  scanned: ScannedBody | undefined,
  model = '',
): string | undefined {
  const { beginning } = caller.same
  const find = beginning && memberFinder(body, scanned)
  const turns = find?.(beginning?.turns)
  if (!turns) return undefined
  const sketch = new Sketch()
  sketch.add(model, 0, model.length)
  try {
    const instructions = find?.(beginning?.instructions)
    if (instructions) sketch.words(instructions.text, instructions.start)
    sketchTurns(sketch, turns.text, turns)
  } catch {
    // Malformed JSON is reported where the body is parsed.
    return undefined
  }
  return sketch.text
}

/** A member, and a text in which it stands. */
interface PlacedMember extends Slice {
  readonly text: string
}

type FindMember = (name: string | undefined) => PlacedMember | undefined

function memberFinder(
  body: Exchange['body'],
  scanned: ScannedBody | undefined,
): FindMember | undefined {
  if (scanned?.beginningOf)
    return (name) => {
      const text = name === undefined ? undefined : scanned.beginningOf?.(name, MOST_TURNS)
      return text === undefined ? undefined : { text, start: 0, end: text.length }
    }
  const text = scanned?.text ?? textOf(body)
  if (text === undefined) return undefined
  return (name) => {
    const slice = name === undefined ? undefined : memberAt(text, scanned, name)
    return slice && { text, ...slice }
  }
}

/** The text of a body; undefined for bytes that are no text. */
function textOf(body: Exchange['body']): string | undefined {
  try {
    return body.text
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
  const literal = `"${name}"`
  const at = text.indexOf(literal)
  if (at < 0) return undefined
  try {
    const start = endOfSpace(text, endOfColon(text, at + literal.length))
    return { start, end: endOfValue(text, start) }
  } catch {
    return undefined
  }
}

const MOST_TURNS = 8

/** Reads turns up to the first of the user; instructions may stand before it. */
function sketchTurns(sketch: Sketch, text: string, { start, end }: Slice): void {
  if (text.charCodeAt(start) !== SIGN.openBracket) {
    sketch.add(text, start, end)
    return
  }
  let at = start + 1
  for (let count = 0; count < MOST_TURNS; count += 1) {
    at = endOfSpace(text, at)
    if (text.charCodeAt(at) === SIGN.comma) at = endOfSpace(text, at + 1)
    const after = sketch.words(text, at)
    const { role } = sketch
    if (after === at || role === undefined || role === '"user"') return
    at = after
  }
}

/**
 * The names of the members that hold content in the dialects. Cache marks beside them come and go and are not
 * hashed.
 */
const WORDS: ReadonlySet<string> = new Set(['"content"', '"parts"', '"text"'])

/** The rest of a longer text is not looked at. */
const LONGEST = 4096
/** About so many characters, spread over a longer text, are hashed for it. */
const SAMPLES = 48

/** A hash over samples of several texts. Conversations with the same hash share a home, and nothing else. */
class Sketch {
  #one = 0x811c9dc5
  #other = 0x9747b28c
  /** The role of the message that was added last, as it is spelled. */
  role: string | undefined

  /** Adds the content of a message; returns the index behind it. Every text is gone over once. */
  words(text: string, start: number): number {
    this.role = undefined
    const code = text.charCodeAt(start)
    if (code === SIGN.openBracket)
      return visitParts(text, start, (_, __, element) => this.words(text, element))
    if (code === SIGN.openBrace) return this.#members(text, start)
    const end = endOfValue(text, start)
    if (code === SIGN.quote) this.add(text, start, end)
    return end
  }

  #members(text: string, start: number): number {
    let role: string | undefined
    const end = visitParts(text, start, (name, endOfName, value) => {
      const member = text.slice(name, endOfName)
      if (WORDS.has(member)) return this.words(text, value)
      const endOfMember = endOfValue(text, value)
      if (member === '"role"') role = text.slice(value, endOfMember)
      return endOfMember
    })
    this.role = role
    return end
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

  /** The hash in characters that every encoding leaves unchanged. */
  get text(): string {
    return spelled(this.#one) + spelled(this.#other)
  }
}

const spelled = (bits: number): string =>
  String.fromCharCode(256 + (bits & 2047), 256 + ((bits >>> 11) & 2047), 256 + (bits >>> 22))
