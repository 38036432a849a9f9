import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeltaTemplates } from '../../src/stream/pieces/delta-templates.ts'
import type { Event } from '../../src/model/events.ts'
import { isObject, parse, stringify, Verbatim } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { frameReader } from '../../src/stream/event-reader.ts'
import { oneLine } from '../../src/stream/one-line.ts'
import { Template } from '../../src/stream/pieces/template.ts'
import { DeltaHint, DONE } from '../../src/stream/wire-events.ts'
import { cases } from '../cases.ts'
import { mutate, pathsOf } from '../laws/mutate.ts'
import { NO_JSON_EVENT } from '../../src/problems/failures.ts'

const PLACE = ['delta', 'text']
const VERBATIM = verbatimPaths('args')
const UNREAD = { counts: [['n'], ['usage', 'total']], noise: [['noise']] }

/** What is said of a text beside its piece, its counts and what nobody reads. */
function around(text: string): string {
  const literals = [PLACE, ...UNREAD.noise, ...UNREAD.counts]
  return stringify(literals.reduce((value, literal) => mutate(value, literal, null), parse(text)))
}

const pieceIn = (text: string): unknown => {
  const value = parse(text)
  return isObject(value) && isObject(value['delta']) ? value['delta']['text'] : undefined
}

/** The pieces that are taken of texts, each behind the first; undefined for one that is not like the first. */
function taken(first: string, texts: readonly string[]) {
  return texts.map((data) => {
    const templates = new DeltaTemplates(VERBATIM, UNREAD)
    templates.parse(first)
    templates.lookAt(PLACE, first)
    return templates.pieceOf(data)
  })
}

const chunk = (more: object = {}) =>
  JSON.stringify({ type: 'x', i: 0, delta: { text: 'a', type: 'y' }, n: 1, noise: '', ...more })

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '"', '\\', '\n', '\u{1F600}', 'word'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(true, false, null, [], {}),
)
const anyChunk = fc
  .record({ delta: fc.record({ text: scalar }), n: scalar, noise: scalar, usage: scalar })
  .map((more) => chunk(more))

describe('texts that are alike', () => {
  it('differ in a piece, in counts and in what nobody reads', () => {
    fc.assert(
      fc.property(anyChunk, fc.nat(), scalar, fc.nat(90), (first, where, value, cut) => {
        const paths = pathsOf(parse(first))
        const other = stringify(mutate(parse(first), paths[where % paths.length] ?? [], value))
        const text = cut < other.length ? other.slice(0, -1 - (cut % 3)) : other
        for (const data of [text, other]) {
          const [piece] = taken(first, [data])
          if (piece === undefined) continue
          expect(pieceIn(data)).toBe(piece)
          expect(around(data)).toBe(around(first))
        }
      }),
      cases(2000),
    )
  })
  it('are known by what stands around', () => {
    const texts = [
      chunk({ delta: { text: 'b "c"\n\u{1F600}', type: 'y' }, n: 12, noise: 'abc' }),
      chunk({ delta: { text: '', type: 'y' } }),
      chunk({ i: 1 }),
      chunk({ n: '1' }),
      chunk({ n: -1 }),
      chunk({ n: 1.5 }),
      chunk({ noise: 7 }),
      chunk({ delta: { text: 7, type: 'y' } }),
      `${chunk()} `,
    ]
    const none = undefined
    const all = ['b "c"\n\u{1F600}', '', none, none, none, none, none, none, none]
    expect(taken(chunk(), texts)).toEqual(all)
  })
  it.each([
    [
      'no JSON',
      ['{"delta":{"text":"a}}', '{"delta":{"text":"\u0001"}}', '{"delta":{"text":"\\q"}}'],
    ],
    ['no number', ['{"delta":{"text":"a"},"n":02}', '{"delta":{"text":"a"},"n":}']],
    ['longer', ['{"delta":{"text":"a"}}}', '{"delta":{"text":"a"}}{}']],
  ])('are JSON: %s', (_, texts) => {
    expect(taken('{"delta":{"text":"a"}}', texts).every((each) => each === undefined)).toBe(true)
    expect(taken('{"delta":{"text":"a"},"n":1}', texts).some((each) => each)).toBe(false)
  })
  it.each([
    ['a member that comes twice', '{"delta":{"text":"a"},"a":1,"a":2}'],
    ['a prototype', '{"delta":{"text":"a"},"__proto__":1}'],
    ['a subtree that stays text', '{"delta":{"text":"a"},"args":{"a":1}}'],
    ['no piece', '{"delta":{"words":"a"}}'],
    ['a piece that is no string', '{"delta":{"text":1}}'],
    ['no JSON', '{"delta":{"text":"a"}'],
  ])('are not looked for where there is %s', (_, text) => {
    const templates = new DeltaTemplates(VERBATIM, UNREAD)
    if (text.endsWith('}}')) templates.parse(text)
    templates.lookAt(PLACE, text)
    expect(templates.pieceOf(text)).toBeUndefined()
  })
  it('may have white space in them, which is part of what stands around', () => {
    const spaced = '{ "type": "content_block_delta", "delta": { "text":"b"} }'
    const texts = [spaced, spaced.replace(' }', '}'), spaced.replaceAll(' ', '')]
    expect(taken(spaced.replace('"b"', '"a"'), texts)).toEqual(['b', undefined, undefined])
  })
  it('come one directly after the other', () => {
    const templates = new DeltaTemplates(VERBATIM, UNREAD)
    templates.parse(chunk())
    expect(templates.pieceOf(chunk())).toBeUndefined()
    templates.lookAt(PLACE, chunk())
    expect(templates.pieceOf(chunk())).toBe('a')
    templates.parse(chunk({ i: 1 }))
    templates.lookAt(PLACE, chunk({ i: 1 }))
    expect(templates.pieceOf(chunk())).toBeUndefined()
    expect(templates.pieceOf(chunk({ i: 1, n: 2 }))).toBe('a')
    expect(templates.last()).toEqual(JSON.parse(chunk({ i: 1, n: 2 })))
    templates.parse(chunk({ i: 2 }))
    expect(templates.pieceOf(chunk({ i: 2 }))).toBeUndefined()
  })
})

