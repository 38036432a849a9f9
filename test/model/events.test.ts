import { describe, expect, it } from 'vitest'
import { fold, mergeExt, unfold, verify, withTail, type Event } from '../../src/model/events.ts'
import type { Reply } from '../../src/model/request.ts'

const START: Event = { type: 'start', id: 'r', model: 'm' }
const FINISH: Event = { type: 'finish', reason: 'stop' }
const TEXT: Event = { type: 'block-start', block: { kind: 'text', text: '' } }
const DELTA: Event = { type: 'block-delta', text: 'a' }
const END: Event = { type: 'block-end', tail: {} }
const FAILED: Event = { type: 'error', problem: { kind: 'internal', message: 'no' } }

describe('the grammar of events', () => {
  it.each<[string, Event[]]>([
    ['a whole reply', [START, TEXT, DELTA, END, FINISH]],
    ['a reply without blocks', [START, FINISH]],
    ['a failure before the start', [FAILED]],
    ['a failure inside a block', [START, TEXT, DELTA, FAILED]],
    ['counts inside a block', [START, TEXT, { type: 'usage', usage: {} }, END, FINISH]],
    ['the same block kind twice', [START, TEXT, END, TEXT, END, FINISH]],
  ])('accepts %s', (_, events) => expect(verify(events)).toBeUndefined())

  it.each<[string, Event[]]>([
    ['nothing', []],
    ['no end', [START, TEXT, DELTA, END]],
    ['no start', [TEXT, END, FINISH]],
    ['a second start', [START, START, FINISH]],
    ['two open blocks', [START, TEXT, TEXT, END, FINISH]],
    ['a delta outside a block', [START, DELTA, FINISH]],
    ['an empty delta', [START, TEXT, { type: 'block-delta', text: '' }, END, FINISH]],
    ['an end without a block', [START, END, FINISH]],
    ['a finish in a block', [START, TEXT, FINISH]],
    ['an event after the finish', [START, FINISH, END]],
    ['an event after the failure', [START, FAILED, FINISH]],
    ['a body in the start', [START, { type: 'block-start', block: { kind: 'text', text: 'a' } }]],
    ['a citation outside a text', [START, { type: 'citation', citation: {} }, FINISH]],
    [
      'a delta for a block without a body',
      [START, { type: 'block-start', block: { kind: 'opaque', dialect: 'x', value: {} } }, DELTA],
    ],
  ])('refuses %s', (_, events) => expect(verify(events)).toBeDefined())
})

describe('fold', () => {
  const reply: Reply = {
    id: 'r',
    model: 'm',
    blocks: [
      { kind: 'reasoning', text: 'hm', proof: { dialect: 'x', value: 's' } },
      { kind: 'text', text: 'a', citations: [{ url: 'u' }] },
      { kind: 'tool-call', id: '1', name: 'f', form: 'json', input: '{"a":1}' },
      { kind: 'media', mediaType: 'image/png', source: { data: 'AAAA' } },
    ],
    usage: { input: 1, output: 2 },
    finish: 'stop-sequence',
    stopSequence: 'END',
  }

  it('is the inverse of unfold', () => expect(fold(unfold(reply))).toEqual({ reply }))

  it('keeps a block that was cut as far as it came', () => {
    const { reply: cut } = fold([START, TEXT, DELTA, FAILED])
    expect(cut.blocks).toEqual([{ kind: 'text', text: 'a' }])
    expect(cut.finish).toBeUndefined()
  })

  it('takes the last of counts that grow, and keeps those that are not repeated', () => {
    const usage: Event[] = [
      { type: 'usage', usage: { input: 5, output: 1 } },
      { type: 'usage', usage: { output: 7 } },
    ]
    expect(fold([START, ...usage, FINISH]).reply.usage).toEqual({ input: 5, output: 7 })
  })

  it('joins what the beginning and the end know of the reply', () => {
    const { reply: joined } = fold([
      { ...START, ext: { x: { a: 1 } } },
      { ...FINISH, ext: { x: { b: 2 }, y: { c: 3 } } },
    ])
    expect(joined.ext).toEqual({ x: { a: 1, b: 2 }, y: { c: 3 } })
  })
})

describe('a tail', () => {
  it('adds its proof only to blocks that can have one', () => {
    const proof = { dialect: 'x', value: 's' }
    expect(withTail({ kind: 'text', text: '' }, { proof })).toEqual({
      kind: 'text',
      text: '',
      proof,
    })
    expect(withTail({ kind: 'refusal', text: '' }, { proof })).toEqual({
      kind: 'refusal',
      text: '',
    })
  })

  it('replaces leftovers of the same name', () => {
    expect(mergeExt({ x: { a: 1, b: 1 } }, { x: { b: 2 } })).toEqual({ x: { a: 1, b: 2 } })
    expect(mergeExt(undefined, { x: {} })).toEqual({ x: {} })
    const hostile = mergeExt({ x: {} }, JSON.parse('{"x":{"__proto__":{"a":1}}}'))
    expect(JSON.stringify(hostile)).toBe('{"x":{"__proto__":{"a":1}}}')
    expect(Object.getPrototypeOf(hostile)).toBe(Object.prototype)
  })
})
