import { describe, expect, it } from 'vitest'
import { read } from './exchange.ts'

const REFUSED: [string, object, string][] = [
  ['no model', { input: 'x' }, 'model'],
  ['no input', { model: 'm' }, 'input'],
  ['a temperature above 2', { temperature: 2.1 }, 'temperature'],
  ['17 pairs of metadata', { metadata: pairs(17) }, 'metadata'],
  ['a metadata key of 65 characters', { metadata: { ['k'.repeat(65)]: 'v' } }, 'metadata.'],
  ['a metadata value of 513 characters', { metadata: { k: 'v'.repeat(513) } }, 'metadata.k'],
  [
    'a format name of 65 characters',
    { text: { format: named('n'.repeat(65)) } },
    'text.format.name',
  ],
  ['a format name with a space', { text: { format: named('a b') } }, 'text.format.name'],
  ['51 results of a file search', { tools: [search({ max_num_results: 51 })] }, 'tools.0.max_num'],
  ['no result of a file search', { tools: [search({ max_num_results: 0 })] }, 'tools.0.max_num'],
  [
    'a score above 1',
    { tools: [search({ ranking_options: { score_threshold: 1.1 } })] },
    'tools.0.ranking_options.score_threshold',
  ],
  ['an unknown role', { input: [{ role: 'tool', content: 'x' }] }, 'input.0.role'],
  [
    'a part without its text',
    { input: [{ role: 'user', content: [{ type: 'input_text' }] }] },
    'input.0.content.0.text',
  ],
  ['a reference to an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input.0'],
  ['a reference without a type', { input: [{ id: 'msg_1' }] }, 'input.0'],
  [
    'arguments that are no text',
    { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }] },
    'input.0.arguments',
  ],
]

function pairs(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
}
function named(name: string): object {
  return { type: 'json_schema', name, schema: {} }
}
function search(others: object): object {
  return { type: 'file_search', vector_store_ids: ['v'], ...others }
}

describe('a wrong request', () => {
  it.each(REFUSED)('is refused with the place: %s', (_, wrong, place) => {
    const base = 'model' in wrong || 'input' in wrong ? {} : { input: 'x' }
    const model = place === 'model' ? {} : { model: 'm' }
    const attempt = () => read({ ...model, ...base, ...wrong })
    expect(attempt).toThrow(expect.objectContaining({ message: expect.stringContaining(place) }))
    expect(attempt).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ kind: 'invalid-request' }) }),
    )
  })

  it.each([
    ['temperature', { temperature: 0 }],
    ['temperature', { temperature: 2 }],
    ['metadata', { metadata: { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) } }],
    ['text', { text: { format: named('n'.repeat(64)) } }],
    [
      'tools',
      { tools: [search({ max_num_results: 50, ranking_options: { score_threshold: 1 } })] },
    ],
  ])('is none at the bound itself: %s', (_, right) => {
    expect(() => read({ model: 'm', input: 'x', ...right })).not.toThrow()
  })
})
