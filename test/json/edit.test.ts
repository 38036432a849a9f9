import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editedText, withElements, withMembers } from '../../src/json/edit.ts'
import { cases } from '../cases.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

/** Edits of every kind, chosen by numbers: a member set, taken out or made; an element doubled or left out. */
function edited(value: Json, choices: readonly number[], depth = 0): Json {
  const choice = (at: number) => choices[(at + depth) % choices.length] ?? 0
  if (Array.isArray(value))
    return withElements(value, (element, index) => {
      if (choice(index) % 5 === 0) return []
      const inner = Array.isArray(element) ? element : edited(element, choices, depth + 1)
      return choice(index) % 5 === 1 && !Array.isArray(inner) ? [inner, inner] : inner
    })
  if (!isObject(value)) return value
  const changes = Object.keys(value).map((name, index): [string, Json | undefined] => {
    if (choice(index) % 7 === 0) return [name, undefined]
    if (choice(index) % 7 === 1) return [name, { made: 'here' }]
    return [name, edited(value[name] ?? null, choices, depth + 1)]
  })
  const more: [string, Json][] = choice(0) % 3 === 0 ? [['added "here"', [1]]] : []
  return withMembers(value, Object.fromEntries([...changes, ...more]))
}

const spaces = fc.constantFrom(undefined, 1, '\t', ' \n ')
const values = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<Json>
const numbers = fc.array(fc.nat(200), { minLength: 1, maxLength: 12 })

describe('the text of an edited value', () => {
  it('says the edited value, however the text was spaced', () => {
    fc.assert(
      fc.property(values, numbers, spaces, (value, choices, space) => {
        const text = ` ${JSON.stringify(value, null, space)} `
        const before: Json = JSON.parse(text)
        const after = edited(before, choices)
        expect(JSON.parse(editedText(text, before, after))).toEqual(after)
      }),
      cases(500),
    )
  })

  it('is the text itself where nothing is edited', () => {
    const text = ' { "a" : [ 1.0, { } ] } '
    const before: JsonObject = JSON.parse(text)
    expect(editedText(text, before, withMembers(before, { a: before['a'], b: undefined }))).toBe(
      text,
    )
    expect(withElements([1, 2], (element) => element)).toEqual([1, 2])
  })

  it('keeps numbers, escapes and white space of all that is not edited', () => {
    const text = String.raw`{"n": 12345678901234567890, "list": [ {"é": "\u00e9"} , {"b": 1.0} ], "n2" : 1e2}`
    const before: JsonObject = JSON.parse(text)
    const list = before['list'] as JsonObject[]
    const moved = withElements(list, (element, index) =>
      index === 0 ? [] : [{ new: true }, withMembers(element, { c: 2 })],
    )
    expect(editedText(text, before, withMembers(before, { list: moved, n2: undefined }))).toBe(
      String.raw`{"n": 12345678901234567890, "list": [{"new":true}, {"b": 1.0,"c":2} ]}`,
    )
  })

  it('takes the last of repeated members, as a parser does', () => {
    const text = '{"a":1,"b":2,"a":3}'
    const before: JsonObject = JSON.parse(text)
    expect(editedText(text, before, withMembers(before, { c: 4 }))).toBe('{"b":2,"a":3,"c":4}')
  })
})
