import { isObject, objectsOf, type Json, type JsonObject } from '../json/json.ts'
import { lossesIn, type Lose } from './loss.ts'
import type { Logprob } from './request.ts'

/** Reads a list as responses and chat completions have it; what is no token is left out. */
export const readLogprobs = (list: Json | undefined, lose: Lose): Logprob[] =>
  objectsOf(list).flatMap((one) => {
    const { token, logprob, bytes, top_logprobs, ...others } = one
    for (const [key, value] of Object.entries(others))
      if (value !== null) lossesIn(lose)('reply.logprobs', key)('dropped', '')
    if (typeof token !== 'string' || typeof logprob !== 'number') return []
    const top = readLogprobs(top_logprobs, lose)
    return {
      token,
      logprob,
      ...(Array.isArray(bytes) && { bytes: bytes.filter((byte) => typeof byte === 'number') }),
      ...(top.length > 0 && { top }),
    }
  })

/** Inverse of `readLogprobs`. */
export const writeLogprobs = (list: readonly Logprob[]): JsonObject[] =>
  list.map(({ top = [], ...one }) => ({ ...writeOne(one), top_logprobs: top.map(writeOne) }))

/** The type of responses (openai 7.57) demands the bytes, also where none were told. */
const writeOne = ({ token, logprob, bytes = [] }: Logprob): JsonObject => ({
  token,
  logprob,
  bytes,
})

/** Whether a list of a stream brings any, as most events bring an empty one. */
export const hasLogprobs = (list: Json | undefined): boolean =>
  Array.isArray(list) && list.some(isObject)

/** Adds to a list. A call with as many arguments as a long reply has tokens would be refused. */
export function append<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one)
}
