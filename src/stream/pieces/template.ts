import { stringify, wellFormed, type JsonObject } from '../../json/json.ts'
import { escapedBreaks, oneLine } from '../one-line.ts'

/**
 * Placeholders for the parts that differ; objects that happen to contain one are serialised without a template.
 * They are Latin-1: one other character would double the memory of every text cut out of the sample.
 */
const TEXT = '\u007ftext\u007f'
const COUNT = 4_503_599_627_370_495

type Make = (text: string, count: number) => JsonObject
export type Write = (text: string, count: number) => string

/**
 * The text before the piece, between piece and count, and after the count; without a count there is no third part.
 */
type Parts = readonly [before: string, between: string, after?: string]

/**
 * Writes objects that differ in one text, and perhaps one count, as `stringify` would, on one line. The constant
 * parts are serialised once.
 */
export class Template {
  readonly #make: Make
  #parts: Parts | undefined
  #isKnown = false

  constructor(make: Make) {
    this.#make = make
  }

  /** One of the objects. */
  object(text: string, count: number): JsonObject {
    return this.#make(text, count)
  }

  write(text: string, count: number): string {
    const parts = this.#around()
    return parts ? joined(parts, text, count) : oneLine(stringify(this.#make(text, count)))
  }

  /** The template with constant text before and after each object. */
  within(head: string, tail: string): Write {
    const parts = this.#around()
    if (!parts) return (text, count) => head + this.write(text, count) + tail
    const [before, between, after] = parts
    // A concatenated string is cheap to make and costly to copy each time, so it is made flat once.
    const whole: Parts =
      after === undefined
        ? [flat(head, before), flat(between, tail)]
        : [flat(head, before), between, flat(after, tail)]
    return (text, count) => joined(whole, text, count)
  }

  #around(): Parts | undefined {
    if (!this.#isKnown) this.#parts = splitParts(this.#make)
    this.#isKnown = true
    return this.#parts
  }
}

/** An event of a template: its object is made on request, and its text from the template. */
export class DeltaEvent {
  readonly name: string | undefined
  readonly template: Template
  readonly text: string
  readonly number: number

  constructor(name: string | undefined, template: Template, text: string, number = 0) {
    this.name = name
    this.template = template
    this.text = text
    this.number = number
  }

  get data(): JsonObject {
    return this.template.object(this.text, this.number)
  }
}

const flat = (...parts: string[]): string => parts.join('')

const joined = ([before, between, after]: Parts, text: string, count: number): string =>
  after === undefined
    ? before + inner(text) + between
    : before + inner(text) + between + (count + after)

/** Undefined where the text does not occur exactly once, before at most one count. */
function splitParts(make: Make): Parts | undefined {
  const sample = oneLine(stringify(make(TEXT, COUNT)))
  const [before = '', behind, ...more] = sample.split(TEXT)
  if (behind === undefined || more.length > 0 || before.includes(String(COUNT))) return undefined
  if (!before.endsWith('"') || !behind.startsWith('"')) return undefined
  const [between = '', after, ...others] = behind.split(String(COUNT))
  if (others.length > 0) return undefined
  return after === undefined ? [before, between] : [before, between, after]
}

/** Characters that JSON escapes, and U+2028/2029, which some readers take for line ends. */
// eslint-disable-next-line no-control-regex
const NOT_PLAIN = /["\\\u0000-\u001f\u0085\u2028\u2029\ud800-\udfff]/
/** What is not done with when JSON.stringify has written it: line ends of some readers, and lone surrogates. */
const NOT_DONE = /[\u0085\u2028\u2029\ud800-\udfff]/

/** A text as it is written between quotes. JSON.stringify escapes a lone surrogate. */
function inner(text: string): string {
  if (!NOT_PLAIN.test(text)) return text
  const json = JSON.stringify(text)
  const done = NOT_DONE.test(text) ? escapedBreaks(wellFormed(json)) : json
  return done.slice(1, -1)
}
