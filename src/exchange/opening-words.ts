import { memberOf, type ScannedBody } from '../json/scanned-body.ts'
import { endOfColon, endOfSpace, endOfValue, SIGN, visitParts, type Slice } from '../json/tokens.ts'
import type { Exchange } from './exchange.ts'

/**
 * The beginning of a conversation, which stays the same while it grows: its model, its instructions, and all
 * messages up to the first of the user. It is found and hashed for every request, so the body is neither parsed nor
 * read whole.
 */
export function openingWords(
  { body, caller, route }: Exchange,
  scanned: ScannedBody | undefined,
): string | undefined {
  const { beginning, modelMember } = caller.same
  const find = beginning && memberFinder(body, scanned)
  const turns = find?.(beginning?.turns)
  if (!turns) return undefined
  const sketch = new Sketch()
  try {
    const instructions = find?.(beginning?.instructions)
    if (instructions) sketchWords(sketch, instructions.text, instructions)
    sketchTurns(sketch, turns.text, turns)
  } catch {
    // Malformed JSON is reported where the body is parsed.
    return undefined
  }
  const model = route.model ?? memberOf(scanned, modelMember.request) ?? ''
  return `${model} ${sketch.text}`
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
    sketch.add(text, { start, end })
    return
  }
  let at = start + 1
  for (let count = 0; count < MOST_TURNS; count += 1) {
    at = endOfSpace(text, at)
    if (text.charCodeAt(at) === SIGN.comma) at = endOfSpace(text, at + 1)
    const after = endOfValue(text, at)
    if (after === at) return
    const role = sketchWords(sketch, text, { start: at, end: after })
    if (role === undefined || role === '"user"') return
    at = after
  }
}

/**
 * The names of the members that hold content in the dialects. Cache marks beside them come and go and are not
 * hashed.
 */
const WORDS: ReadonlySet<string> = new Set(['"content"', '"parts"', '"text"'])

/** Adds the content of a message, and returns its role as it is spelled. */
function sketchWords(sketch: Sketch, text: string, value: Slice): string | undefined {
  const code = text.charCodeAt(value.start)
  let role: string | undefined
  if (code === SIGN.quote) sketch.add(text, value)
  else if (code === SIGN.openBracket)
    visitParts(text, value.start, (_, __, start, end) => {
      sketchWords(sketch, text, { start, end })
    })
  else if (code === SIGN.openBrace)
    visitParts(text, value.start, (name, endOfName, start, end) => {
      const member = text.slice(name, endOfName)
      if (member === '"role"') role = text.slice(start, end)
      else if (WORDS.has(member)) sketchWords(sketch, text, { start, end })
    })
  return role
}

/** The rest of a longer text is not looked at. */
const LONGEST = 4096
/** About so many characters, spread over a longer text, are hashed for it. */
const SAMPLES = 48

/** A hash over samples of several texts. Conversations with the same hash share a home, and nothing else. */
class Sketch {
  #one = 0x811c9dc5
  #other = 0x9747b28c

  add(text: string, { start, end }: Slice): void {
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
