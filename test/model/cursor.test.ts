import { describe, expect, it } from 'vitest'
import { Cursor, ENDED_EARLY } from '../../src/model/cursor.ts'
import { fold, verify } from '../../src/model/events.ts'
import type { Block } from '../../src/model/request.ts'

const text: Block = { kind: 'text', text: '' }
const call = (id: string): Block => ({ kind: 'tool-call', id, name: 'f', form: 'json', input: '' })

/** Runs a source against a cursor and folds what comes out of it. */
function gathered(source: (cursor: Cursor) => void) {
  const cursor = new Cursor()
  source(cursor)
  const events = cursor.drain()
  expect(verify(events)).toBeUndefined()
  return fold(events)
}

describe('the cursor', () => {
  it('puts the pieces of blocks that come at the same time into order', () => {
    const { reply } = gathered((cursor) => {
      cursor.start('r', 'm')
      cursor.open('a', call('1'))
      cursor.delta('a', '{"x":')
      cursor.open('b', call('2'))
      cursor.delta('b', '{"y":')
      cursor.delta('a', '1}')
      cursor.close('b')
      cursor.close('a')
      cursor.finish('tool-call')
      cursor.done()
    })
    expect(reply.blocks).toMatchObject([
      { id: '1', input: '{"x":1}' },
      { id: '2', input: '{"y":' },
    ])
  })

  it('hands a piece over at once when its block is the first', () => {
    const cursor = new Cursor()
    cursor.open(0, text)
    cursor.delta(0, 'a')
    expect(cursor.drain()).toHaveLength(3)
    expect(cursor.drain()).toEqual([])
  })

  it('adds of a repeated body only what was not there', () => {
    const { reply } = gathered((cursor) => {
      cursor.open(0, text)
      cursor.delta(0, 'Hel')
      cursor.complete(0, 'Hello')
      cursor.complete(0, 'Hello')
      cursor.close(0)
      cursor.finish('stop')
      cursor.done()
    })
    expect(reply.blocks).toEqual([{ kind: 'text', text: 'Hello' }])
  })

  it('gives a call without arguments the empty object', () => {
    const { reply } = gathered((cursor) => {
      cursor.whole(0, call('1'))
      cursor.finish('stop')
      cursor.done()
    })
    expect(reply).toMatchObject({ blocks: [{ input: '{}' }], finish: 'tool-call' })
  })

  it('raises a body only when it is whole', () => {
    const { reply } = gathered((cursor) => {
      cursor.open(0, { ...call('1'), form: 'text' } as Block, (body) => body.toUpperCase())
      cursor.delta(0, 'a')
      cursor.delta(0, 'b')
      cursor.close(0)
      cursor.finish('length')
      cursor.done()
    })
    expect(reply).toMatchObject({ blocks: [{ input: 'AB' }], finish: 'length' })
  })

  it('closes what its source left open', () => {
    const { reply } = gathered((cursor) => {
      cursor.open(0, text)
      cursor.delta(0, 'a')
      cursor.open(1, text)
      cursor.delta(1, 'b')
      cursor.finish('stop')
      cursor.done()
    })
    expect(reply.blocks).toHaveLength(2)
  })

  it('calls an end without a reason a failure', () => {
    const { problem } = gathered((cursor) => {
      cursor.open(0, text)
      cursor.done()
    })
    expect(problem).toEqual(ENDED_EARLY)
  })

  it('lets nothing follow the end', () => {
    const cursor = new Cursor()
    cursor.fail(ENDED_EARLY)
    cursor.drain()
    cursor.start('r', 'm')
    cursor.open(0, text)
    cursor.delta(0, 'a')
    cursor.close(0)
    cursor.usage({ input: 1 })
    cursor.finish('stop')
    cursor.done()
    cursor.fail(ENDED_EARLY)
    expect(cursor.drain()).toEqual([])
  })

  it('never cuts a character in two', () => {
    const cursor = new Cursor()
    cursor.open(0, text)
    cursor.delta(0, 'a\ud83d')
    cursor.delta(0, '\ude00b')
    const deltas = cursor
      .drain()
      .flatMap((event) => (event.type === 'block-delta' ? event.text : []))
    expect(deltas.join('')).toBe('a\u{1f600}b')
    for (const delta of deltas) expect(delta.isWellFormed()).toBe(true)
  })

  it('does not lose half a character that nothing follows', () => {
    const { reply } = gathered((cursor) => {
      cursor.open(0, text)
      cursor.delta(0, 'a\ud83d')
      cursor.close(0)
      cursor.finish('stop')
      cursor.done()
    })
    expect(reply.blocks).toEqual([{ kind: 'text', text: 'a\ud83d' }])
  })
})
