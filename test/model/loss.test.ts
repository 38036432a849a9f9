import { describe, expect, it } from 'vitest'
import {
  isRefusable,
  lossCount,
  lossHeader,
  lossList,
  LOSSES_LISTED,
  lossesIn,
  type LoseOf,
} from '../../src/model/loss.ts'

const loseAll = (lose: LoseOf) => {
  lose('dropped', '')
  lose('approximated', '.seal', 'why')
  // A name of the request is one anywhere.
  lose('dropped', 'cache')
}

describe('losses', () => {
  it('are kept once each, in order', () => {
    const { lose, losses } = lossList()
    expect(lose('dropped', 'sampling.topK')).toBeUndefined()
    lose('dropped', 'sampling.topK', 'again')
    lose('approximated', 'reasoning.effort', 'no such scale')
    expect(losses).toEqual([
      { code: 'dropped', path: 'sampling.topK' },
      { code: 'approximated', path: 'reasoning.effort', detail: 'no such scale' },
    ])
  })

  it('have names that are listed: a misspelled one does not compile', () => {
    const { lose, losses } = lossList()
    const at = lossesIn(lose)
    // @ts-expect-error: no such member of `sampling`
    lose('dropped', 'sampling.topk')
    // @ts-expect-error: no such member of a block
    at('turns', 1)('dropped', '.sael')
    // @ts-expect-error: no such list
    at('turn', 1)('dropped', '.seal')
    expect(losses.map(({ path }) => path)).toEqual(['sampling.topk', 'turns.1.sael', 'turn.1.seal'])
  })

  it('are told by elements that cannot say where they stand', () => {
    const { lose, losses } = lossList()
    const told = lossesIn(lose)('turns', 3)
    // @ts-expect-error: a place is for those who walk
    told('dropped', 'turns.3.seal')
    // @ts-expect-error: nor can what tells of a whole request take one
    lose('dropped', `turns.${losses.length}`)
    // @ts-expect-error: a place that nobody has noted
    lossesIn(lose)('turns.3.blocks.0')
    expect(losses).toHaveLength(2)
  })

  it('of an element stand where whoever walks has placed it', () => {
    const { lose, losses } = lossList()
    const turnAt = lossesIn(lose)
    loseAll(turnAt('turns', 2))
    const blockAt = lossesIn(turnAt('turns', 3))
    loseAll(blockAt('.blocks', 1))
    loseAll(lossesIn(blockAt('.blocks', 4))('.content', 0))
    expect(losses.map(({ path }) => path)).toEqual([
      'turns.2',
      'turns.2.seal',
      'cache',
      'turns.3.blocks.1',
      'turns.3.blocks.1.seal',
      'turns.3.blocks.4.content.0',
      'turns.3.blocks.4.content.0.seal',
    ])
  })

  it('of an element can be told later at the place that was noted', () => {
    const { lose, losses } = lossList()
    const noted = lossesIn(lossesIn(lose)('turns', 3))('.blocks', 1).place()
    lossesIn(lossesIn(lose)('turns', 5))(noted)('dropped', '.seal')
    expect(losses).toEqual([{ code: 'dropped', path: 'turns.3.blocks.1.seal' }])
    expect(lossesIn(lossesIn(lose)('turns', 5))(noted).place()).toBe(noted)
  })

  it('are told one by one up to a bound, and then counted', () => {
    const { lose, losses } = lossList()
    const at = lossesIn(lose)
    for (let index = 0; index < 3 * LOSSES_LISTED; index += 1) {
      at('turns', index)('dropped', '')
      at('turns', index)('dropped', '')
      if (index % 10 === 0) at('tools', index)('defaulted', '')
    }
    expect(losses).toHaveLength(LOSSES_LISTED + 2)
    expect(lossCount(losses)).toBe(3.3 * LOSSES_LISTED)
    expect(losses.slice(-2)).toEqual([
      { code: 'dropped', path: 'others', detail: '2091 more', count: 2091 },
      { code: 'defaulted', path: 'others', detail: '209 more', count: 209 },
    ])
    expect(lossHeader(losses)).toMatch(/^3300; dropped turns\.0, defaulted tools\.0, /)
    expect(losses.slice(LOSSES_LISTED).map(isRefusable)).toEqual([true, false])
  })

  it('are a header with a count and a list, and none when there are none', () => {
    expect(lossHeader([])).toBeUndefined()
    expect(
      lossHeader([
        { code: 'dropped', path: 'sampling.topK' },
        { code: 'defaulted', path: 'limits.maxOutputTokens' },
      ]),
    ).toBe('2; dropped sampling.topK, defaulted limits.maxOutputTokens')
  })

  it('never make a header longer than a kilobyte or with characters that headers have not', () => {
    const losses = Array.from({ length: 200 }, (_, index) => ({
      code: 'dropped' as const,
      path: `turns.${index}.日本\r\nset-cookie: a, b; c`,
    }))
    const header = lossHeader(losses) ?? ''
    expect(header.length).toBeLessThanOrEqual(1024)
    expect(header.startsWith('200; dropped turns.0.')).toBe(true)
    expect(header).toMatch(/^[\x20-\x7e]+\xe2\x80\xa6$/)
    expect(() => new Headers({ 'x-dragoman-losses': header })).not.toThrow()
    // For a platform that makes the bytes itself.
    expect(lossHeader(losses, () => '…')).toMatch(/^[\x20-\x7e]+…$/)
  })

  it('of something asked for can be refused, a filled-in default cannot', () => {
    expect(isRefusable({ code: 'dropped', path: 'a' })).toBe(true)
    expect(isRefusable({ code: 'approximated', path: 'a' })).toBe(true)
    expect(isRefusable({ code: 'defaulted', path: 'a' })).toBe(false)
    expect(isRefusable({ code: 'reordered', path: 'a' })).toBe(false)
  })
})
