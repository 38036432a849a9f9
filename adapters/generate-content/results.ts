import {
  isObject,
  parse,
  parseObject,
  toText,
  toValue,
  Verbatim,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Block, ToolResultBlock } from '../../src/model/request.ts'
import { invalid } from '../../src/model/problem.ts'
import type { CallBook } from './calls.ts'
import { leftovers, note } from './dialect.ts'
import { readMedia } from './media.ts'
import type { WirePart } from './wire.ts'

type WireResponse = NonNullable<WirePart['functionResponse']>

/** What a history says for a call whose result is missing. */
export const MISSING_RESULT = '[no result: interrupted]'
/** Stands for a result that consists of nothing but media, which follow it. */
const ATTACHED = 'The result is attached.'

export function readResult(wire: WireResponse, path: string, book: CallBook): ToolResultBlock {
  const { id, name, response, parts, ...rest } = wire
  const answered = book.result(name, id)
  const { texts, isError, noted } = unwrap(response, name, `${path}.functionResponse.response`)
  const media = (parts ?? []).flatMap((part) => readMedia(part) ?? [])
  return {
    kind: 'tool-result',
    ...answered,
    form: 'json',
    content: [...texts.map((text): Block => ({ kind: 'text', text })), ...media],
    ...(isError && { isError }),
    ...leftovers({
      ...rest,
      ...(id && { '#id': id }),
      ...(noted && { '#response': noted }),
      ...(media.length > 0 && { '#parts': true }),
      // The function's name is all that is known of the call that an orphan answers.
      ...(answered.name === '' && { name }),
    }),
  }
}

interface Unwrapped {
  texts: string[]
  isError?: true
  /** The response as it came, where writing would wrap it otherwise. */
  noted?: Json
}

type Wrapper = 'error' | 'output' | 'result' | 'content'

/**
 * Clients wrap a result that is no object, each in its own way: `{output}`, `{result}`, `{name, content}`,
 * and `{error}` for a failure. Undefined for what is the result itself.
 */
function findWrapper(members: JsonObject, name: string): Wrapper | undefined {
  const [key = '', second, third] = Object.keys(members).toSorted()
  if (key === 'error' && second === undefined) return key
  if (third !== undefined) return undefined
  if (key === 'content' && second === 'name') return members['name'] === name ? key : undefined
  const isPlain = second === undefined && typeof members[key] === 'string'
  return isPlain && (key === 'output' || key === 'result') ? key : undefined
}

function unwrap(response: Json | undefined, name: string, path: string): Unwrapped {
  if (response === undefined) return { texts: [] }
  const members = toValue(response)
  if (!isObject(members)) throw invalid(`${path}: must be an object`, path)
  const wrapper = findWrapper(members, name)
  if (!wrapper) return { texts: [toText(response)] }
  const value = members[wrapper]
  const isError = wrapper === 'error' && { isError: true as const }
  if (typeof value !== 'string')
    return { texts: [toText(inside(toText(response), wrapper))], ...isError, noted: response }
  const isUsual = wrapper === 'error' || (wrapper === 'output' && !isItself(value, name))
  return { texts: [value], ...isError, ...(!isUsual && { noted: response }) }
}

/** An object is written as the response itself, unless a reader would take it for a wrapper. */
function isItself(text: string, name: string): boolean {
  const members = parseObject(text)
  return members !== undefined && findWrapper(members, name) === undefined
}

const WRAPPED = verbatimPaths('error|content')

/** What a wrapper holds when it is no text, as it came. */
function inside(raw: string, wrapper: Wrapper): Json {
  const value = parse(raw, WRAPPED)
  return (isObject(value) ? value[wrapper] : undefined) ?? null
}

/** The object that `functionResponse.response` must be. Inverse of `unwrap`. */
export function wrap(block: ToolResultBlock, name: string, path: string, lose: Lose): Json {
  const noted = note(block.ext, 'response')
  if (noted !== undefined) return noted
  const texts = block.content.flatMap((inner) =>
    inner.kind === 'text' || inner.kind === 'refusal' ? [inner.text] : [],
  )
  if (texts.length > 1) lose('approximated', `${path}.content`, 'texts are joined')
  const text = texts.length === 0 && block.content.some(isMedia) ? ATTACHED : texts.join('\n')
  if (block.isError) return { error: text }
  return isItself(text, name) ? new Verbatim(text) : { output: text }
}

export const isMedia = (block: Block): boolean => block.kind === 'media'
