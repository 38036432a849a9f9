import { expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { PieceFinder } from '../../src/stream/pieces/pieces.ts'

const isIn = (finder: PieceFinder, name: string | undefined, data: string): boolean =>
  finder.has(name, `data: ${data}\n\n`, 6, 6 + data.length)

it('takes an event for a piece by its name, where its data begins and ends as an object', () => {
  const finder = new PieceFinder((name) => name === 'delta')
  for (const data of ['{}', '{"a":1}', ' {"a":1} ']) expect(isIn(finder, 'delta', data)).toBe(true)
  for (const data of ['', ' ', '{', '{"a":', 'words', '[1]', '"{}"'])
    expect(isIn(finder, 'delta', data)).toBe(false)
  expect(isIn(finder, 'end', '{}')).toBe(false)
  expect(isIn(finder, undefined, '{}')).toBe(false)
  expect(isIn(finder, 'delta', '{}')).toBe(true)
})

it('leaves nothing unread where events have no names', () => {
  const unnamed = adapters.filter(({ same }) => !same.passing.isPiece).map(({ dialect }) => dialect)
  expect(unnamed).toEqual(['generate-content', 'chat-completions'])
  expect(isIn(new PieceFinder(undefined), 'delta', '{}')).toBe(false)
})
