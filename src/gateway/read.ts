import { filled, piecesOf, punched, type Punched } from '../canonical/holes.ts'
import { parse, type Json, type VerbatimPaths } from '../canonical/json.ts'
import type { Request } from '../canonical/model.ts'
import { invalid } from '../canonical/problem.ts'
import { encoded, type Bytes } from './bytes.ts'
import type { Exchange } from './exchange.ts'
import { checkStructure, scalarIn } from './scan.ts'
import { survey, type Survey } from './survey.ts'

const STRICT = new TextDecoder('utf-8', { fatal: true })

/** The body of a request. */
export interface Body {
  readonly bytes: Uint8Array
  /** Without its long data; throws ProblemError when it is no text. */
  readonly text: string
  /** With the data that was left out of the body, in whatever has been made of its text. */
  filled(text: string): string
  /** The same as bytes, in one piece or several. */
  encoded(text: string): Bytes
}

export function bodyOf(bytes: Uint8Array): Body {
  let known: Punched | undefined
  const read = () => (known ??= punched(bytes, decodedText))
  return {
    bytes,
    get text() {
      return read().text
    },
    filled: (text) => (known ? filled(text, known.holes, lenientText) : text),
    encoded: (text) =>
      known?.holes.length
        ? piecesOf(text, known.holes).map((piece) =>
            typeof piece === 'string' ? encoded(piece) : piece,
          )
        : encoded(text),
  }
}

function decodedText(body: Uint8Array): string {
  try {
    return STRICT.decode(body)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })
const lenientText = (bytes: Uint8Array): string => LENIENT.decode(bytes)

/** The body as text, of a shape that can be parsed without harm. */
export function checkedText({ body, settings }: Exchange): string {
  checkStructure(body.text, settings.limits)
  return body.text
}

/** A body that was looked over, without its long data. */
export interface Looked {
  text: string
  members: Survey
}

/** The same as `checkedText`, with what stands where at its top level. */
export function lookedOver(exchange: Exchange): Looked {
  const { text } = exchange.body
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

/** The text of a value at the top level of a body. */
export function memberText(looked: Looked | undefined, name: string): string | undefined {
  const slice = looked?.members.get(name)
  return slice && looked?.text.slice(slice.start, slice.end)
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
  readJson(exchange, parsed(text, exchange.caller.caller.verbatim))

export function readJson(exchange: Exchange, body: Json): Request {
  const { caller, route, headers, newId } = exchange
  return caller.caller.readRequest(body, { route, headers, newId })
}
