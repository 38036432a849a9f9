import { memberOf, type ScannedBody } from '../json/scanned-body.ts'
import { endOfColon, endOfSpace, endOfValue, SIGN, visitParts, type Slice } from '../json/tokens.ts'
import type { Exchange } from './exchange.ts'

/**
 * How a conversation begins, which stays the same while it grows: its model, its instructions and what is said until
 * the user has spoken. It is looked for and hashed with every request, so it is neither parsed nor read whole.
 */
export function openingWords(
  { body, caller, route }: Exchange,
  scanned: ScannedBody | undefined,
): string | undefined {
  const { beginning, modelMember } = caller.same
  const text = scanned?.text ?? textOf(body)
  if (!beginning || text === undefined) return undefined
  const turns = memberAt(text, scanned, beginning.turns)
  if (!turns) return undefined
  const sketch = new Sketch()
  try {
    const instructions = beginning.instructions && memberAt(text, scanned, beginning.instructions)
    if (instructions) sketchWords(sketch, text, instructions)
    sketchTurns(sketch, text, turns)
  } catch {
    // What is no JSON others will say.
    return undefined
  }
  const model = route.model ?? memberOf(scanned, modelMember.request) ?? ''
  return `${model} ${sketch.text}`
}

/** A body that is no text begins no conversation. */
function textOf(body: Exchange['body']): string | undefined {
  try {
    return body.text
  } catch {
    return undefined
  }
}

/** Where the path names the model the body has not been looked over: then it is the first that looks like the member. */
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

/** Others may speak before the user does. */
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

/** The names under which the dialects have what is said; marks of what to cache come and go beside them. */
const WORDS: ReadonlySet<string> = new Set(['"content"', '"parts"', '"text"'])

/** Gives the role as it is spelled, where the value has one. */
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

/** More of a text says nothing new. */
const LONGEST = 4096
/** So many characters of it, all over it, stand for a longer one. */
const SAMPLES = 48

/** A hash over a few characters of each of several texts. Those that are taken for the same share a place, no more. */
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

  /** In characters that any encoding leaves as they are. */
  get text(): string {
    return spelled(this.#one) + spelled(this.#other)
  }
}

const spelled = (bits: number): string =>
  String.fromCharCode(256 + (bits & 2047), 256 + ((bits >>> 11) & 2047), 256 + (bits >>> 22))
