import { encoded, joinBytes } from './bytes.ts'
import { stringify, Verbatim, type Json, type JsonObject } from './json.ts'
import { fillLiterals, type LargeLiteral } from './large-literals.ts'

/** A smaller body is read and written as a whole more quickly than in parts. */
export const LEAST_BYTES = 8192

/** A body as it was written, and where its parts stand in the bytes. */
export interface WrittenBody {
  readonly bytes: Uint8Array
  readonly members: readonly WrittenMember[]
}

/** A part of a body: it begins with the sign that stands before it. */
interface WrittenMember {
  readonly name: string
  readonly value: Json
  readonly start: number
  readonly end: number
  /** Of a list: where it begins, and where each of its elements ends, counted from the part's beginning. */
  readonly list?: WrittenList
}

interface WrittenList {
  readonly start: number
  readonly ends: readonly number[]
}

/** Writes the bytes of `stringify`: what is the same in the body before is copied, and only the rest is made. */
export function writeBody(body: JsonObject, before?: WrittenBody): WrittenBody {
  const out = new Output(before?.bytes)
  const members = writeMembers(out, body, before)
  return { bytes: joinBytes(out.taken()), members }
}

/**
 * Writes the bytes of `stringify` in pieces that follow each other, with the literals that were left out. A text takes
 * two bytes for each character because of a few, and is spelled and encoded several times as slowly: a body that has
 * such characters is quicker written in parts, of which most have none.
 */
export function writeParts(
  body: JsonObject,
  literals: readonly LargeLiteral[],
): readonly Uint8Array[] {
  const out = new Output(undefined, literals)
  writeMembers(out, body)
  return out.taken()
}

function writeMembers(out: Output, body: JsonObject, before?: WrittenBody): WrittenMember[] {
  const members: WrittenMember[] = []
  for (const [name, value] of Object.entries<Json | undefined>(body)) {
    if (value === undefined) continue
    const old = before?.members[members.length]
    members.push(writeMember(out, name, value, old?.name === name ? old : undefined))
  }
  out.write(members.length === 0 ? '{}' : '}')
  return members
}

function writeMember(
  out: Output,
  name: string,
  value: Json,
  old: WrittenMember | undefined,
): WrittenMember {
  const start = out.size
  if (old && isSameJson(value, old.value)) {
    out.copy(old.start, old.end)
    return { ...old, value, start, end: out.size }
  }
  out.write(`${start === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const list = Array.isArray(value) ? writeList(out, value, start, old) : undefined
  if (!list) out.write(stringify(value))
  return { name, value, start, end: out.size, ...(list && { list }) }
}

function writeList(
  out: Output,
  list: readonly Json[],
  part: number,
  old: WrittenMember | undefined,
): WrittenList {
  const start = out.size - part
  const before = old?.list && Array.isArray(old.value) ? old.value : []
  const oldPart = old?.start ?? 0
  const oldEnds = old?.list?.ends ?? []
  const same = commonCount(list, before)
  const ends = oldEnds.slice(0, same)
  if (same > 0) out.copy(oldPart + start, oldPart + (ends[same - 1] ?? start))
  for (let index = same; index < list.length; index += 1) {
    const element = list[index] ?? null
    const [from = start, to] = [oldEnds[index - 1], oldEnds[index]]
    if (to !== undefined && isSameJson(element, before[index]))
      out.copy(oldPart + from, oldPart + to)
    else out.write((index === 0 ? '[' : ',') + stringify(element))
    ends.push(out.size - part)
  }
  out.write(list.length === 0 ? '[]' : ']')
  return { start, ends }
}

/** How many elements two lists have in common at their beginning. */
function commonCount(one: readonly Json[], other: readonly Json[]): number {
  const most = Math.min(one.length, other.length)
  for (let index = 0; index < most; index += 1)
    if (!isSameJson(one[index], other[index])) return index
  return most
}

/** Whether two values surely have the same text. */
function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (one instanceof Verbatim || other instanceof Verbatim)
    return one instanceof Verbatim && other instanceof Verbatim && one.text === other.text
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((element, index) => isSameJson(element, other[index]))
    )
  const names = Object.keys(one)
  const others = Object.keys(other)
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && isSameJson(one[name], other[name]))
  )
}

const ENCODER = new TextEncoder()
const MOST_BYTES_PER_UNIT = 3
/** Texts are encoded into it one behind the other: fresh memory for each takes longer than to fill it. */
const SCRATCH = new Uint8Array(65_536)

/** Bytes that are put together of old ones, new text, and literals that were left out of it. */
class Output {
  readonly #old: Uint8Array | undefined
  readonly #literals: readonly LargeLiteral[]
  readonly #parts: Uint8Array[] = []
  /** What is to be copied, as far as it is known. */
  #from = 0
  #to = 0
  /** How much of the scratch is filled. */
  #used = 0
  size = 0

  constructor(old: Uint8Array | undefined, literals: readonly LargeLiteral[] = []) {
    this.#old = old
    this.#literals = literals
  }

  copy(from: number, to: number): void {
    if (from !== this.#to) {
      this.#flush()
      this.#from = from
    }
    this.#keepText()
    this.#to = to
    this.size += to - from
  }

  write(text: string): void {
    this.#flush()
    if (this.#literals.length === 0) return this.#write(text)
    for (const piece of fillLiterals(text, this.#literals))
      if (typeof piece === 'string') this.#write(piece)
      else this.#add(piece)
  }

  #add(bytes: Uint8Array): void {
    this.#keepText()
    this.#parts.push(bytes)
    this.size += bytes.length
  }

  #write(text: string): void {
    const most = text.length * MOST_BYTES_PER_UNIT
    if (most > SCRATCH.length - this.#used) this.#keepText()
    this.size += most > SCRATCH.length ? this.#writeLong(text) : this.#writeShort(text)
  }

  taken(): readonly Uint8Array[] {
    this.#flush()
    this.#keepText()
    return this.#parts
  }

  #writeShort(text: string): number {
    const { written } = ENCODER.encodeInto(text, SCRATCH.subarray(this.#used))
    this.#used += written
    return written
  }

  #writeLong(text: string): number {
    const bytes = encoded(text)
    this.#parts.push(bytes)
    return bytes.length
  }

  #keepText(): void {
    if (this.#used > 0) this.#parts.push(SCRATCH.slice(0, this.#used))
    this.#used = 0
  }

  #flush(): void {
    if (this.#old && this.#to > this.#from)
      this.#parts.push(this.#old.subarray(this.#from, this.#to))
    this.#from = this.#to = 0
  }
}
