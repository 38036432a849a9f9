import { afterEach, describe, expect, it } from 'vitest'
import { SharedClock } from '../../src/node/clock.ts'
import { steppedSource } from '../../src/stream/stream-out.ts'
import { TOOK_TOO_LONG } from '../../src/model/failures.ts'
import { callDeadline } from '../../src/upstream/call-deadline.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

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

const open: AbortController[] = []
afterEach(() => open.splice(0).forEach((each) => each.abort()))

describe('alarms that share a timer', () => {
  it('ring each at its time, never before, also when a later one was set first', async () => {
    const { rung, make, names } = stage()
    const began = performance.now()
    make('late').set(60)
    make('early').set(20)
    make('between').setAt(began + 40)
    await pause(120)
    expect(names()).toEqual(['early', 'between', 'late'])
    const least = [20, 40, 60]
    rung.forEach(({ at }, index) => expect(at - began).toBeGreaterThanOrEqual(least[index] ?? 0))
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
    await pause(45)
    expect(names()).toEqual([])
    await pause(60)
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
    await pause(40)
    expect(names()).toEqual(['first'])
    await pause(60)
    expect(names()).toEqual(['first', 'moved'])
  })

  it('may be set again by their own ring', async () => {
    const { make, names } = stage()
    const alarm = make('beat', () => void (names().length < 3 && alarm.set(10)))
    alarm.set(10)
    await pause(120)
    expect(names()).toEqual(['beat', 'beat', 'beat'])
  })

  it('are all gone once calls and streams are over', async () => {
    const { clock } = stage()
    const caller = new AbortController()
    open.push(caller)
    const line = callDeadline({ caller: caller.signal, totalMs: 20, alarm: clock.alarm })
    line.relax()
    const late = await line.wait(new Promise<void>(() => undefined)).catch((error) => error)
    expect(late).toBe(TOOK_TOO_LONG)
    const ended = callDeadline({ caller: caller.signal, totalMs: 1000, alarm: clock.alarm })
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
