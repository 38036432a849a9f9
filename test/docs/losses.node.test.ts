import { expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { findLossWords } from '../../scripts/loss-words.ts'
import { findField, lossesByName, lossTable, withTable } from '../../scripts/losses.ts'
import { sources } from '../sources.ts'
import { pageAt } from './pages.ts'

const { text } = pageAt('docs/losses.md')

it('the page of losses holds the table as the code makes them', () => {
  expect(text, 'stale: run `npm run docs`').toBe(withTable(text, lossTable()))
})

it.each(DIALECTS)('every loss of the fullest %s request has words', (dialect) => {
  const names = [...lossesByName(dialect).keys()]
  const unsaid = names.filter(
    (name) => findLossWords(name) === undefined || findField(dialect, name) === '',
  )
  expect(unsaid, 'say what they mean in scripts/loss-words.ts').toEqual([])
})

/** What is told of an element stands behind its place. */
const isListed = (name: string): boolean =>
  text.includes(`${name.startsWith('.') ? '' : '`'}${name}\``) || text.includes(`\`${last(name)}\``)

const last = (name: string): string => `.${name.split('.').at(-1)}`

it('every name that is reported somewhere stands on the page', () => {
  const reported = /(?:lose|told|\))\(\s*'\w+',\s*'([\w.-]+)'/g
  const names = sources.flatMap((source) =>
    [...source.text.matchAll(reported)].map(([, name = '']) => name),
  )
  const unsaid = names.filter((name) => !isListed(name))
  expect(names.length).toBeGreaterThan(30)
  expect([...new Set(unsaid)]).toEqual([])
})
