import type { Json, JsonObject } from '../../src/json/json.ts'

/** A dialect as both of its ends write it, by hand: what the scripts send and what the checks look for. */
export interface Voice {
  dialect: string
  path(model: string, stream: boolean): string
  request(model: string, stream: boolean): JsonObject
  /** A stream in three parts: up to the text `Hel`, the beginning of an event, and the rest. */
  opening: string
  half: string
  closing: string
  whole: string
  /** A failure in the middle of a stream, and one instead of it. */
  failure: string
  refusal: string
  /** Whether a frame says that all went well, or that something went wrong. */
  isTerminal(event: JsonObject): boolean
  isError(event: JsonObject): boolean
  isProblem(body: JsonObject, status: number): boolean
}

export const sse = (event: JsonObject): string =>
  (typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '') +
  `data: ${JSON.stringify(event)}\n\n`

export const hasText = (value: Json | undefined): boolean =>
  typeof value === 'string' && value !== ''
