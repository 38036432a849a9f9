import { describe, expect, it } from 'vitest'
import { stringify, Verbatim } from '../../src/json/json.ts'
import { eventFrame } from '../../src/stream/event-text.ts'
import { oneLine } from '../../src/stream/one-line.ts'
import { sseEvents, sseFrame } from '../../src/stream/sse.ts'
import { framer } from '../../src/stream/framings.ts'
import { deltaEvents } from '../../src/stream/wire-events.ts'
import { framesIn } from '../line-reader.ts'

const PRETTY = '{\r\n\t"a" : "x\u2028y\u2029z\u0085",\r "b":\n[\n1,\n1e400]\n}'
const FOLDED = '{ \t"a" : "x\\u2028y\\u2029z\\u0085",  "b": [ 1, 1e400] }'

describe('JSON on one line', () => {
  it('has nothing that ends a line, and says the same', () => {
    expect(oneLine(PRETTY)).toBe(FOLDED)
    expect(JSON.parse(oneLine(PRETTY))).toEqual(JSON.parse(PRETTY))
  })

  it('is left alone where it is one line', () => {
    const text = '{"a":"\\n\\u2028\u2027\u0084","b": 1}'
    expect(oneLine(text)).toBe(text)
  })
})

describe('an event', () => {
  const raw = new Verbatim(PRETTY)
  it.each([
    { name: 'a', data: raw },
    { data: raw },
    deltaEvents('a', (text) => ({ text, schema: raw }))('\u2028\n'),
  ])('is read as it was meant, whatever is in it', (said) => {
    for (const text of [sseFrame(eventFrame(said)), sseEvents()(said)]) {
      const [read, ...more] = framesIn(text)
      expect(more).toEqual([])
      expect(read?.event).toBe(said.name)
      expect(JSON.parse(read?.data ?? '')).toEqual(JSON.parse(stringify(said.data)))
    }
  })

  it('is one line of an array, too', () => {
    const frames = framer('json-array')
    const text = frames.write([{ data: raw }, { data: {} }]) + frames.end()
    expect(text).toBe(`[${FOLDED},\n{}]`)
  })
})
