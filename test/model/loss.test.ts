import { describe, expect, it } from 'vitest'
import {
  isRefusable,
  lossCount,
  lossHeader,
  lossList,
  LOSSES_LISTED,
} from '../../src/model/loss.ts'

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
    const place: string = 'turns.1.blocks.0'
    // @ts-expect-error: no such member of `sampling`
    lose('dropped', 'sampling.topk')
    // @ts-expect-error: no such member of a block
    lose('dropped', `${place}.sael`)
    // @ts-expect-error: no such list
    lose('dropped', `turn.${1 + losses.length}.seal`)
    lose('dropped', `${place}.seal`)
    expect(losses.map(({ path }) => path)).toEqual([
      'sampling.topk',
      'turns.1.blocks.0.sael',
      'turn.3.seal',
      'turns.1.blocks.0.seal',
    ])
  })

  it('are told one by one up to a bound, and then counted', () => {
    const { lose, losses } = lossList()
    for (let index = 0; index < 3 * LOSSES_LISTED; index += 1) {
      lose('dropped', `member${index}`)
      lose('dropped', `member${index}`)
      if (index % 10 === 0) lose('defaulted', `other${index}`)
    }
    expect(losses).toHaveLength(LOSSES_LISTED + 2)
    expect(lossCount(losses)).toBe(3.3 * LOSSES_LISTED)
    expect(losses.slice(-2)).toEqual([
      { code: 'dropped', path: 'others', detail: '2091 more', count: 2091 },
      { code: 'defaulted', path: 'others', detail: '209 more', count: 209 },
    ])
    expect(lossHeader(losses)).toMatch(/^3300; dropped member0, defaulted other0, /)
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
