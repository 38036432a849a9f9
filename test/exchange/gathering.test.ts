import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CONNECTION_LOST } from '../../src/problems/failures.ts'
import { Gathering, type HeardPiece } from '../../src/exchange/reply/gathering.ts'
import type { Event } from '../../src/model/events.ts'
import type { Piece } from '../../src/upstream/call.ts'
import { proxyOf, sse, sseReply, type SettingsChange } from './proxy.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

const delta = (text: string): Event => ({ type: 'block-delta', text })
const end: Event = { type: 'block-end', tail: {} }
const usage: Event = { type: 'usage', usage: { output: 1 } }

/** Pieces that come when the test says so; each is one byte. */
function stage(ms: number) {
  const brought = new Map<Piece, HeardPiece['frames']>()
  const come: Piece[] = []
  let waiting: ((piece: Piece) => void) | undefined
  let reads = 0
  const gathering = new Gathering({
    ms,
    read: () => {
      reads += 1
      const piece = come.shift()
      return piece ? Promise.resolve(piece) : new Promise((resolve) => (waiting = resolve))
    },
    hear: (piece) => ({ frames: brought.get(piece) ?? [], piece, isBetween: false }),
  })
  const bring = (piece: Piece, frames: HeardPiece['frames'] = []) => {
    brought.set(piece, frames)
    if (!waiting) return void come.push(piece)
    waiting(piece)
    waiting = undefined
  }
  const next = () => {
    const heard: { events?: string; piece?: Piece } = {}
    void (async () => {
      const { frames, piece } = await gathering.next()
      const events = frames.flatMap((frame) => frame.events)
      heard.events = events.map((event) => ('text' in event ? event.text : event.type)).join(' ')
      heard.piece = piece
    })()
    return heard
  }
  return {
    next,
    say: (...events: Event[]) =>
      bring({ bytes: new Uint8Array(1) }, [{ text: '', frame: undefined, events }]),
    sayHalf: () => bring({ bytes: new Uint8Array(1) }),
    sayMuch: () => bring({ bytes: new Uint8Array(65_536) }),
    fail: () => bring({ problem: CONNECTION_LOST }),
    reads: () => reads,
  }
}

/** One whose first delta has been handed on. */
async function begun(ms: number) {
  const made = stage(ms)
  const first = made.next()
  made.say(delta('first'))
  await later(0)
  expect(first.events).toBe('first')
  return made
}

describe('deltas that wait for others', () => {
  it('leave together when the time is up, in their order', async () => {
    const { next, say } = await begun(60)
    const heard = next()
    await later(30)
    say(delta('a'))
    await later(20)
    say(delta('b'))
    await later(20)
    say(delta('c'), delta('d'))
    await later(19)
    expect(heard.events).toBeUndefined()
    await later(1)
    expect(heard.events).toBe('a b c d')
    expect(heard.piece?.bytes).toHaveLength(3)
    const after = next()
    say(delta('e'))
    await later(59)
    expect(after.events).toBeUndefined()
    await later(1)
    expect(after.events).toBe('e')
  })

  it('are not the first ones, also where a part of them came before', async () => {
    const { next, say, sayHalf } = stage(60)
    const half = next()
    sayHalf()
    await later(0)
    expect(half.events).toBe('')
    const first = next()
    say(delta('first'))
    await later(0)
    expect(first.events).toBe('first')
  })

  it.each([
    ['the end of a call', [end]],
    ['a delta and its end', [delta('b'), end]],
    ['an end of the reply', [{ type: 'finish', reason: 'stop' } as Event]],
    ['a count alone', [usage]],
    ['what is no event', []],
  ])('leave at once with %s', async (_, events) => {
    const { next, say } = await begun(60)
    const heard = next()
    say(delta('a'))
    await later(20)
    say(...events)
    await later(0)
    expect(heard.events).toMatch(/^a\b/)
  })

  it('wait where a count, the half of a frame or another answer comes with them', async () => {
    const { next, say, sayHalf } = await begun(60)
    const heard = next()
    say(delta('a'), usage)
    await later(10)
    sayHalf()
    say({ type: 'candidate', index: 1, event: delta('b') })
    await later(49)
    expect(heard.events).toBeUndefined()
    await later(1)
    expect(heard.events).toBe('a usage candidate')
  })

  it('leave before a failure, which waits for nothing', async () => {
    const { next, say, fail } = await begun(60)
    const heard = next()
    say(delta('a'))
    await later(20)
    fail()
    await later(0)
    expect(heard.events).toBe('a')
    const failed = next()
    await later(0)
    expect(failed.piece).toEqual({ problem: CONNECTION_LOST })
  })

  it('leave when they are many, and nothing is read before they are asked for again', async () => {
    const { next, say, sayMuch, reads } = await begun(60)
    const heard = next()
    say(delta('a'))
    await later(1)
    sayMuch()
    await later(0)
    expect(heard.events).toBe('a')
    const before = reads()
    await later(1000)
    expect(reads()).toBe(before)
  })

  it('are not held up where others come too late to be had', async () => {
    const { next, say } = await begun(60)
    const heard = next()
    await later(61)
    say(delta('a'))
    await later(0)
    expect(heard.events).toBe('a')
  })
})

