import type { Frame } from '../../adapters/contract.ts'
import { isObject, parse, type JsonObject } from '../../src/json/json.ts'
import { allKits } from '../dialects/index.ts'
import type { Voice } from '../dialects/voice.ts'

export type { Voice }

export const voices: readonly Voice[] = allKits.map(({ voice }) => voice)

/** The event in a frame; one that is no JSON is none. */
export function eventIn(frame: Frame): JsonObject | undefined {
  try {
    const event = parse(frame.data)
    return isObject(event) ? event : undefined
  } catch {
    return undefined
  }
}
