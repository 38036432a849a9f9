import { type Json, type JsonObject, stringify } from '../../src/json/json.ts'
import type { Proof } from '../../src/model/request.ts'
import { DIALECT, textIn } from './dialect.ts'

type Spellings = Partial<
  Record<'reasoning_content' | 'reasoning' | 'reasoning_text', Json | undefined>
>

/** The text of a thought: the first of its names that is not empty. Doubleword sends two of them. */
export const thoughtIn = ({ reasoning_content, reasoning, reasoning_text }: Spellings): string =>
  textIn(reasoning_content) || textIn(reasoning) || textIn(reasoning_text)

/** Members of a message, to be given back as they came. */
export const ownProofMembers = (members: JsonObject): Proof => ({
  dialect: DIALECT,
  value: stringify(members),
})

const OPENING = '<think>'
const CLOSING = '</think>'

/**
 * Puts a thought into the content, for servers that take it nowhere else: as a part, or in the tags that it came in.
 */
export function withThoughtInside(
  field: 'content-parts' | 'tags',
  text: string,
  content: Json | undefined,
): Json {
  const said = textIn(content)
  const isList = Array.isArray(content)
  const parts = isList ? content : said === '' ? [] : [{ type: 'text', text: said }]
  if (field === 'content-parts')
    return [{ type: 'thinking', thinking: [{ type: 'text', text }], closed: true }, ...parts]
  const tagged = OPENING + text + CLOSING
  return isList ? [{ type: 'text', text: tagged }, ...parts] : tagged + said
}

type Piece = { kind: 'text' | 'reasoning'; text: string }

/**
 * Reads thoughts in tags at the very beginning of a streamed text; tags anywhere else are text. A template may have put
 * the opening tag into the prompt. A whole text then has the closing tag alone, and `untag` reads it; in a stream that
 * is known too late.
 */
export class TagReader {
  #state: 'before' | 'opened' | 'within' | 'behind' | 'after' = 'before'
  #held = ''

  push(text: string): Piece[] {
    this.#held += text
    const pieces: Piece[] = []
    if (this.#state === 'before') this.#open()
    if (this.#state === 'opened' && this.#held !== '') {
      this.#held = this.#held.replace(/^\n/, '')
      this.#state = 'within'
    }
    if (this.#state === 'within') this.#think(pieces)
    if (this.#state === 'behind') {
      this.#held = this.#held.trimStart()
      if (this.#held !== '') this.#state = 'after'
    }
    if (this.#state === 'after' && this.#held !== '') {
      pieces.push({ kind: 'text', text: this.#held })
      this.#held = ''
    }
    return pieces
  }

  end(): Piece[] {
    const text = this.#held
    this.#held = ''
    if (text === '' || this.#state === 'behind') return []
    return [{ kind: this.#state === 'within' ? 'reasoning' : 'text', text }]
  }

  #open(): void {
    const text = this.#held.trimStart()
    if (text.startsWith(OPENING)) {
      this.#held = text.slice(OPENING.length)
      this.#state = 'opened'
    } else if (!OPENING.startsWith(text)) this.#state = 'after'
  }

  /** Holds back what may be the beginning of the closing tag. */
  #think(pieces: Piece[]): void {
    const at = this.#held.indexOf(CLOSING)
    const end = at < 0 ? this.#held.length - closingTail(this.#held) : at
    const text = this.#held.slice(0, end)
    if (text !== '') pieces.push({ kind: 'reasoning', text })
    this.#held = at < 0 ? this.#held.slice(end) : this.#held.slice(at + CLOSING.length)
    if (at >= 0) this.#state = 'behind'
  }
}

/** How many characters at the end may be the beginning of the closing tag. */
function closingTail(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(CLOSING.slice(0, length))) return length
  return 0
}

/** Takes the thought out of a whole text. */
export function untag(content: string): { thought: string; text: string } {
  const trimmed = content.trimStart()
  const body = trimmed.startsWith(OPENING) ? trimmed.slice(OPENING.length) : content
  const at = body.indexOf(CLOSING)
  if (at < 0)
    return body === content
      ? { thought: '', text: content }
      : { thought: body.replace(/^\n/, ''), text: '' }
  return {
    thought: body.slice(0, at).replace(/^\n/, ''),
    text: body.slice(at + CLOSING.length).trimStart(),
  }
}
