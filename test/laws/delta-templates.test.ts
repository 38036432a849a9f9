import fc from 'fast-check'
import { expect, it } from 'vitest'
import { frameReader } from '../../src/stream/event-reader.ts'
import type { Adapter, Frame } from '../../adapters/contract.ts'
import { stringify, type Json } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { sseEvents, sseFrame, sseParser } from '../../src/stream/sse.ts'
import { cuts, inPieces, requestFor, richReply } from './arbitrary-replies.ts'
import { replyIn } from '../bench/replies.ts'
import { DIALECTS } from '../bench/shared.ts'
import { ids, writeReply } from './exchange.ts'
import { always, forEachAdapter } from './law.ts'
import { mutate, pathsOf } from './mutate.ts'

const value = fc.oneof(
  fc.constantFrom<Json>('', 'word', ' "quoted"\n', '\ud83d', '\ude00', 0, 7, -1, 1.5, null, {}, []),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
/** At which frame, where in it, what stands there instead, and how often it comes. */
const change = fc.tuple(fc.nat(), fc.nat(), value, fc.integer({ min: 1, max: 3 }))
const changes = fc.array(change, { maxLength: 6 })

const richInPieces = fc.tuple(richReply, cuts)
const changedReply = fc.tuple(richReply, cuts, changes)

type Change = readonly [at: number, where: number, other: Json, times: number]

function changed(frames: readonly Frame[], all: readonly Change[]): Frame[] {
  return frames.flatMap((frame, index) => {
    const variants = all
      .filter(([at]) => at % frames.length === index)
      .flatMap(([, where, other, times]) => {
        const json: Json = JSON.parse(frame.data)
        const paths = pathsOf(json)
        const data = JSON.stringify(mutate(json, paths[where % paths.length] ?? [], other))
        const variants = Array.from({ length: times }, () => ({ ...named(frame), data }))
        // The name of an event tells what it is where its text does not.
        return [...variants, { ...named(frames[where % frames.length] ?? frame), data }]
      })
    return [{ ...named(frame), data: frame.data }, ...variants]
  })
}

const named = ({ event }: Frame) => (event === undefined ? {} : { event })

/** All that a reader makes of frames. Where they are told apart, no text is like the one before. */
function readAll(adapter: Adapter, request: Request, frames: readonly Frame[], apart: boolean) {
  const losses: unknown[] = []
  const lose = (...loss: unknown[]) => void losses.push(loss)
  const reader = frameReader(adapter.upstream.reader({ request, lose, newId: ids() }))
  const events = frames.map((frame, index) =>
    reader.read({ ...named(frame), data: frame.data + (apart && index % 2 === 0 ? ' ' : '') }),
  )
  return [...events, reader.end(), losses]
}

/** What services say: events with everything that they put into them. */
function spoken(dialect: string): Frame[] {
  const known = DIALECTS.find((each) => each === dialect)
  if (!known) return []
  const { opening, delta, closing } = replyIn(known)
  const deltas = [' a', ' b', ' "c"\n', '', '\u{1F600}'].map(delta)
  return sseParser(1e6).push([...opening, ...deltas, ...closing(5)].join(''))
}

forEachAdapter((adapter) => {
  it('reads an event that is like the one before as if it stood alone', () => {
    always(changedReply, ([reply, places, all]) => {
      const request = requestFor(reply)
      const { frames } = writeReply(adapter, request, inPieces(reply, places))
      const some = changed(frames, all)
      expect(readAll(adapter, request, some, false)).toEqual(readAll(adapter, request, some, true))
    })
  })

  it('reads the events of services so, too', () => {
    const request = requestFor({ id: '', model: '', blocks: [], finish: 'stop' })
    // The word that ends a stream of chat completions is no event.
    const frames = spoken(adapter.dialect).filter(({ data }) => data !== '[DONE]')
    expect(frames.length).toBeGreaterThan(5)
    always(changes, (all) => {
      const some = changed(frames, all)
      expect(readAll(adapter, request, some, false)).toEqual(readAll(adapter, request, some, true))
    })
  })

  it('puts a row of events together as if each stood alone', () => {
    always(richInPieces, ([reply, places]) => {
      const context = { request: requestFor(reply), now: 0, lose: () => undefined, newId: ids() }
      const writer = adapter.caller.writer(context)
      const inRows = sseEvents()
      for (const event of inPieces(reply, places))
        for (const said of writer.push(event)) {
          const { name, data } = said
          expect(inRows(said)).toBe(sseFrame({ event: name, data: stringify(data) }))
        }
    })
  })
})
