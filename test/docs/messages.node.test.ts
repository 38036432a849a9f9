import { expect, it } from 'vitest'
import { messages } from './messages.ts'
import { pageAt } from './pages.ts'

const { text } = pageAt('docs/troubleshooting.md')

it('every message that somebody may read stands in the page of troubles', () => {
  const unsaid = messages.filter(({ piece }) => !text.includes(piece))
  expect(messages.length).toBeGreaterThan(100)
  expect(unsaid).toEqual([])
})
