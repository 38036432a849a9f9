import { parse, type Json, type VerbatimPaths } from '../canonical/json.ts'
import type { Request } from '../canonical/model.ts'
import { invalid } from '../canonical/problem.ts'
import type { Exchange } from './exchange.ts'
import { checkStructure } from './scan.ts'

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** The body as text: well-formed, and of a shape that can be parsed without harm. */
export function checkedText(exchange: Exchange, body: Uint8Array): string {
  let text: string
  try {
    text = STRICT.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
  checkStructure(text, exchange.settings.limits)
  return text
}

/** The parser's own message quotes the body, so it is not passed on. */
export function parsed(text: string, paths?: VerbatimPaths): Json {
  try {
    return parse(text, paths)
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

export const readRequest = (exchange: Exchange, text: string): Request =>
  readBody(exchange, parsed(text, exchange.caller.caller.verbatim))

export function readBody(exchange: Exchange, body: Json): Request {
  const { caller, route, headers, newId } = exchange
  return caller.caller.readRequest(body, { route, headers, newId })
}