const said = (text: string): Event[] => [{ type: 'block-delta', text }]

describe('a reader that tells of deltas', () => {
  const read: unknown[] = []
  const hint = new DeltaHint(UNREAD, (data) => read.push(['last', data]))
  const reader = frameReader({
    verbatim: VERBATIM,
    hint,
    body: () => [],
    push({ name, data }) {
      read.push([name, data])
      if (isObject(data) && data['delta'] !== undefined) hint.give(PLACE, said)
      return []
    },
    end: () => said('end'),
  })
  const frames = (...texts: string[]) => {
    read.length = 0
    return texts.flatMap((data) => reader.read({ event: 'e', data }))
  }
  const second = chunk({ n: 2 })

  it('is given the first of them, the pieces of the others, and the last one for its counts', () => {
    expect(frames(chunk(), second, chunk({ n: 3 }))).toEqual([...said('a'), ...said('a')])
    expect(frames('{"n":1}')).toEqual([])
    expect(read).toEqual([
      ['last', JSON.parse(chunk({ n: 3 }))],
      ['e', { n: 1 }],
    ])
  })
  it('is given an event of another name', () => {
    frames(chunk())
    expect(reader.read({ event: 'f', data: second })).toEqual([])
    expect(read).toEqual([
      ['e', JSON.parse(chunk())],
      ['f', JSON.parse(second)],
    ])
  })
  it('has to tell of each kind anew', () => {
    expect(frames(chunk(), '{"n":1}', '{"n":1}', chunk(), second)).toEqual(said('a'))
  })
  it('hears of what is no JSON, of the end, and of the word for it', () => {
    frames(chunk(), second)
    expect(reader.end()).toEqual(said('end'))
    expect(read.at(-1)).toEqual(['last', JSON.parse(second)])
    expect(frames('', ' ', '[DONE]', '{', '{}')).toEqual([
      { type: 'error', problem: NO_JSON_EVENT },
    ])
    expect(read).toEqual([['e', DONE]])
  })
})

const delta = (text: string, count: number) => ({ type: 'x', delta: { text }, n: count })

describe('a template', () => {
  it('writes what stringify writes, on one line', () => {
    const row = new Template(delta)
    const framed = row.within('data: ', '\n\n')
    const sign = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('\n', '\r', '\u0085', '\u2028', '\u2029', '"', '\\', '\ud800'),
    )
    const text = fc.array(sign, { maxLength: 5 }).map((signs) => signs.join(''))
    fc.assert(
      fc.property(text, fc.nat(), (piece, count) => {
        const line = oneLine(stringify(delta(piece, count)))
        expect(row.write(piece, count)).toBe(line)
        expect(framed(piece, count)).toBe(`data: ${line}\n\n`)
      }),
      cases(1000),
    )
  })

  it.each([
    ['twice', (text: string) => ({ text, again: text })],
    ['not at all', () => ({ text: 'always' })],
    ['within another', (text: string) => ({ text: `<${text}>` })],
    ['before something', (text: string) => ({ text: `${text}>` })],
    ['behind a count', (text: string, count: number) => ({ count, text })],
    ['beside two counts', (text: string, count: number) => ({ text, count, again: count })],
    ['without a count', (text: string) => ({ text, more: true })],
    ['beside a verbatim text', (text: string) => ({ text, args: new Verbatim('{"a": 1.0}') })],
  ])('is exact where the text stands %s', (_, make) => {
    const row = new Template(make)
    const framed = row.within('<', '>')
    for (const text of ['a', 'b', '"', '\ud800', '\u{1F600}', '\u0000']) {
      expect(row.write(text, 7)).toBe(stringify(make(text, 7)))
      expect(framed(text, 7)).toBe(`<${stringify(make(text, 7))}>`)
    }
  })
})
