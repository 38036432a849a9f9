import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageReader } from './reader.ts'
import { cases } from '../cases.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'
const chunked = (...parts: string[]) =>
  `${HEAD}Transfer-Encoding: chunked\r\n\r\n` +
  parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('') +
  '0\r\n\r\n'
const sized = (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`

/** What is heard of a message that arrives in pieces cut at the given places. */
function heard(message: string, cuts: readonly number[] = []) {
  let body = ''
  const reader = new MessageReader((chunk) => (body += chunk.toString('latin1')))
  const bytes = Buffer.from(message, 'latin1')
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  const completions = places
    .slice(1)
    .map((end, index) => bytes.subarray(places[index], end))
    .filter((piece) => piece.length > 0)
    .map((piece) => reader.push(piece))
  return { body, bytes: reader.bytes, startLine: reader.startLine, completions }
}

describe('the reader of HTTP messages', () => {
  it('reads a body of a known length', () => {
    const { body, startLine, completions } = heard(sized('hello'))
    expect([body, startLine, completions]).toEqual(['hello', 'HTTP/1.1 200 OK', [true]])
  })

  it('reads chunks', () => {
    expect(heard(chunked('hel', 'lo', 'x'.repeat(1000)))).toMatchObject({
      body: `hello${'x'.repeat(1000)}`,
      bytes: 1005,
      completions: [true],
    })
  })

  it('takes a message without length for one without body', () => {
    expect(heard(`GET / HTTP/1.1\r\nhost: x\r\n\r\n`).completions).toEqual([true])
    expect(heard(sized('')).completions).toEqual([true])
  })

  it('begins anew with the next message', () => {
    const reader = new MessageReader()
    expect(reader.push(Buffer.from(chunked('a')))).toBe(true)
    expect(reader.push(Buffer.from(sized('bcd')))).toBe(true)
    expect(reader.bytes).toBe(3)
  })

  it('does not care where a message is cut, and knows its end only at its end', () => {
    const message = fc.oneof(
      fc.string({ unit: 'binary-ascii' }).map(sized),
      fc.array(fc.string({ unit: 'binary-ascii', minLength: 1 })).map((parts) => chunked(...parts)),
    )
    const property = fc.property(message, fc.array(fc.nat(400)), (text, places) => {
      const cuts = places.filter((place) => place < text.length)
      const whole = heard(text)
      const pieces = heard(text, cuts)
      expect({ ...pieces, completions: pieces.completions.at(-1) }).toEqual({
        ...whole,
        completions: true,
      })
      expect(pieces.completions.slice(0, -1)).not.toContain(true)
    })
    fc.assert(property, cases(300))
  })
})
