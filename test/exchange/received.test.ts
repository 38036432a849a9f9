import { describe, expect, it } from 'vitest'
import { wholeBytes } from '../../src/json/bytes.ts'
import { Received } from '../../src/exchange/received.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const data = 'iVBORw0KGgo'.padEnd(100_000, 'AQIDBAUGBwgJ')

describe('a body with long data', () => {
  const json = JSON.stringify({ words: 'ä – \u{1f600}', data: ['', data, '!'], more: data })

  it('is the same again as text and as bytes, whatever is told of it', () => {
    const body = new Received(encode(json))
    expect(body.text.length).toBeLessThan(1000)
    const told = `[${body.text},"ü"]`
    expect(body.filled(told) === `[${json},"ü"]`).toBe(true)
    expect(decode(wholeBytes(body.encoded(told))) === `[${json},"ü"]`).toBe(true)
  })
  it('leaves a text alone that nothing was left out of', () => {
    const body = new Received(encode(json))
    expect(body.filled('before anybody looked')).toBe('before anybody looked')
    expect(body.text).not.toBe(json)
    expect(body.filled('a lone \ud800')).toBe('a lone \ud800')
  })
})
