import { expect, it } from 'vitest'
import { differences, spelled, unsaid, valueIn } from '../../scripts/models/compare.ts'
import { readNpm } from '../../scripts/models/npm.ts'
import { Statements } from '../../scripts/models/statements.ts'
import { TABLE } from '../../src/models/table.ts'

const DAY = '2026-11-28'

const installed = new Statements()
readNpm(['node_modules'], installed)

it('the table says what the installed packages say, or knows that they say otherwise', () => {
  expect(differences(TABLE, installed, DAY)).toEqual([])
})

it('another value, a model that is missing and a model that nobody has are told', () => {
  const changed = TABLE.replace(
    /^(claude-opus-5-5 .* output=)\d+/m,
    (_, before: string) => `${before}64000`,
  )
  expect(changed).not.toBe(TABLE)
  expect(differences(changed, installed, DAY)).toEqual([
    expect.stringMatching(/^~ claude-opus-5-5 output: table 64000, @ai-sdk\/anthropic \S+ 128000$/),
  ])
  const shorter = TABLE.replace(/^claude-opus-5-5 .*\n/m, '')
  expect(differences(shorter, installed, DAY)).toEqual([
    expect.stringMatching(/^\+ claude-opus-5-5: not in the table/),
  ])
  const longer = TABLE.replace('# Anthropic\n', '# Anthropic\nclaude-nobody-1 output=1~A\n')
  expect(unsaid(longer, installed)).toContain('- claude-nobody-1: in the table, and in no package')
})

it('a source that is known to say otherwise is no news, and another one is', () => {
  const other = new Statements()
  const source = { letter: 'E', name: 'made up', version: '1' }
  other.say(source, 'anthropic', 'claude-opus-5-5', { output: 64_000 })
  expect(differences(TABLE, other, DAY)).toHaveLength(1)
  const known = TABLE.replace(/^(claude-opus-5-5 .* output=\S+~\w+)/m, '$1!E')
  expect(differences(known, other, DAY)).toEqual([])
})

it('a model that has ended is not asked for', () => {
  const other = new Statements()
  const source = { letter: 'A', name: 'made up', version: '1' }
  other.say(source, 'openai', 'gpt-nobody', { ends: '2026-01-01', output: 1 })
  expect(differences(TABLE, other, DAY)).toEqual([])
  expect(differences(TABLE, other, '2025-12-31')).toHaveLength(1)
})

it.each([true, false, 5, 'adaptive', [], ['low', 'high'], [5, null, 2.5]])(
  'a value is read as it is written: %j',
  (value) => {
    expect(valueIn(spelled(value))).toEqual(value)
  },
)
