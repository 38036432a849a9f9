import type { Frame, RequestHead, Lookup } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

/** What a client of a dialect does, as far as the laws need it: written without the adapters. */
export interface Client {
  incoming(model: string, stream: boolean): RequestHead
  headers: Lookup
  request(model: string, text: string): JsonObject
  /** The next request: the reply's content goes back exactly as it came, calls get results. */
  followUp(request: JsonObject, reply: JsonObject): JsonObject
  /** What a streaming client takes for the reply, where that differs from the reply as a whole. */
  gather?(frames: readonly Frame[]): JsonObject
  /** The part of a request that grows from turn to turn. */
  history(request: JsonObject): Json[]
  /** Options that change from turn to turn, and are no edit of the conversation. */
  restless: readonly JsonObject[]
  /** The place of the thought in a request of three messages, a thought and a call after the first, as errors name it. */
  firstThought: string
  /** The frame with which a stream is complete. */
  isTerminal(frame: Frame): boolean
}

export const none: Lookup = { get: () => null }
export const sse: Lookup = { get: (name) => (name === 'alt' ? 'sse' : null) }

export const post = (path: string, query: Lookup = none): RequestHead => ({
  method: 'POST',
  path,
  query,
})
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
export const objects = (value: Json | undefined): JsonObject[] => list(value).filter(isObject)
export const typed = (items: JsonObject[], type: string): JsonObject[] =>
  items.filter((item) => item['type'] === type)