const START = sse({ modelName: 'pathy-1' })
const word = (text: string) => sse({ t: 'text', text })
const END = sse({ t: 'end' })

/** A whole exchange with an upstream that says what the test says. */
async function exchange(limits: SettingsChange['limits'], model = 'pathy-1') {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (control = given) })
  const proxy = proxyOf(() => ({ ...sseReply([]), body }), { limits: { ...limits } })
  const say = (text: string) => control?.enqueue(new TextEncoder().encode(text))
  say(model === 'pathy-1' ? START + word('a') : sse({ t: 'start' }) + word('a'))
  const response = await proxy.fetch('/v1/plain', { body: { model, text: 'hi', stream: true } })
  const reader = response.body?.getReader()
  const read = () => {
    const got: { text?: string } = {}
    const taken = reader?.read().then(({ value }) => (got.text = new TextDecoder().decode(value)))
    taken?.catch(() => {})
    return got
  }
  const opening = read()
  await later(0)
  expect(opening.text).toContain(word('a'))
  return { say, read, fail: () => control?.error(new Error('broken')), proxy }
}

describe('a stream with gatherMs', () => {
  it('is written in fewer pieces when it is translated, and is the same', async () => {
    const { say, read } = await exchange({ gatherMs: 60 })
    say(word('b'))
    const second = read()
    await later(0)
    expect(second.text).toBe(word('b'))
    const heard = read()
    for (const text of ['c', 'd']) {
      await later(20)
      say(word(text))
    }
    await later(39)
    expect(heard.text).toBeUndefined()
    await later(21)
    expect(heard.text).toBe(word('c') + word('d'))
    const last = read()
    say(word('e'))
    await later(10)
    say(END)
    await later(0)
    expect(last.text).toBe(word('e') + END)
  })

  it('tells a failure at once, behind what waited', async () => {
    const { say, read, fail } = await exchange({ gatherMs: 60 })
    say(word('b'))
    read()
    await later(0)
    const heard = read()
    say(word('c'))
    await later(10)
    fail()
    const failed = read()
    await later(0)
    expect(heard.text).toBe(word('c'))
    expect(failed.text).toContain('"t":"error"')
  })

  it('is written as it comes with 0', async () => {
    const { say, read } = await exchange({ gatherMs: 0 })
    for (const text of ['b', 'c', 'd']) {
      const heard = read()
      say(word(text))
      await later(0)
      expect(heard.text).toBe(word(text))
    }
  })

  it('is kept alive meanwhile', async () => {
    const { say, read } = await exchange({ gatherMs: 1000, heartbeatMs: 600 })
    say(word('b'))
    read()
    await later(0)
    const beat = read()
    say(word('c'))
    await later(600)
    expect(beat.text).toBe(': ping\n\n')
    const heard = read()
    await later(400)
    expect(heard.text).toContain(word('c'))
  })

  it('is not held back where it passes as it came', async () => {
    const { say, read } = await exchange({ gatherMs: 1000 }, 'plain-1')
    for (const text of ['b', 'c', 'd']) {
      const heard = read()
      await later(20)
      say(word(text))
      await later(1)
      expect(heard.text).toBe(word(text))
    }
  })

  it('is taken in fewer pieces in a burst where it passes', async () => {
    const { say, read } = await exchange({ gatherMs: 60 }, 'plain-1')
    say(word('b'))
    read()
    await later(0)
    for (const text of ['c', 'd', 'e']) say(word(text))
    const heard = read()
    await later(1)
    expect(heard.text).toBe(word('c') + word('d') + word('e'))
  })
})
