import { expect, it } from 'vitest'
import { bodyOpening, Openings, type Opened } from '../../src/extras/recall/opening.ts'
import { cpuMs } from '../growth/cpu.ts'

const TURN = 'a turn as long as those of an agent, which is the same in each session. '.repeat(20)
const LOOKS = 2000
const ATTEMPTS = 8

/** All of them differ in the first turn alone, as the sessions of one client do that work on one folder. */
function sessionAt(number: number): Opened {
  const turns = [`session ${String(number).padStart(6, '0')}`, TURN, TURN, TURN]
  let text = '['
  const ends = turns.map((turn) => (text += `"${turn}",`).length - 1)
  const bytes = new TextEncoder().encode(text)
  return { known: { bytes }, opening: bodyOpening(bytes, ends) }
}

function openingsOf(count: number): Openings<Opened> {
  const openings = new Openings<Opened>()
  for (let number = 0; number < count; number += 1) openings.add(sessionAt(number))
  return openings
}

function costAmong(count: number): number {
  const openings = openingsOf(count)
  const asked = sessionAt(count - 1)
  const began = cpuMs()
  for (let look = 0; look < LOOKS; look += 1)
    expect(openings.similar(asked.known.bytes)).toHaveLength(1)
  return cpuMs() - began
}

it('a session is found among 500 at the cost of one among 5', () => {
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && least >= 2; attempt += 1)
    least = Math.min(least, costAmong(500) / costAmong(5))
  expect(least).toBeLessThan(2)
})

it('those that are gone are not found, and leave nothing', () => {
  const openings = new Openings<Opened>()
  const [one, other] = [sessionAt(1), sessionAt(1)]
  for (const session of [one, other]) openings.add(session)
  expect(openings.similar(one.known.bytes)).toEqual([one, other])
  openings.delete(one)
  openings.delete(one)
  expect(openings.similar(one.known.bytes)).toEqual([other])
  expect([openings.size, openings.oldest]).toEqual([1, other])
  openings.delete(other)
  expect([openings.similar(one.known.bytes), openings.list()]).toEqual([[], []])
})
