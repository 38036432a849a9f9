import { isObject, type Json } from '../json/json.ts'

const MAX_CHARACTERS = 2000
const MAX_DEPTH = 5

/** Where services, and the gateways around them, put what they have to say. */
const PLACES = ['message', 'detail', 'error', 'msg', 'error_message', 'errors', 'title'] as const

/**
 * The words in the body of an error of any shape; undefined when there are none. A page for people
 * says nothing to a program, and perhaps too much to a stranger.
 */
export function wordsIn(body: Json | undefined, depth = 0): string | undefined {
  if (typeof body === 'string')
    return /^\s*(?:<|$)/.test(body) ? undefined : body.trim().slice(0, MAX_CHARACTERS)
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(body)) return firstIn(body, depth)
  if (!isObject(body)) return undefined
  const { error } = body
  const inner = isObject(error) ? [error] : []
  return firstIn([...inner, ...PLACES.map((place) => body[place])], depth)
}

function firstIn(values: readonly (Json | undefined)[], depth: number): string | undefined {
  for (const value of values) {
    const words = wordsIn(value, depth + 1)
    if (words !== undefined) return words
  }
  return undefined
}
