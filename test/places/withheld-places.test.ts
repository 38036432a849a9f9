import { expect, it } from 'vitest'
import { responses } from '../../adapters/responses/index.ts'
import { objectsOf, stringify, type JsonObject } from '../../src/json/json.ts'
import type { Withheld } from '../../src/model/events.ts'
import { placing } from '../../src/extras/places/placing.ts'

const thought = (id: string, words: string): JsonObject => ({ type: 'reasoning', id, words })

/** A conversation that is sent as it is, but for the ids of its thoughts, which are sent without one. */
async function placesOf(list: readonly Withheld[], named: readonly string[] = []) {
  const input = [thought('rs_1', 'one'), { role: 'user', id: 'm_1' }, thought('rs_2', 'two')]
  const send = async (body: JsonObject): Promise<JsonObject> => ({
    input: objectsOf(body['input']).map(({ id, ...item }) =>
      named.includes(String(id)) ? { id: String(id), ...item } : item,
    ),
  })
  const body = { text: stringify({ input }) }
  const told = await placing.withheld({ body, caller: responses, send }, list)
  return told.map(({ at, id }) => ({ at, id }))
}

const withheld = (id?: string): Withheld => ({ type: 'reasoning', reason: 'why', id })

it('as many elements as are named are all that were sent, in their order', async () => {
  expect(await placesOf([withheld(), withheld()])).toEqual([
    { at: ['input', 0], id: 'rs_1' },
    { at: ['input', 2], id: 'rs_2' },
  ])
})

it('of fewer nobody can tell which they are, unless they were sent with their ids', async () => {
  expect(await placesOf([withheld()])).toEqual([{}])
  expect(await placesOf([withheld('rs_2')], ['rs_2'])).toEqual([{ at: ['input', 2], id: 'rs_2' }])
})
