import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lossList, LOSSES_LISTED, nothingLost, lossesIn, type Lose } from '../../src/model/loss.ts'
import {
  remembered,
  rememberedEach,
  rememberedLosing,
  rememberedWalk,
  remembering,
  WalkMap,
  type WalkStep,
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

interface Gathered {
  /** Letters, of which an `x` changes the last one. */
  readonly made: Letter[]
  /** Those since the last `x`. */
  open: Letter[]
  readonly seen: Set<string>
  readonly times: WalkMap<string, number>
  count: number
}

const nothing = (): Gathered => ({
  made: [],
  open: [],
  seen: new Set(),
  times: new WalkMap(),
  count: 0,
})

function gather(state: Gathered, letter: Letter, { index, lose, made }: WalkStep): void {
  const { text } = letter
  state.count += 1
  state.seen.add(text)
  state.times.set(text, (state.times.get(text) ?? 0) + 1)
  const last = state.made.at(-1)
  if (text === 'x') {
    lossesIn(lose)('turns', index)('dropped', '', `${state.times.get('a') ?? 0} before`)
    if (last) state.made[state.made.length - 1] = made((one) => ({ text: `${one.text}x` }), last)
    state.open = []
  } else state.open.push(letter)
  if (text === 'b') state.made.push(made((one) => ({ ...one }), letter))
}

const noLetters = (): { made: Letter[] } => ({ made: [] })

const shownOf = ({ times, ...rest }: Gathered) => ({
  ...rest,
  times: ['a', 'b', 'x'].map((text) => times.get(text)),
})

describe('a walk through a list', () => {
  it('gathers what it does when nothing is remembered', () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        const walk = rememberedWalk<Letter, Gathered>()
        let list: readonly Letter[] = []
        for (const { share, more, given, isKept } of rounds) {
          list = grownBy(list, share, more)
          const [warm, whole] = [lossList(), lossList()]
          const found = remembering(isKept, () => walk(list, [given], warm.lose, nothing, gather))
          const cold = rememberedWalk<Letter, Gathered>()(list, [], whole.lose, nothing, gather)
          expect(shownOf(found)).toEqual(shownOf(cold))
          expect(warm.losses).toEqual(whole.losses)
          // What comes of a walk is the caller's.
          found.made.push({ text: 'more' })
          found.open.length = 0
          found.seen.add('more')
          found.times.set('a', -1)
        }
      }),
      cases(200),
    )
  })

  it('begins where the last two lists parted, and gives out again what was made', () => {
    const walk = rememberedWalk<Letter, { made: Letter[] }>()
    const asked: number[] = []
    const go = (list: readonly Letter[], given: readonly unknown[] = []) => {
      asked.length = 0
      const step = (state: { made: Letter[] }, letter: Letter, { index, made }: WalkStep): void => {
        asked.push(index)
        state.made.push(made((one) => ({ ...one }), letter))
      }
      return remembering(true, () => walk(list, given, nothingLost, noLetters, step)).made
    }
    const list = letters(20)
    const first = go(list.slice(0, 16))
    const second = go(list.slice(0, 18))
    // Nothing is known yet of what the next list may have in common with the first.
    expect(asked[0]).toBe(0)
    const third = go(list)
    expect(asked).toEqual([16, 17, 18, 19])
    for (const [index, letter] of first.entries()) expect(second[index]).toBe(letter)
    for (const [index, letter] of second.entries()) expect(third[index]).toBe(letter)
    go(list.toSpliced(2, 1))
    expect(asked[0]).toBe(0)
    go(list, ['other'])
    expect(asked[0]).toBe(0)
  })

  it('goes on where nothing is remembered of an element that was refused', () => {
    const walk = rememberedWalk<Letter, Gathered>()
    const list = [...'ababxbabbxab'].map((text) => ({ text }))
    const refusing = (state: Gathered, letter: Letter, at: WalkStep): void => {
      gather(state, letter, at)
      if (at.index === 11) throw new Error('refused')
    }
    const go = (step: typeof gather, count?: number) =>
      remembering(true, () => walk(list.slice(0, count), [], nothingLost, nothing, step))
    go(gather, 6)
    go(gather, 8)
    expect(() => go(refusing)).toThrow('refused')
    const cold = rememberedWalk<Letter, Gathered>()(list, [], nothingLost, nothing, gather)
    expect(shownOf(go(gather))).toEqual(shownOf(cold))
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
