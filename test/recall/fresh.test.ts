import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinBytes, wholeBytes } from '../../src/json/bytes.ts'
import { Verbatim, type Json } from '../../src/json/json.ts'
import { ScannedBody } from '../../src/json/scanned-body.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { readFresh } from '../../src/extras/recall/fresh-body.ts'
import { findStructure } from '../../src/extras/recall/known-body.ts'
import { cases } from '../cases.ts'
import { NATIVE } from './twins.ts'

const RULES = {
  limits: { depth: 8, nodes: 200 },
  verbatim: verbatimPaths('turns.*.input', 'tools.*.schema', 'whole'),
  turns: 'turns',
}

/** With what stays text, as it came. */
function plain(value: Json): Json {
  if (value instanceof Verbatim) return { verbatim: value.text }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

function spelled(body: ScannedBody): string {
  try {
    return JSON.stringify(plain(body.parsed()))
  } catch {
    return 'no JSON'
  }
}

const readAsText = (bytes: Uint8Array): ScannedBody | undefined => {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const found = findStructure(text, RULES)
  return found && new ScannedBody(text, found)
}

const anyText = fc.oneof(
  fc.constantFrom('合計', 'é', '“done”', '\u00a0', '\u2028', '😀', '\ud800', 'plain', '\u007f', ''),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const anyPart = fc.oneof(
  anyText,
  fc.record({ input: fc.jsonValue({ maxDepth: 2 }), text: anyText }),
  fc.record({ schema: fc.record({ ключ: anyText, 7: anyText, a: fc.double() }) }),
  fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
)
const anyName = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('model', 'turns', 'tools', 'whole', '3', 'a"b') },
  { weight: 1, arbitrary: fc.oneof(anyText, fc.constant('__proto__')) },
)
const anyBody = fc
  .tuple(
    fc.array(fc.tuple(anyName, fc.oneof(anyPart, fc.array(anyPart, { maxLength: 5 }))), {
      maxLength: 6,
    }),
    fc.constantFrom(undefined, 1, '\t'),
  )
  .map(([members, space]) => JSON.stringify(Object.fromEntries(members), undefined, space))

const anyFault = fc.constantFrom('', '', '', '"', ',', ']', '\\u12', '\u0001', 'é', ',"turns":[]')

const bytesOf = (text: string) => new TextEncoder().encode(text)
const read = (body: Uint8Array) => readFresh(body, RULES, NATIVE)

describe('a body that is read from its bytes', () => {
  it('is what it is as a text', () => {
    let count = 0
    fc.assert(
      fc.property(
        anyBody,
        fc.double({ min: 0, max: 1, noNaN: true }),
        anyFault,
        (text, at, fault) => {
          const place = Math.floor(at * text.length)
          const bytes = new TextEncoder().encode(text.slice(0, place) + fault + text.slice(place))
          const fresh = readFresh(bytes, RULES, NATIVE)
          const known = readAsText(bytes)
          if (!fresh) return
          count += 1
          expect(known && spelled(known)).toBe(spelled(fresh))
          expect(fresh.text).toBe(known?.text)
          for (const name of ['model', 'turns', 'whole', 'absent'])
            expect(fresh.memberText(name)).toBe(known?.memberText(name))
          expect([...fresh.members]).toEqual([...(known?.members ?? [])])
        },
      ),
      cases(2000),
    )
    expect(count).toBeGreaterThan(20)
  })

  it('is no other than one of UTF-8, of ASCII and more, with no member twice', () => {
    expect(read(bytesOf('{"a":"é"}'))).toBeDefined()
    for (const text of ['{"a":"e"}', '{"é":1}', '{"a":"é","a":1}', '\ufeff{"a":"é"}', '["é"]', '{'])
      expect(read(bytesOf(text))).toBeUndefined()
    const picture = 'iVBORw0KGgo'.padEnd(20_000, 'AQIDBAUG')
    // The last byte of the letter is that of a mark.
    for (const letter of ['é', 'р'])
      expect(read(bytesOf(`{"a":"${letter}","b":"${picture}"}`))).toBeUndefined()
    expect(read(joinBytes([bytesOf('{"a":"'), Uint8Array.of(0xc3), bytesOf('"}')]))).toBeUndefined()
  })

  it('has the beginning of its turns, and another string in the place of one', () => {
    const text = '{"model":"é", "turns" : [ {"a":"→"} , "ß" ] }'
    const fresh = readFresh(new TextEncoder().encode(text), RULES, NATIVE)
    expect(fresh?.beginningOf('turns', 1)).toBe('[ {"a":"→"}')
    expect(fresh?.beginningOf('turns', 8)).toBe('[ {"a":"→"} , "ß" ]')
    expect(fresh?.beginningOf('model', 1)).toBe('"é"')
    const other = wholeBytes(fresh?.respelled('model', 'm') ?? [])
    expect(new TextDecoder().decode(other)).toBe(text.replace('é', 'm'))
    expect(fresh?.respelled('absent', 'm')).toBeUndefined()
  })
})
