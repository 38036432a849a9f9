import {
  isObject,
  parse,
  parseObject,
  textOf,
  Verbatim,
  verbatimPaths,
  type Json,
} from '../../src/canonical/json.ts'
import type { Lose } from '../../src/canonical/loss.ts'
import type { Block, ToolResultBlock } from '../../src/canonical/model.ts'
import { invalid } from '../../src/canonical/problem.ts'
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

/**
 * Clients wrap a result that is no object, each in its own way: `{output}`, `{result}`, `{name, content}`,
 * and `{error}` for a failure. Anything else is the result itself, and stays the text that it is.
 */
function unwrap(response: Json | undefined, name: string, path: string): Unwrapped {
  if (response === undefined) return { texts: [] }
  const raw = textOf(response)
  const members = parseObject(raw)
  if (!members) throw invalid(`${path}: must be an object`, path)
  const [key = '', second] = Object.keys(members).toSorted()
  const value = members[key]
  if (second === undefined && key === 'error') {
    if (typeof value === 'string') return { texts: [value], isError: true }
    return { texts: [textOf(verbatimError(raw))], isError: true, noted: response }
  }
  if (typeof value !== 'string') return { texts: [raw] }
  if (second === undefined && key === 'output')
    return parseObject(value) ? { texts: [value], noted: response } : { texts: [value] }
  const isPlain = second === undefined && key === 'result'
  const isNamed = key === 'content' && second === 'name' && members['name'] === name
  return isPlain || (isNamed && Object.keys(members).length === 2)
    ? { texts: [value], noted: response }
    : { texts: [raw] }
}

const ERROR = verbatimPaths('error')

function verbatimError(raw: string): Json {
  const value = parse(raw, ERROR)
  return (isObject(value) ? value['error'] : undefined) ?? null
}

/** The object that `functionResponse.response` must be. Inverse of `unwrap`. */
export function wrap(block: ToolResultBlock, path: string, lose: Lose): Json {
  const noted = note(block.ext, 'response')
  if (noted !== undefined) return noted
  const texts = block.content.flatMap((inner) =>
    inner.kind === 'text' || inner.kind === 'refusal' ? [inner.text] : [],
  )
  if (texts.length > 1) lose('approximated', `${path}.content`, 'texts are joined')
  const text = texts.length === 0 && block.content.some(isMedia) ? ATTACHED : texts.join('\n')
  if (block.isError) return { error: text }
  return parseObject(text) ? new Verbatim(text) : { output: text }
}

export const isMedia = (block: Block): boolean => block.kind === 'media'
