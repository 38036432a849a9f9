import { expect, it } from 'vitest'
import { memory } from '../../adapters/responses/memory/index.ts'
import { measureGrowth, MOST } from './cpu.ts'

/** A request that refers to so many items of one exchange. */
function referring(size: number) {
  const ids = Array.from({ length: size }, (_, at) => `msg_${at}`)
  const items = ids.map((id) => ({ type: 'message', id, role: 'assistant', content: id }))
  const record = { input: items, ids: items.map(() => null), response: { output: [] } }
  const input = ids.map((id) => ({ type: 'item_reference', id }))
  const referenced = { chain: [], items: new Map(ids.map((id) => [id, record])) }
  return () => memory.resolve({ model: 'm', input }, referenced)
}

it('references to many items of one exchange cost in proportion to them', async () => {
  expect(await measureGrowth(referring, 4000)).toBeLessThan(MOST)
})
