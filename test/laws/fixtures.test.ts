import { describe, expect, it } from 'vitest'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { isObject, stringify, type JsonObject } from '../../src/json/json.ts'
import type { Event } from '../../src/model/events.ts'
import { EMPTY, framesOf } from '../replay/replies.ts'
import { probe } from '../replay/silent.ts'
import { readFrames, readRequest, writeRequest } from './exchange.ts'

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

/** Streams that came, of all dialects. */
const STREAMS = import.meta.glob('../../fixtures/**/*{/reply/*,.input.reply}.sse', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** What a reply may say in the model. */
const SAID = [
  'start',
  'block-start',
  'block-delta',
  'logprobs',
  'citation',
  'block-end',
  'usage',
  'finish',
  'error',
  'candidate',
] as const satisfies readonly Event['type'][]
type Unsaid = Exclude<Event['type'], (typeof SAID)[number]>

/** A request for several answers. */
const SEVERAL = { ...EMPTY, sampling: { candidateCount: 2 } }

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

it('the written streams say all that the model has for a reply', () => {
  const all: [Unsaid] extends [never] ? typeof SAID : Unsaid = SAID
  const said = new Set(
    Object.entries(STREAMS).flatMap(([path, text]) =>
      adapters
        .filter(({ dialect }) => path.includes(`/${dialect}/`) || path.includes(`/${dialect}.`))
        .flatMap((adapter) => readFrames(adapter, SEVERAL, framesOf(String(text))).events)
        .map(({ type }) => type),
    ),
  )
  expect(all.filter((type) => !said.has(type))).toEqual([])
})
