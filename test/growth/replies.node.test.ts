import { describe, it, vi } from 'vitest'
import { dialects } from '../../adapters/index.ts'
import { repliesOf, streamsOf } from './fixtures.ts'
import { DIALECTS, distinct, inTurn, isDeep, proportional, type Case } from './law.ts'
import { answerWith, exchange } from './proxy.ts'
import { eventStream, framePlaces, framesIn, streamed } from './replies.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import { findPlaces } from './widen.ts'

/** What looks for secrets in every app of a test reads each body as a text, and would be measured. */
vi.unmock('../../src/http/router.ts')
vi.unmock('../../src/http/respond.ts')

const SIZE = isDeep ? 2400 : 600

const askFor = (caller: Dialect, upstream: Dialect, stream: boolean) => {
  const model = `${upstream}-x`
  const { client, http } = kits[caller]
  const body = http.body(model, stream, client.request(model, 'Go'))
  return exchange(caller, model, JSON.stringify(body), stream)
}

/** Asks for a reply that is made before the clock runs. */
const asking =
  (caller: Dialect, upstream: Dialect, stream: boolean, answer: (size: number) => string) =>
  (size: number) => {
    const text = answer(size)
    const ask = askFor(caller, upstream, stream)
    return () => {
      answerWith(text, stream ? 'text/event-stream' : 'application/json')
      return ask()
    }
  }

/** Work on what comes often differs most between those who are told of it. */
const isMany = ({ name }: { name: string }) => /\((?:lists?|run of .*)\)$/.test(name)

describe.each(DIALECTS)('a reply of %s costs in proportion to', (upstream) => {
  const adapter = dialects.of(upstream)
  const bodies = distinct(repliesOf(upstream).flatMap(findPlaces))
  const lists = bodies.filter(isMany)
  const frames = distinct(streamsOf(upstream).map(framesIn).flatMap(framePlaces))

  describe.each(DIALECTS)('what it has, for %s', (caller) => {
    const casesOf = (
      places: typeof bodies,
      stream: boolean,
      say: (body: never) => string,
    ): Case[] =>
      inTurn(places, caller, isMany).map(({ name, fill }) => ({
        name,
        prepare: asking(caller, upstream, stream, (size) => say(fill(size) as never)),
      }))

    it('as a whole', { timeout: 3_600_000 }, () =>
      proportional(casesOf(bodies, false, JSON.stringify), SIZE),
    )
    it('as a stream of the same', { timeout: 3_600_000 }, () =>
      proportional(
        casesOf(lists, true, (body) => (adapter ? streamed(adapter, body) : '')),
        SIZE,
      ),
    )
    it('frame by frame', { timeout: 3_600_000 }, () =>
      proportional(casesOf(frames, true, eventStream), SIZE),
    )
  })
})
