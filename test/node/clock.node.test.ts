import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SharedClock } from '../../src/node/server/clock.ts'
import { steppedSource } from '../../src/stream/stream-out.ts'
import { TOOK_TOO_LONG } from '../../src/problems/failures.ts'
import { callDeadline } from '../../src/upstream/call-deadline.ts'

/** Lets time pass that no machine can stretch. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A clock whose alarms write down their names and the time when they ring. */
function stage() {
  const clock = new SharedClock()
  const rung: { name: string; at: number }[] = []
  const make = (name: string, also: () => void = () => undefined) =>
    clock.alarm(() => {
      rung.push({ name, at: performance.now() })
      also()
    })
  return { clock, rung, make, names: () => rung.map(({ name }) => name) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('alarms that share a timer', () => {
  it('ring each at its time, also when a later one was set first', async () => {
    const { rung, make } = stage()
    const began = performance.now()
    make('late').set(60)
    make('early').set(20)
    make('between').setAt(began + 40)
    await pass(120)
    expect(rung.map(({ name, at }) => [name, at - began])).toEqual([
      ['early', 20],
      ['between', 40],
      ['late', 60],
    ])
  })

  it('are looked at together at most every ten milliseconds, the earliest first, and never too soon', async () => {
    const { rung, make } = stage()
    const began = performance.now()
    make('third').setAt(began + 12.5)
    make('second').setAt(began + 11.5)
    make('first').setAt(began + 9.5)
    await pass(60)
    expect(rung.map(({ name, at }) => [name, at - began])).toEqual([
      ['first', 10],
      ['second', 20],
      ['third', 20],
    ])
  })

  it('ring once, and not at a time that was replaced, stopped or closed', async () => {
    const { clock, make, names } = stage()
    const moved = make('moved')
    moved.set(10)
    moved.set(70)
    const stopped = make('stopped')
    stopped.set(10)
    stopped.stop()
    const closed = make('closed')
    closed.set(10)
    closed.close()
    await pass(45)
    expect(names()).toEqual([])
    await pass(60)
    expect(names()).toEqual(['moved'])
    moved.close()
    stopped.close()
    expect(clock.size).toBe(0)
  })

  it('do not ring where another that rings at the same time closes or moves them', async () => {
    const { make, names } = stage()
    const closed = make('closed')
    const moved = make('moved')
    make('first', () => {
      closed.close()
      moved.set(60)
    }).set(10)
    closed.set(10)
    moved.set(10)
    await pass(40)
    expect(names()).toEqual(['first'])
    await pass(60)
    expect(names()).toEqual(['first', 'moved'])
  })

  it('may be set again by their own ring', async () => {
    const { make, names } = stage()
    const alarm = make('beat', () => void (names().length < 3 && alarm.set(10)))
    alarm.set(10)
    await pass(120)
    expect(names()).toEqual(['beat', 'beat', 'beat'])
  })

  it('are all gone once calls and streams are over', async () => {
    const { clock } = stage()
    const caller = new AbortController().signal
    const line = callDeadline({ caller, totalMs: 20, alarm: clock.alarm })
    line.relax()
    const late = line.wait(new Promise<void>(() => undefined)).catch((error) => error)
    await pass(20)
    expect(await late).toBe(TOOK_TOO_LONG)
    const ended = callDeadline({ caller, totalMs: 1000, alarm: clock.alarm })
    ended.relax()
    expect(clock.size).toBe(1)
    ended.close()
    const source = steppedSource(async () => ({ bytes: new Uint8Array(1), last: false }), {
      heartbeatMs: 1000,
      heartbeat: () => undefined,
      alarm: clock.alarm,
      stop: () => undefined,
    })
    await source.read()
    expect(clock.size).toBe(1)
    source.cancel()
    expect(clock.size).toBe(0)
  })
})
