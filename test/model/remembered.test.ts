import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lossList, LOSSES_LISTED, nothingLost, lossesIn, type Lose } from '../../src/model/loss.ts'
import {
  remembered,
  rememberedEach,
  rememberedLosing,
  rememberedMaking,
  remembering,
} from '../../src/model/remembered.ts'
import { cases } from '../cases.ts'

interface Letter {
  readonly text: string
}

interface Counted {
  readonly text: string
  /** How often it has stood before. */
  readonly times: number
}

/** Counts letters, and complains of some. */
const counting = (before: readonly Counted[], lose: Lose) => {
  const at = lossesIn(lose)
  const seen = new Map(before.map(({ text, times }) => [text, times]))
  return ({ text }: Letter, index: number): Counted => {
    const times = (seen.get(text) ?? -1) + 1
    seen.set(text, times)
    if (text === 'x') at('turns', index)('dropped', '')
    return { text, times }
  }
}

const anyLetters = fc.array(fc.constantFrom('a', 'b', 'x'), { maxLength: 12 })
const anyRound = fc.record({
  /** So much of the list before comes again, with these behind it. */
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  more: anyLetters,
  given: fc.nat(1),
  isKept: fc.boolean(),
})
const anyRounds = fc.array(anyRound, { maxLength: 12 })

const grownBy = (list: readonly Letter[], share: number, more: readonly string[]) => [
  ...list.slice(0, Math.round(share * list.length)),
  ...more.map((text) => ({ text })),
]

const letters = (count: number) => Array.from({ length: count }, () => ({ text: 'x' }))

describe('what becomes of each element', () => {
  it('is what it is when nothing is remembered', () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        const [each, cold] = [rememberedEach<Letter, Counted>(), rememberedEach<Letter, Counted>()]
        let list: readonly Letter[] = []
        for (const { share, more, given, isKept } of rounds) {
          list = grownBy(list, share, more)
          const [warm, whole] = [lossList(), lossList()]
          const found = remembering(isKept, () => each(list, [given], warm.lose, counting))
          expect(found).toEqual(cold(list, [given], whole.lose, counting))
          expect(warm.losses).toEqual(whole.losses)
        }
      }),
      cases(200),
    )
  })

  it('is not asked again as far as the list begins with the same', () => {
    const each = rememberedEach<Letter, Letter>()
    const asked: number[] = []
    const go = (list: readonly Letter[], given: readonly unknown[] = []) => {
      asked.length = 0
      const step = (letter: Letter, index: number) => {
        asked.push(index)
        return { ...letter }
      }
      return remembering(true, () => each(list, given, nothingLost, () => step))
    }
    const list = letters(3)
    const [first] = go(list)
    expect(go([...list, { text: 'a' }])[0]).toBe(first)
    expect(asked).toEqual([3])
    go([...list.slice(0, 2), { text: 'b' }])
    expect(asked).toEqual([2])
    go(list, ['other'])
    expect(asked).toEqual([0, 1, 2])
  })

  it('keeps nothing where more is lost than is told one by one', () => {
    const each = rememberedEach<Letter, Counted>()
    const list = letters(LOSSES_LISTED + 2)
    const counts = [1, 2].map(() => {
      let count = 0
      remembering(true, () => each(list, [], () => void (count += 1), counting))
      return count
    })
    expect(counts).toEqual([list.length, list.length])
  })

  it('compares lists within the list by their elements', () => {
    const each = rememberedEach<readonly Letter[], number>()
    let asked = 0
    const [a, b, c] = letters(3)
    const go = (list: readonly (readonly (Letter | undefined)[])[]) =>
      remembering(true, () =>
        each(list as readonly Letter[][], [], nothingLost, () => () => (asked += 1)),
      )
    go([[a], [b]])
    go([[a], [b, c]])
    expect(asked).toBe(3)
  })
})

const through = (
  list: readonly Letter[],
  making: ReturnType<ReturnType<typeof rememberedMaking>>,
) => {
  const made: Letter[] = []
  for (const [index, letter] of list.entries()) {
    if (letter.text === 'b') made.push(making(index, (one: Letter) => ({ ...one }), letter))
    const last = made.at(-1)
    if (letter.text === 'x' && last)
      made[made.length - 1] = making(index, (one: Letter) => ({ text: `${one.text}x` }), last)
  }
  return made
}

const fail = (): Letter => {
  throw new Error('refused')
}

describe('what is made on the way through a list', () => {
  it('is what it is when nothing is remembered', () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        const [warm, cold] = [rememberedMaking(), rememberedMaking()]
        let list: readonly Letter[] = []
        for (const { share, more, given, isKept } of rounds) {
          list = grownBy(list, share, more)
          const found = remembering(isKept, () => through(list, warm(list, [given])))
          expect(found).toEqual(through(list, cold(list, [given])))
        }
      }),
      cases(200),
    )
  })

  it('is the same object again, and what was not reached because of an error is made', () => {
    const start = rememberedMaking()
    const list = [{ text: 'b' }, { text: 'b' }]
    const first = remembering(true, () => {
      const making = start(list)
      const made = making(0, (one: Letter) => ({ ...one }), list[0] as Letter)
      expect(() => making(1, fail)).toThrow('refused')
      return made
    })
    const second = remembering(true, () => through(list, start(list)))
    expect(second[0]).toBe(first)
    expect(second[1]).toEqual({ text: 'b' })
  })
})

describe('a function that remembers', () => {
  it('gives out again what it made of the same, with its losses', () => {
    const copy = rememberedLosing((lose: Lose, letter: Letter) => {
      lossesIn(lose)('tools', letter.text)('dropped', '')
      return { ...letter }
    })
    const letter = { text: 'a' }
    const ask = () => {
      const { lose, losses } = lossList()
      return { made: remembering(true, () => copy(lose, letter)), losses }
    }
    const [first, second] = [ask(), ask()]
    expect(second.made).toBe(first.made)
    expect(second.losses).toEqual(first.losses)
    expect(first.losses).toHaveLength(1)
  })

  it('asks again where anything else is given, and remembers nothing of what is not kept', () => {
    const pair = remembered((list: readonly Letter[], word: string) => ({ list, word }))
    const list = letters(2)
    const ask = (word: string, isKept = true, of: readonly Letter[] = list) =>
      remembering(isKept, () => pair(of, word))
    const first = ask('one')
    expect(ask('one', true, [...list])).toBe(first)
    expect(ask('one', false)).not.toBe(first)
    expect(ask('two')).not.toBe(first)
    expect(ask('two', true, letters(2))).not.toBe(first)
  })
})
