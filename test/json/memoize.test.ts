import { expect, it } from 'vitest'
import { memoize } from '../../src/json/memoize.ts'

it('asks once for each text, and forgets when there are too many', () => {
  const asked: string[] = []
  const length = memoize((text) => {
    asked.push(text)
    return text.length
  })
  expect([length('a'), length('bb'), length('a')]).toEqual([1, 2, 1])
  expect(asked).toEqual(['a', 'bb'])
  const long = 'x'.repeat(999_999)
  expect([length(long), length('a')]).toEqual([999_999, 1])
  expect(asked).toEqual(['a', 'bb', long, 'a'])
  const huge = 'y'.repeat(1_000_001)
  expect([length(huge), length(huge)]).toEqual([1_000_001, 1_000_001])
  expect(asked).toHaveLength(6)
})
