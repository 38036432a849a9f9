import { isObject, type Json } from '../json/json.ts'

const MAX_CHARACTERS = 2000
const MAX_DEPTH = 5

/** The members in which services, and gateways around them, put an error's message. */
const PLACES = ['message', 'detail', 'error', 'msg', 'error_message', 'errors', 'title'] as const

/**
 * The message in an error body of any shape; undefined when there is none. An HTML page is not used: it tells a
 * program nothing, and may reveal too much.
 */
export function wordsIn(body: Json | undefined, depth = 0): string | undefined {
  if (typeof body === 'string')
    return /^\s*(?:<[!?/a-z]|$)/i.test(body) ? undefined : body.trim().slice(0, MAX_CHARACTERS)
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
