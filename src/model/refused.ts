import { pickMembers, type JsonObject } from '../json/json.ts'
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
  const isRefused = (key: string): boolean =>
    namesOf(key, placeOf).some((name) => refused.includes(name))
  const out = refused.length === 0 ? [] : Object.keys(body).filter(isRefused)
  for (const key of out) lose('dropped', placeOf(key))
  return out.length === 0 ? body : pickMembers(body, (key) => !out.includes(key))
}

function namesOf(key: string, placeOf: (key: string) => string): string[] {
  const place = placeOf(key)
  return [key, place, place.slice(place.lastIndexOf('.') + 1)]
}

/** All names that some parameters go by: those of the dialect first. */
export const droppable = (
  keys: readonly string[],
  placeOf: (key: string) => string,
): readonly string[] => [...new Set([...keys, ...keys.flatMap((key) => namesOf(key, placeOf))])]
