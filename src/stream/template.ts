import { stringify, wellFormed, type JsonObject } from '../json/json.ts'
import { escapedBreaks, oneLine } from './one-line.ts'

/**
 * Stand for what differs; objects that happen to hold one of them are serialised one by one. All in Latin-1: a
 * single character outside of it would double what is cut out of the sample.
 */
const TEXT = '\u007ftext\u007f'
const COUNT = 4_503_599_627_370_495

type Make = (text: string, count: number) => JsonObject
export type Write = (text: string, count: number) => string

/** What stands before the text, between it and the count, and behind; without a count nothing is behind. */
type Parts = readonly [before: string, between: string, after?: string]

/**
 * Writes objects that differ in one text, and perhaps in one count, as `stringify` would, and on one line: what
 * is around them is serialised once.
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

  /** The same with something before and behind each object. */
  within(head: string, tail: string): Write {
    const parts = this.#around()
    if (!parts) return (text, count) => head + this.write(text, count) + tail
    const [before, between, after] = parts
    // A string that was put together is cheap to make and dear to copy, each time anew.
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

/** An event like others of its stream: its object is made when it is asked for, and its text from a template. */
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

/** Undefined where the text does not stand alone, once, before at most one count. */
function splitParts(make: Make): Parts | undefined {
  const sample = oneLine(stringify(make(TEXT, COUNT)))
  const [before = '', behind, ...more] = sample.split(TEXT)
  if (behind === undefined || more.length > 0 || before.includes(String(COUNT))) return undefined
  if (!before.endsWith('"') || !behind.startsWith('"')) return undefined
  const [between = '', after, ...others] = behind.split(String(COUNT))
  if (others.length > 0) return undefined
  return after === undefined ? [before, between] : [before, between, after]
}

/** What JSON writes otherwise than it stands, or what some reader takes for the end of a line. */
// eslint-disable-next-line no-control-regex
const NOT_PLAIN = /["\\\u0000-\u001f\u0085\u2028\u2029\ud800-\udfff]/

/** A text as it stands between quotes. A lone surrogate is what JSON.stringify writes as an escape. */
function inner(text: string): string {
  if (!NOT_PLAIN.test(text)) return text
  const json = JSON.stringify(text)
  return escapedBreaks(json.includes('\\ud') ? wellFormed(json) : json).slice(1, -1)
}
