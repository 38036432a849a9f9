import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { isObject, stringify, type JsonObject } from '../../src/json/json.ts'
import { probe } from '../replay/silent.ts'
import { readRequest, writeRequest } from './exchange.ts'

const FIXTURES = import.meta.glob('../../fixtures/*/request/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** The fullest request of each dialect, by its name. */
const FULL = import.meta.glob('../../fixtures/full/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** The requests of one dialect that were written by hand: name and body. */
function requestsOf(adapter: Adapter): [string, JsonObject][] {
  const folder = `/${adapter.dialect}/request/`
  const full = Object.entries(FULL).flatMap(([path, text]): [string, string][] =>
    path.endsWith(`/${adapter.dialect}.json`) ? [[`${folder}the fullest`, text]] : [],
  )
  return [...Object.entries(FIXTURES), ...full].flatMap(([path, text]): [string, JsonObject][] => {
    const body: unknown = path.includes(folder) ? JSON.parse(text) : undefined
    return isObject(body) ? [[path.slice(path.indexOf(folder) + folder.length), body]] : []
  })
}

describe.each(adapters.map((adapter) => ({ adapter, dialect: adapter.dialect })))(
  'the written requests of $dialect',
  ({ adapter }) => {
    const requests = requestsOf(adapter)
    const others = adapters.filter((other) => other !== adapter)

    it('are there', () => expect(requests.length).toBeGreaterThan(0))

    // The fullest has what no upstream takes together.
    const written = requests.filter(([name]) => name.endsWith('.json'))
    it.each(written)('say the same when they are written and read again: %s', (_, body) => {
      const first = readRequest(adapter, stringify(body))
      const { body: again, losses } = writeRequest(adapter, first)
      expect(losses).toEqual([])
      const { model, stream } = first
      const second = readRequest(adapter, stringify(again), { model, stream })
      expect({ ...second, model }).toEqual(first)
    })

    it.each(requests)('lose nothing in silence: %s', (_, body) => {
      for (const upstream of others) {
        const found = probe(adapter, upstream, body, 1000)
        expect(found?.silent.map(({ how, path }) => `${upstream.dialect}: ${how} ${path}`)).toEqual(
          [],
        )
      }
    })
  },
)
