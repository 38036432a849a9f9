import { stringify, wellFormed, type JsonObject } from './json.ts'

/** Stand for what differs; an object that happens to hold one of them is written without a template. */
const TEXT = '\u{10FFFE}text\u{10FFFE}'
const COUNT = 4_503_599_627_370_495

type Make = (text: string, count: number) => JsonObject
type Write = (text: string, count?: number) => string

/**
 * Writes objects that differ in one text, and perhaps in one count, as `stringify` would: what is around them
 * is serialised once, from the second object on.
 */
export function template(make: Make): Write {
  let calls = 0
  let learned: Write | undefined
  return (text, count = 0) => {
    calls += 1
    if (calls === 1) return stringify(make(text, count))
    return (learned ??= patternOf(make))(text, count)
  }
}

function patternOf(make: Make): Write {
  const sample = stringify(make(TEXT, COUNT))
  const [before = '', behind = '', ...more] = sample.split(JSON.stringify(TEXT))
  const parts = behind.split(String(COUNT))
  const [between = '', after = ''] = parts
  const isExact =
    more.length === 0 && before.length < sample.length && !before.includes(String(COUNT))
  if (!isExact || parts.length > 2) return (text, count = 0) => stringify(make(text, count))
  return parts.length === 1
    ? (text) => before + quoted(text) + behind
    : (text, count = 0) => `${before}${quoted(text)}${between}${count}${after}`
}

/** A lone surrogate is what JSON.stringify writes as an escape. */
function quoted(text: string): string {
  const json = JSON.stringify(text)
  return json.includes('\\ud') ? wellFormed(json) : json
}
