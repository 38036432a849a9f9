import { expect, it } from 'vitest'
import { grown } from '../../src/rules/growing.ts'

it('a text that grows is all of its pieces', () => {
  let text = ''
  const pieces: string[] = []
  for (let index = 0; index < 5000; index += 1) {
    const piece = index % 7 === 0 ? '' : `${index} `.repeat(index % 5)
    pieces.push(piece)
    text = grown(text, piece)
  }
  expect(text).toBe(pieces.join(''))
  expect(grown('', '')).toBe('')
})
