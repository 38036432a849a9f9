import { describe, expect, it } from 'vitest'
import { framingOf } from '../../src/stream/framings.ts'
import { sseParser, type FrameCutter } from '../../src/stream/sse.ts'
import { cutsOf } from './cuts.ts'

const OPEN = 'data: {"a":1}\n\n'

/** What is part of no event, of a stream that is cut in two at each place. */
function foreignIn(make: () => FrameCutter, stream: string): Set<string> {
  const found = new Set<string>()
  for (let at = 0; at <= stream.length; at += 1) {
    const parser = make()
    cutsOf(parser, stream.slice(0, at))
    cutsOf(parser, stream.slice(at))
    parser.rest()
    found.add(parser.foreign)
  }
  return found
}

describe('what is part of no event', () => {
  it.each([
    ['a page', `${OPEN}<html>\r\n\r\n<h1>No</h1>\r\n`, /^<html>\s*<h1>No<\/h1>$/],
    ['a line behind a comment', `${OPEN}: comment\nDenied: no`, /^Denied: no$/],
    ['words before JSON', `${OPEN}Denied\n{"b":1}`, /^Denied$/],
    ['nothing but fields', `${OPEN}id: 1\nretry: 3\n\ndata`, /^$/],
    ['half the name of a field', `${OPEN}ev`, /^$/],
    ['words before an event', `<html>\n\n${OPEN}`, /^$/],
    ['words in an event', `${OPEN}Denied\ndata: {"b":2}\n\n`, /^$/],
  ])('is known however it is cut: %s', (_, stream, expected) => {
    for (const make of [() => sseParser(1000), () => framingOf('sse').cutter(1000)])
      for (const foreign of foreignIn(make, stream)) expect(foreign).toMatch(expected)
  })

  it.each([
    ['[{"a":1}', ''],
    ['[{"a":1},\n{"b', ''],
    ['[{"a":1}\n]\n', ''],
    ['[{"a":1}<h1>No</h1>', '<h1>No</h1>'],
    ['[{"a":1}]\nDenied', 'Denied'],
  ])('is known in a list: %s', (list, expected) => {
    const cutter = framingOf('json-array').cutter(1000)
    const cuts = [...cutsOf(cutter, list), ...cutter.rest()]
    expect(cutter.foreign).toBe(expected)
    expect(JSON.parse(cuts.map(({ text }) => text).join(''))).toEqual([{ a: 1 }])
  })
})

it('data alone is left of an event, with its line ends', () => {
  const { dataOnly } = framingOf('sse')
  const one = 'data: {"a":"event: b"}\r\n\r\n'
  expect(dataOnly(one)).toBe(one)
  expect(dataOnly(`: c\r\nevent: b\r\n${one}`)).toBe(one)
  expect(dataOnly(`\u{feff}data: {\n: c\nid: 1\rdata: }\n\n`)).toBe('\u{feff}data: {\ndata: }\n\n')
})
