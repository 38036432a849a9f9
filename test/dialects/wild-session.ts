import type { JsonObject } from '../../src/json/json.ts'
import { words } from '../cache/session.ts'

/**
 * Sessions in the words of one dialect alone, as its busiest clients send them: instructions and tools that come
 * late, effort and choices that change, results out of order, pictures, what is shown for one turn only. Each step
 * adds to the conversation; `options` change from request to request.
 */
export interface WildSession {
  history: string
  steps: readonly (readonly JsonObject[])[]
  base: JsonObject
  options: readonly JsonObject[]
}

export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const schema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
}
export const NAMES = ['read', 'write', 'list']
export const say = (name: string) => words(name, 12)
