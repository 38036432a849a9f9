import { parse, type Json, type VerbatimPaths } from '../canonical/json.ts'
import type { Request } from '../canonical/model.ts'
import { invalid } from '../canonical/problem.ts'
import type { Exchange } from './exchange.ts'
import { checkStructure, scalarIn } from './scan.ts'
import { survey, type Survey } from './survey.ts'

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** The body as text: well-formed, and of a shape that can be parsed without harm. */
export function checkedText(exchange: Exchange, body: Uint8Array): string {
  const text = decodedText(body)
  checkStructure(text, exchange.settings.limits)
  return text
}

function decodedText(body: Uint8Array): string {
  try {
    return STRICT.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

/** A body that was looked over. */
export interface Looked {
  text: string
  members: Survey
}

/** The same as `checkedText`, with what stands where at its top level. */
export function lookedOver(exchange: Exchange, body: Uint8Array): Looked {
  const text = decodedText(body)
  const members = survey(text, exchange.settings.limits)
  // The caller's own dialect says best what is wrong with it.
  if (!members) readRequest(exchange, text)
  return { text, members: members ?? new Map() }
}

/** The string or boolean at the top level of a body. */
export function memberOf(
  looked: Looked | undefined,
  name: string | undefined,
): string | boolean | undefined {
  const slice = name === undefined ? undefined : looked?.members.get(name)
  return looked && slice && scalarIn(looked.text, slice)
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
