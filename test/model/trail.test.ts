import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lossList, LOSSES_LISTED, type Lose } from '../../src/model/loss.ts'
import { follow, Trail, type Course } from '../../src/model/trail/trail.ts'
import { UndoMap } from '../../src/model/trail/undo-map.ts'
import { cases } from '../cases.ts'

interface Letter {
  readonly text: string
}

interface Counted {
  readonly seen: UndoMap<string, number>
  readonly words: { text: string; times: number[] }[]
}

/** Counts letters, joins those that repeat, and complains of some: a state of every kind. */
const counting = (lose: Lose): Course<Letter, Counted> => ({
  begin: () => ({ seen: new UndoMap(), words: [] }),
  copy: ({ seen, words }) => ({
    seen: seen.copy(),
    words: words.map(({ text, times }) => ({ text, times: [...times] })),
  }),
  step({ seen, words }, { text }, index) {
    const times = (seen.get(text) ?? 0) + 1
    if (times > 3) seen.delete(text)
    else seen.set(text, times)
    const last = words.at(-1)
    if (last?.text === text) last.times.push(times)
    else words.push({ text, times: [times] })
    if (text === 'x') lose('dropped', `turns.${index}`)
  },
})

const anyLetters = fc.array(fc.constantFrom('a', 'b', 'x'), { maxLength: 12 })
const anyRound = fc.record({
  /** So much of the list before comes again, with these behind it. */
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  more: anyLetters,
  given: fc.nat(1),
})

function told(list: readonly Letter[], given: number, trail?: Trail) {
  const { lose, losses } = lossList()
  const { seen, words } = follow(trail, 'letters', list, [given], lose, counting)
  return { words, seen: ['a', 'b', 'x'].map((text) => seen.get(text)), losses }
}

const letters = (count: number) => Array.from({ length: count }, () => ({ text: 'x' }))

describe('a trail', () => {
  it('leads where the whole way leads', () => {
    fc.assert(
      fc.property(fc.array(anyRound, { maxLength: 12 }), (rounds) => {
        const trail = new Trail()
        let list: readonly Letter[] = []
        for (const { share, more, given } of rounds) {
          const kept = list.slice(0, Math.round(share * list.length))
          list = [...kept, ...more.map((text) => ({ text }))]
          expect(told(list, given, trail)).toEqual(told(list, given))
        }
      }),
      cases(200),
    )
  })

  it('tells of more losses than are told one by one what the whole way tells', () => {
    const trail = new Trail()
    const list = letters(2 * LOSSES_LISTED)
    for (const length of [LOSSES_LISTED / 2, LOSSES_LISTED - 1, LOSSES_LISTED + 1, list.length]) {
      const part = list.slice(0, length)
      expect(told([...part, ...letters(3)], 1, trail)).toEqual(told([...part, ...letters(3)], 1))
      expect(told(part, 1, trail)).toEqual(told(part, 1))
    }
  })

  it('takes no step again that is known', () => {
    const trail = new Trail()
    const list = Array.from({ length: 100 }, (_, index) => ({ text: `${index}` }))
    let steps = 0
    const walk = (letters: readonly Letter[]) =>
      trail.follow(
        'steps',
        letters,
        [],
        () => undefined,
        () => ({
          begin: () => null,
          copy: () => null,
          step: () => (steps += 1),
        }),
      )
    for (const length of [90, 92, 94]) walk(list.slice(0, length))
    steps = 0
    walk(list)
    expect(steps).toBeLessThan(10)
  })
})
