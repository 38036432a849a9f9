import { afterEach, describe, expect, it, vi } from 'vitest'
import { Received } from '../../src/exchange/received.ts'
import { wholeBytes } from '../../src/json/bytes.ts'
import { parse, type JsonObject } from '../../src/json/json.ts'

const TURNS = 20
const PICTURE = 'iVBORw0KGgo'.padEnd(100_000, 'AQIDBAUGBwgJ')

function bodyOf(...said: string[]): JsonObject {
  const turns = Array.from({ length: TURNS }, (_, index) => `${index} ${'plain '.repeat(99)}`)
  return { model: 'm', turns: [...said, ...turns], tools: [], user: said[0] ?? '' }
}

/** What a body is written as, and the longest text that was spelled for it. */
function written(body: JsonObject, isText = true): { text: string; longest: number } {
  const received = new Received(new TextEncoder().encode(JSON.stringify(body)))
  const read = isText ? (parse(received.text) as JsonObject) : body
  received.leave()
  const spelled = vi.spyOn(JSON, 'stringify')
  const bytes = wholeBytes(received.written(read))
  const lengths = spelled.mock.results.map(({ value }) => String(value).length)
  vi.restoreAllMocks()
  return { text: new TextDecoder().decode(bytes), longest: Math.max(...lengths) }
}

afterEach(() => vi.restoreAllMocks())

describe.each([
  ['without long data', []],
  ['with long data', [PICTURE, `${PICTURE}/`]],
])('a body %s', (_, long) => {
  it('is never one text of two bytes a character', () => {
    const body = bodyOf('合計', ...long, '„Summe“')
    const { text, longest } = written(body)
    expect(text === JSON.stringify(body)).toBe(true)
    expect(longest).toBeLessThan(text.length / TURNS)
  })

  it('is one text where that is ASCII', () => {
    const body = bodyOf('total', ...long)
    const { text, longest } = written(body)
    expect(text === JSON.stringify(body)).toBe(true)
    expect(longest).toBeGreaterThan(TURNS * 600)
  })
})

it('is written in parts where it was not read as a text', () => {
  const body = bodyOf('合計')
  const { text, longest } = written(body, false)
  expect(text).toBe(JSON.stringify(body))
  expect(longest).toBeLessThan(text.length / TURNS)
})
