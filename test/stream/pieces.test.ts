import { expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { PieceFinder } from '../../src/stream/pieces/pieces.ts'

it('takes an event for a piece by its name, where its data begins and ends as an object', () => {
  const finder = new PieceFinder((name) => name === 'delta')
  for (const data of ['{}', '{"a":1}', ' {"a":1} ']) expect(finder.has('delta', data)).toBe(true)
  for (const data of ['', ' ', '{', '{"a":', 'words', '[1]', '"{}"'])
    expect(finder.has('delta', data)).toBe(false)
  expect(finder.has('end', '{}')).toBe(false)
  expect(finder.has(undefined, '{}')).toBe(false)
  expect(finder.has('delta', '{}')).toBe(true)
})

it('leaves nothing unread where events have no names', () => {
  const unnamed = adapters.filter(({ same }) => !same.passing.isPiece).map(({ dialect }) => dialect)
  expect(unnamed).toEqual(['generate-content', 'chat-completions'])
  expect(new PieceFinder(undefined).has('delta', '{}')).toBe(false)
})
