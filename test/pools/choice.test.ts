import { describe, expect, it } from 'vitest'
import {
  accountFirst,
  byRendezvous,
  inOrder,
  memberFirst,
  roundRobin,
} from '../../src/upstream/choice.ts'

const member = (name: string, weight = 1, upstream = name, account = name) => ({
  name,
  weight,
  account,
  upstream: { name: upstream },
})
const SESSIONS = Array.from({ length: 10_000 }, (_, index) => `session-${index}`)
const names = (members: readonly { name: string }[]) => members.map(({ name }) => name)

describe('the choice of a member', () => {
  it('moves nobody but the sessions of a member that goes (trap 18)', () => {
    const five = ['a#1', 'a#2', 'a#3', 'a#4', 'a#5'].map((name) => member(name))
    const four = five.filter(({ name }) => name !== 'a#3')
    const moved = SESSIONS.filter((session) => {
      const [before] = byRendezvous(five, session)
      const [after] = byRendezvous(four, session)
      return before?.name !== after?.name
    })
    expect(moved.length).toBeLessThan(2100)
    expect(moved.every((session) => byRendezvous(five, session)[0]?.name === 'a#3')).toBe(true)
  })
  it('keeps to weights (trap 18)', () => {
    const two = [member('claude#1', 1), member('claude#2', 3)]
    const first = SESSIONS.filter((session) => byRendezvous(two, session)[0]?.name === 'claude#1')
    expect(first.length).toBeGreaterThan(2300)
    expect(first.length).toBeLessThan(2700)
  })
  it('is the same everywhere', () => {
    const three = ['x', 'y', 'z'].map((name) => member(name))
    for (const session of SESSIONS.slice(0, 100))
      expect(names(byRendezvous(three.toReversed(), session))).toEqual(
        names(byRendezvous(three, session)),
      )
  })
  it('goes round by weight where there is no session', () => {
    const turn = roundRobin()
    const members = [member('a', 5), member('b', 1), member('c', 1)]
    const firsts = Array.from({ length: 7 }, () => turn(members)[0]?.name)
    expect(firsts).toEqual(['a', 'a', 'b', 'a', 'c', 'a', 'a'])
  })
  it('keeps the order of upstreams, and lets their keys take turns', () => {
    const members = [member('a#1', 1, 'a'), member('a#2', 1, 'a'), member('b', 1, 'b')]
    expect(names(inOrder(members, ({ name }) => (name === 'a#1' ? 5 : 0)))).toEqual([
      'a#2',
      'a#1',
      'b',
    ])
  })
  it('puts an account or a member first, and leaves the rest in order', () => {
    const members = [member('a', 1, 'a', 'x'), member('b', 1, 'b', 'y'), member('c', 1, 'c', 'y')]
    expect(names(accountFirst(members, 'y'))).toEqual(['b', 'c', 'a'])
    expect(names(memberFirst(members, 'c'))).toEqual(['c', 'a', 'b'])
  })
})
