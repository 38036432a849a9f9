import { afterEach, expect, it, vi } from 'vitest'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { findStructure } from '../../src/extras/recall/known-body.ts'
import { NATIVE } from './twins.ts'

const RULES = { limits: { depth: 8, nodes: 1000 }, verbatim: verbatimPaths(), turns: 'turns' }
const TURNS = 20

function bodyOf(said: string) {
  const turns = Array.from({ length: TURNS }, (_, index) => `${index} ${'plain '.repeat(99)}`)
  return { model: 'm', turns: [said, ...turns] }
}

/** What a body is written as that no session has room for, and the longest text that was spelled for it. */
function writtenAlone(said: string, native?: typeof NATIVE): { text: string; longest: number } {
  const body = bodyOf(said)
  const text = JSON.stringify(body)
  const bytes = new TextEncoder().encode(text)
  const recall = createRecall({ bytes: 1_000_000, native })
  const request = recall.request('one', 'messages', RULES, bytes.length)
  const structure = findStructure(text, RULES)
  if (!request || !structure) throw new Error('the body is not remembered')
  if (!request.fresh(bytes)) request.learned(bytes, text, structure)
  const spelled = vi.spyOn(JSON, 'stringify')
  const written = request.written(body)
  const lengths = spelled.mock.results.map(({ value }) => String(value).length)
  return { text: new TextDecoder().decode(written), longest: Math.max(...lengths) }
}

afterEach(() => vi.restoreAllMocks())

it.each([NATIVE, undefined])('is never one text of two bytes a character', (native) => {
  const { text, longest } = writtenAlone('合計', native)
  expect(text).toBe(JSON.stringify(bodyOf('合計')))
  expect(longest).toBeLessThan(text.length / TURNS)
})

it('is one text where that is ASCII', () => {
  const { text, longest } = writtenAlone('total')
  expect(longest).toBe(text.length)
})
