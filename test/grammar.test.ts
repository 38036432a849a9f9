import { describe, expect, it } from 'vitest'
import type { Frame } from '../adapters/contract.ts'
import { DIALECTS } from '../adapters/dialect.ts'
import { kits } from './dialects/index.ts'

describe.each(DIALECTS)('the grammar of %s', (dialect) => {
  const { grammar, correctStream } = kits[dialect]
  const { events, named, mayBeMissing, mayComeTwice } = correctStream
  const frames = events.map((event): Frame => ({
    ...(named && { event: String(event['type']) }),
    data: JSON.stringify(event),
  }))
  const each = events.map((event, index) => ({ event, index }))

  it('accepts a correct stream', () => expect(grammar.check(frames)).toBeUndefined())

  it.each(each)('notices that frame $index is missing', ({ event, index }) => {
    if (mayBeMissing(event)) return
    expect(grammar.check(frames.toSpliced(index, 1))).toBeDefined()
  })

  it.each(each)('notices that frame $index comes twice', ({ event, index }) => {
    if (mayComeTwice(event)) return
    const frame = frames[index]
    expect(grammar.check(frame ? frames.toSpliced(index, 0, frame) : [])).toBeDefined()
  })

  it('notices a frame after the end and an empty stream', () => {
    expect(grammar.check([...frames, ...frames.slice(-1)])).toBeDefined()
    expect(grammar.check([])).toBeDefined()
  })

  it('notices wrong event lines', () => {
    const wrong = frames.map((frame) => ({ event: 'other', data: frame.data }))
    expect(grammar.check(wrong)).toBeDefined()
  })
})

describe.each(['chat-completions', 'generate-content'] as const)(
  'the grammar of several answers of %s',
  (dialect) => {
    const { grammar, correctStream } = kits[dialect]
    const list = dialect === 'chat-completions' ? 'choices' : 'candidates'
    const frames = correctStream.events.flatMap((event): Frame[] => {
      const mine = (event as Record<string, object[]>)[list] ?? []
      const other = { ...event, [list]: mine.map((one) => ({ ...one, index: 1 })) }
      const data = JSON.stringify(event)
      return mine.length > 0 ? [{ data }, { data: JSON.stringify(other) }] : [{ data }]
    })

    it('accepts a correct stream, only where several were asked for', () => {
      expect(grammar.check(frames, 2)).toBeUndefined()
      expect(grammar.check(frames)).toBeDefined()
    })

    it('notices a frame of the second that comes after its end', () => {
      const at = frames.findLastIndex(({ data }) => data.includes('"index":1'))
      const late = frames[at]
      expect(grammar.check(late ? frames.toSpliced(at, 0, late) : [], 2)).toBeDefined()
    })
  },
)
