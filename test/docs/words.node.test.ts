import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { SIDES, fatedWords } from '../../scripts/words/census.ts'
import { verdictOn } from '../../scripts/words/check.ts'
import { wordsFile, wordsPage } from '../../scripts/words/page.ts'

describe.each(DIALECTS)('the words of %s', (dialect) => {
  it.each(SIDES)('are carried, reported or refused, or silent for a reason: %s', (side) => {
    const { undecided, stale } = verdictOn(fatedWords(dialect, side), dialect, side)
    expect(undecided, 'carry or report them, or say why in scripts/words/decisions.ts').toEqual([])
    expect(stale, 'nothing needs these reasons any more').toEqual([])
  })
})

it('the page of words is what the code does', () => {
  expect(wordsFile(), 'stale: run `npm run docs`').toBe(wordsPage())
})

describe('the census', () => {
  const named = new Map(
    DIALECTS.map((dialect) => [
      dialect,
      SIDES.flatMap((side) => fatedWords(dialect, side)).map(
        ({ where, word }) => `${where} ${word}`,
      ),
    ]),
  )
  it.each([
    ['messages', 'SystemMessageParam clear_at'],
    ['messages', 'RequestToolAdditionBlock.type tool_addition'],
    ['messages', 'ImageBlockParam transformations'],
    ['responses', 'ResponseInputItem.ToolSearchCall.execution server'],
    ['responses', 'ComputerAction.Click.button wheel'],
    ['responses', ' personality'],
    ['generate-content', 'GoogleSearch excludeDomains'],
    ['generate-content', 'Part documentMetadata'],
    ['generate-content', 'FunctionCallingConfig.mode VALIDATED'],
    ['chat-completions', 'ChatCompletionFunctionTool function'],
  ] as const)('finds of %s what stands deep in its types: %s', (dialect, word) => {
    expect(named.get(dialect)).toContain(word)
  })
})
