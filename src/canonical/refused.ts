import { picked, type JsonObject } from './json.ts'
import type { Lose } from './loss.ts'

/**
 * What is sent, without the parameters that the configuration says the model refuses. It may name one as the
 * dialect does, by its place in a canonical request, or by the last part of that.
 */
export function withoutRefused(
  body: JsonObject,
  refused: readonly string[] = [],
  placeOf: (key: string) => string,
  lose: Lose,
): JsonObject {
  if (refused.length === 0) return body
  return picked(body, (key) => {
    const place = placeOf(key)
    const names = [key, place, place.slice(place.lastIndexOf('.') + 1)]
    const isRefused = names.some((name) => refused.includes(name))
    if (isRefused) lose('dropped', place)
    return !isRefused
  })
}
