import type { Adapter } from '../../adapters/contract.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { isObject, parse, type Json, type JsonObject } from '../../src/json/json.ts'
import { sseFrame } from '../../src/stream/sse.ts'
import { readBody, writeReply } from '../laws/exchange.ts'
import { mutate } from '../laws/mutate.ts'
import { findPlaces, variant, type Place } from './widen.ts'

/** A reply as the upstream would stream it; undefined for one that the adapter does not take. */
export function streamed(adapter: Adapter, body: Json): string {
  const request = emptyRequest('m', true)
  const { events } = readBody(adapter, request, body)
  return writeReply(adapter, request, events).frames.map(sseFrame).join('')
}

/** The frames of a recorded stream, as JSON. */
export const framesIn = (text: string): JsonObject[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => parse(line.slice(5)))
    .filter(isObject)

/** Every place of every frame; and each frame many times, also for as many blocks. */
export function framePlaces(frames: JsonObject[]): Place[] {
  return frames.flatMap((frame, at) => [
    ...findPlaces(frame).map(({ name, fill }) => ({
      name: `${kindOf(frame)}.${name}`,
      fill: (size: number) => mutate(frames, [at], fill(size)),
    })),
    {
      name: `${kindOf(frame)} (frames)`,
      fill: (size: number) => frames.toSpliced(at, 1, ...many(frame, size)),
    },
    {
      name: `${kindOf(frame)} (frames of others)`,
      fill: (size: number) =>
        frames.toSpliced(
          at,
          1,
          ...many(frame, size).map((one, index) => variant(one, `_${index}`, index) as JsonObject),
        ),
    },
  ])
}

const many = (frame: JsonObject, size: number): JsonObject[] =>
  Array.from({ length: size }, () => frame)

function kindOf(frame: JsonObject): string {
  const { type, item, part, delta, content_block: block } = frame
  const inner = [item, part, delta, block].find(isObject)?.['type']
  return [type, inner].filter((one) => typeof one === 'string').join(' ') || 'chunk'
}

export const eventStream = (frames: Json): string =>
  (Array.isArray(frames) ? frames : [])
    .map((frame) => {
      const type = isObject(frame) ? frame['type'] : undefined
      return sseFrame({
        ...(typeof type === 'string' && { event: type }),
        data: JSON.stringify(frame),
      })
    })
    .join('')
