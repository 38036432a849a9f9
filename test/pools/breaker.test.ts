import { describe, expect, it } from 'vitest'
import { Breaker, HARD_FAULT_MS, LONGEST_WAIT_MS } from '../../src/upstream/breaker.ts'

const PLAIN = { isProbe: false }
const START = 1_700_000_000_000
const createBreaker = () => new Breaker(() => 0.5)

function tripped(now = START): Breaker {
  const breaker = createBreaker()
  for (let count = 0; count < 5; count += 1) breaker.fail(PLAIN, now)
  return breaker
}

function openFor(waitMs: number): number {
  const breaker = createBreaker()
  for (let count = 0; count < 5; count += 1) breaker.fail(PLAIN, START, { waitMs })
  return breaker.until(START) - START
}

describe('the breaker of a member', () => {
  it('opens after five failures in a row, and not after four', () => {
    const breaker = createBreaker()
    for (let count = 0; count < 4; count += 1) breaker.fail(PLAIN, START)
    expect(breaker.state(START)).toBe('closed')
    breaker.fail(PLAIN, START)
    expect(breaker.state(START)).toBe('open')
    expect(breaker.until(START)).toBe(START + 15_000)
  })
  it('opens when half of ten fail within half a minute, and forgets what is older', () => {
    const breaker = createBreaker()
    for (let count = 0; count < 5; count += 1) {
      breaker.succeed(START)
      breaker.fail(PLAIN, START)
    }
    expect(breaker.state(START)).toBe('open')
    const other = createBreaker()
    for (let count = 0; count < 12; count += 1) {
      if (count % 2) other.fail(PLAIN, START + count * 20_000)
      else other.succeed(START + count * 20_000)
    }
    expect(other.state(START + 240_000)).toBe('closed')
  })
  it('stays open for longer each time, at most for two minutes', () => {
    const breaker = tripped()
    let now = START
    const spans = Array.from({ length: 6 }, () => {
      const span = breaker.until(now) - now
      now = breaker.until(now)
      breaker.fail(breaker.enter(now) ?? PLAIN, now)
      return span
    })
    expect(spans).toEqual([15_000, 30_000, 60_000, 120_000, 120_000, 120_000])
  })
  it('stays open as long as the upstream asks, but no longer than an hour (trap 8)', () => {
    expect(openFor(3_600_000)).toBe(3_600_000)
    expect(openFor(1e12)).toBe(LONGEST_WAIT_MS)
    expect(openFor(10)).toBe(15_000)
  })
  it('opens at once for half an hour where the key is at fault', () => {
    const breaker = createBreaker()
    breaker.fail(PLAIN, START, { hard: true })
    expect(breaker.until(START)).toBe(START + HARD_FAULT_MS)
  })
  it('lets one of a hundred through when its time is over (trap 10)', () => {
    const breaker = tripped()
    const now = breaker.until(START)
    const leaves = Array.from({ length: 100 }, () => breaker.enter(now)).filter(Boolean)
    expect(leaves).toEqual([{ isProbe: true }])
  })
  it('takes the place back from a probe that came to nothing (trap 10)', () => {
    const breaker = tripped()
    const now = breaker.until(START)
    breaker.giveBack(breaker.enter(now) ?? PLAIN)
    expect(breaker.enter(now)).toEqual({ isProbe: true })
  })
  it('closes when the probe is answered, and counts anew', () => {
    const breaker = tripped()
    const now = breaker.until(START)
    breaker.answered(breaker.enter(now) ?? PLAIN)
    expect(breaker.state(now)).toBe('closed')
    for (let count = 0; count < 4; count += 1) breaker.fail(PLAIN, now)
    expect(breaker.state(now)).toBe('closed')
  })
  it('is not changed by a look (trap 24)', () => {
    const breaker = tripped()
    const now = breaker.until(START)
    for (let count = 0; count < 100; count += 1) expect(breaker.state(now)).toBe('half-open')
    expect(breaker.enter(now)).toEqual({ isProbe: true })
  })
  it('is not opened for longer by those that were underway', () => {
    const breaker = tripped()
    for (let count = 0; count < 100; count += 1) breaker.fail(PLAIN, START + 10)
    expect(breaker.until(START)).toBe(START + 15_000)
  })
})
