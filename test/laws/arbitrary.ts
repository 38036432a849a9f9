import fc from 'fast-check'
import { DIALECTS } from '../../adapters/dialect.ts'
import type { Citation, Proof } from '../../src/model/request.ts'

/** Text with everything that framing, escaping and joining get wrong. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 24 }) },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 8 }) },
  fc.constantFrom(
    '',
    ' ',
    '\n\n',
    'data: {"type":"message_stop"}\n\nevent: error\r\n',
    '[DONE]',
    '{"error":{"message":"no"}}',
    'xseal1.messages.self.1.0.a',
    '\u{10FFFF}0\u{10FFFF}',
    '\u2028\u2029\u0000\u0085',
    '👩‍👩‍👧 日本語 \u0301',
    '__proto__',
    'null',
  ),
)

export const filledText = anyText.filter((text) => text.trim() !== '')

/** A tool's input as text: what must come back byte for byte. */
export const objectText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{}',
    '{"id":2512292042121000001,"e":1e400,"neg":-0}',
    '{"b":1,"2":2,"1":3}',
    '{ "__proto__" : {"polluted":true} }',
    '{"constructor":{"prototype":{}},"toString":1}',
    '{"s":"\\u00e9\\ud83d\\ude00","n":1.0}',
    '{\n  "a" : [ 1, 2 ]\n}',
    '{\r\n\t"a" : "x\u2028y\u0085z",\r\t"b": 1 }',
  ),
  fc
    .dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 4,
    })
    .map((value) => JSON.stringify(value)),
)

/** What a model that was cut off, or is weak, puts in place of an object. */
export const brokenText = fc.constantFrom('{"a":', '[1,2]', '"text"', 'null', '12', '{"a":1}}', '{')

/** Names that every dialect allows, so that they must come back as they are. */
export const toolName = fc.constantFrom('get_weather', 'f', '_private', 'Read-File', 'tool_2')
export const textToolName = fc.constantFrom('apply_patch', 'exec')

export const base64 = fc.base64String({ minLength: 4, maxLength: 40 }).filter((text) => text !== '')

export const proofOf = (dialect: string): fc.Arbitrary<Proof> =>
  base64.map((value) => ({ dialect, value }))

/** Reasoning is proven by every dialect; anything else by one only. */
export const reasoningProof = fc.constantFrom(...DIALECTS).chain(proofOf)
export const anyProof = proofOf('generate-content')

const url = fc.webUrl({ withFragments: false })

/** Citations of parts of a text: whole characters, in order, never beyond its end. */
export function citationsOf(text: string): fc.Arbitrary<Citation[]> {
  const borders = [...text].reduce<number[]>(
    (known, character) => [...known, (known.at(-1) ?? 0) + character.length],
    [0],
  )
  const place = fc.nat({ max: borders.length - 2 })
  return fc
    .array(fc.tuple(url, place, place), { minLength: 1, maxLength: 2 })
    .map((list) => list.map(([link, one, other]) => citation(link, borders, one, other)))
}

/** A page has one title, wherever it is cited. */
export const titleOf = (url: string): string => `Page of ${url.length} characters`

function citation(url: string, borders: number[], one: number, other: number): Citation {
  const [start = 0, end = 0] = [borders[Math.min(one, other)], borders[Math.max(one, other) + 1]]
  return { url, title: titleOf(url), start, end }
}
