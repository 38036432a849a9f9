import { takesProof } from '../../src/model/events.ts'
import {
  toText,
  parseObject,
  Verbatim,
  type Json,
  type JsonObject,
  isObject,
  parse,
  toValue,
  defined,
} from '../../src/json/json.ts'
import type {
  Block,
  CodeBlock,
  CodeResultBlock,
  Proof,
  ReasoningBlock,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../../src/model/request.ts'
import { lowerInput } from '../../src/rules/text-tools.ts'
import { written, type BlockTable } from '../contract.ts'
import { addCall, answered, type KnownCalls } from './calls.ts'
import { DIALECT, keep, restOf, factsOf, opaque } from './dialect.ts'
import { readAsked, readMedia, writeMedia, type WriteMediaContext } from './media.ts'
import { isItsOwn, readProof, type WrittenSlot } from './proofs.ts'
import type { WirePart } from './wire.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import type { LoseOf } from '../../src/model/loss.ts'
import { invalid } from '../../src/model/problem.ts'

/** The context for reading a part of a history. */
export interface ReadPartContext {
  /** How closely the model looks at pictures that do not say it themselves. */
  detail?: string | undefined
  path: string
  calls: KnownCalls
}

/**
 * Reads one part of a history, mostly as one block. A part without content is none. A part that also carries proofs of
 * thoughts before it is several.
 */
export function readPart(part: WirePart, context: ReadPartContext): Block[] {
  const { thoughtSignature, ...unsigned } = part
  const block = readUnsigned(unsigned, context)
  if (!thoughtSignature) return block ? [block] : []
  const { proof, slot, damaged, repeated, silent } = readProof(thoughtSignature)
  if (repeated) {
    const thoughts = repeated.map(({ before, ...thought }): Block => ({
      kind: 'reasoning',
      ...thought,
      ...keep({}, { facts: { before } }),
    }))
    return block ? [...thoughts, block] : thoughts
  }
  const hidden = silent ?? (proof && slot && !isItsOwn(slot) ? [{ proof, slot }] : [])
  if (hidden.length > 0) {
    const thoughts = hidden.map((one): Block => ({
      kind: 'reasoning',
      text: '',
      ...(one.slot === 'redacted' && { redacted: true as const }),
      proof: one.proof,
    }))
    return block && !isEmpty(block) ? [...thoughts, block] : thoughts
  }
  return [withProof(block ?? { kind: 'text', text: '' }, proof, damaged)]
}

const isEmpty = (block: Block): boolean =>
  (block.kind === 'text' || block.kind === 'reasoning') && block.text === ''

function withProof(block: Block, proof: Proof | undefined, damaged: true | undefined): Block {
  if (block.kind === 'opaque')
    return proof ? { ...block, value: { ...block.value, thoughtSignature: proof.value } } : block
  if (proof && takesProof(block)) return { ...block, proof }
  return damaged ? { ...block, damagedProof: true } : block
}

function readUnsigned(part: WirePart, context: ReadPartContext): Block | undefined {
  const { text, thought, functionCall, functionResponse, executableCode, ...others } = part
  const { codeExecutionResult, ...rest } = others
  if (functionCall) return readCall(functionCall, rest, context.calls)
  if (functionResponse) {
    const result = readResult(functionResponse, context.path, context.calls)
    return { ...result, ...keep({ ...rest, ...restOf(result) }) }
  }
  if (executableCode) return readCode(executableCode, rest)
  if (codeExecutionResult) return readCodeResult(codeExecutionResult, rest)
  // A picture with `thought: true` was drawn while thinking and is no part of the answer.
  const media = thought === true ? undefined : readAsked(rest, context.detail)
  if (media) return media
  if (text === undefined && Object.keys(rest).length > 0) return opaquePart(part)
  if (text === undefined && thought !== true) return undefined
  const kind = thought === true ? 'reasoning' : 'text'
  return { kind, text: text ?? '', ...keep(rest) }
}

/** A part that only this dialect knows, kept whole. */
export const opaquePart = (part: object): Block => opaque(defined(part) as JsonObject)

function readCall(
  wire: NonNullable<WirePart['functionCall']>,
  rest: object,
  calls: KnownCalls,
): ToolCallBlock {
  const { id, name, args, ...more } = wire
  return {
    kind: 'tool-call',
    id: addCall(calls, name, id),
    name,
    form: 'json',
    input: args === undefined ? '{}' : toText(args),
    ...keep({ ...rest, ...more }, { facts: id ? { id } : {} }),
  }
}

/** Outcomes by name; enumerations also come as numbers. */
const OUTCOMES: ReadonlyMap<Json | undefined, CodeResultBlock['outcome']> = new Map<
  Json | undefined,
  CodeResultBlock['outcome']
>([
  ['OUTCOME_OK', 'ok'],
  ['OK', 'ok'],
  [1, 'ok'],
  ['OUTCOME_DEADLINE_EXCEEDED', 'deadline'],
  [3, 'deadline'],
])
const OUTCOME_NAMES: Record<CodeResultBlock['outcome'], string> = {
  ok: 'OUTCOME_OK',
  failed: 'OUTCOME_FAILED',
  deadline: 'OUTCOME_DEADLINE_EXCEEDED',
}

/**
 * Reads code that the service runs. Older services give it no id; then its place tells which result is its own
 * (`pairCode`).
 */
export function readCode(wire: NonNullable<WirePart['executableCode']>, rest: object): CodeBlock {
  const { id = '', language, code, ...more } = wire
  const isPython = language === undefined || language === 'PYTHON' || language === 1
  return {
    kind: 'code',
    id,
    language: isPython ? 'python' : '',
    code,
    ...keep({ ...rest, ...more }),
  }
}

export function readCodeResult(
  wire: NonNullable<WirePart['codeExecutionResult']>,
  rest: object,
): CodeResultBlock {
  const { id = '', outcome, output = '', ...more } = wire
  return {
    kind: 'code-result',
    callId: id,
    outcome: OUTCOMES.get(outcome) ?? 'failed',
    output,
    ...keep({ ...rest, ...more }),
  }
}

/**
 * Joins the pieces of a text: clients keep a streamed answer in pieces, and the model wrote one block. A proof on the
 * last piece belongs to the whole block.
 */
export function joinPieces(blocks: Block[]): Block[] {
  const result: Block[] = []
  for (const block of blocks) {
    const last = result.at(-1)
    const both = last && join(last, block)
    if (both) result[result.length - 1] = both
    else result.push(block)
  }
  return result
}

function join(first: Block, second: Block): Block | undefined {
  if (
    first.kind === 'text' &&
    second.kind === 'text' &&
    !first.proof &&
    isBare(first) &&
    isBare(second)
  )
    return { ...second, text: first.text + second.text }
  if (first.kind !== 'reasoning' || second.kind !== 'reasoning' || second.redacted) return undefined
  if (first.proof || !isBare(first) || !isBare(second)) return undefined
  return { ...second, text: first.text + second.text }
}

/** Whether a block has nothing but its words. */
const isBare = ({ ext, origin, damagedProof }: TextBlock | ReasoningBlock): boolean =>
  !ext && !origin && !damagedProof

/** The context for writing a part, for an upstream or for a caller. */
export interface WritePartContext extends WriteMediaContext {
  /** A function's name on this wire. */
  nameOf(call: ToolCallBlock): string
  /** The signature for a proof; undefined, and reported, where the proof cannot be sent. */
  signature(proof: Proof, lose: LoseOf, slot: WrittenSlot): string | undefined
  /** Whether calls carry their ids: for a caller, and for an upstream that matches results by them. */
  ids: boolean
}

/** Writes the part for a block. `undefined` for a block that is written elsewhere, reported here, or empty. */
const PARTS: BlockTable<JsonObject, WritePartContext> = {
  text: (block, context) => {
    if (block.citations && block.citations.length > 0) context.lose('dropped', '.citations')
    const proof = signed(block.proof, context)
    return block.text === '' && !proof.thoughtSignature
      ? undefined
      : { ...restOf(block), text: block.text, ...proof }
  },
  reasoning: (block, context) => {
    const proof = signed(block.proof, context, block.redacted ? 'redacted' : 'self')
    return block.text === '' && !proof.thoughtSignature
      ? undefined
      : { ...restOf(block), text: block.text, thought: true, ...proof }
  },
  refusal: (block, { lose }) => {
    lose('approximated', '', 'a refusal becomes text')
    return block.text === '' ? undefined : { text: block.text }
  },
  media: (block, context) => ({
    ...writeMedia(block, context),
    ...signed(block.proof, context),
  }),
  'tool-call': (block, context) => ({
    ...restOf(block),
    functionCall: {
      ...writeId(block, context),
      name: context.nameOf(block),
      args: writeArguments(block, context),
    },
    ...signed(block.proof, context),
  }),
  'tool-result': (_, { lose }) => lose('dropped', ''),
  code: (block, context) => {
    const isPython = block.language.toLowerCase() === 'python'
    if (!isPython && block.language !== '') context.lose('approximated', '.language')
    return {
      ...restOf(block),
      executableCode: {
        ...(context.ids && block.id !== '' && { id: block.id }),
        language: isPython ? 'PYTHON' : 'LANGUAGE_UNSPECIFIED',
        code: block.code,
      },
      ...signed(block.proof, context),
    }
  },
  'code-result': (block, context) => ({
    ...restOf(block),
    codeExecutionResult: {
      ...(context.ids && block.callId !== '' && { id: block.callId }),
      outcome: OUTCOME_NAMES[block.outcome],
      output: block.output,
    },
    ...signed(block.proof, context),
  }),
  search: (_, { lose }) => lose('dropped', ''),
  'mcp-call': (_, { lose }) => lose('dropped', ''),
  'mcp-listing': (_, { lose }) => lose('dropped', ''),
  // The tools stand before the conversation.
  'tool-change': ({ searchId }, { lose }) =>
    searchId === undefined ? undefined : lose('dropped', ''),
  'tool-search': (_, { lose }) => lose('dropped', ''),
  opaque: (block) => (block.dialect === DIALECT ? block.value : undefined),
}

/** The service's own types have no ids of calls, but an id that came in this dialect goes back. */
function writeId(call: ToolCallBlock, context: WritePartContext): { id?: string } {
  if (context.ids) return call.id === '' ? {} : { id: call.id }
  const { id } = factsOf(call)
  return id === undefined ? {} : { id }
}

function signed(
  proof: Proof | undefined,
  context: WritePartContext,
  slot: WrittenSlot = 'self',
): { thoughtSignature?: string } {
  const thoughtSignature = proof && context.signature(proof, context.lose, slot)
  return thoughtSignature === undefined ? {} : { thoughtSignature }
}

/** `args` must be an object. Arguments that are none, or were cut off, are reported and replaced by an empty one. */
export function writeArguments(call: ToolCallBlock, context: WritePartContext): Json {
  if (call.form === 'text') return new Verbatim(lowerInput(call.input))
  if (call.input.trim() === '') return {}
  if (parseObject(call.input)) return new Verbatim(call.input)
  context.lose('approximated', '.input', 'is no JSON object')
  return {}
}

export const writePart = (block: Block, context: WritePartContext): JsonObject | undefined =>
  written(PARTS, block, context)

type WireResponse = NonNullable<WirePart['functionResponse']>

/** Stands for the missing result of a call. */
export const MISSING_RESULT = '[no result: interrupted]'
/** The response of a result that holds only media, which follow it. */
const ATTACHED = 'The result is attached.'

export function readResult(wire: WireResponse, path: string, calls: KnownCalls): ToolResultBlock {
  const { id, name, response, parts, ...rest } = wire
  const call = answered(calls, name, id)
  const { texts, isError, noted } = unwrap(response, name, `${path}.functionResponse.response`)
  const media = (parts ?? []).flatMap((part) => readMedia(part) ?? [])
  return {
    kind: 'tool-result',
    ...call,
    form: 'json',
    content: [...texts.map((text): Block => ({ kind: 'text', text })), ...media],
    ...(isError && { isError }),
    // A result without a known call keeps the function's name that it came with.
    ...keep(
      { ...rest, ...(call.name === '' && { name }) },
      {
        facts: {
          ...(id && { id }),
          ...(noted && { response: noted }),
          ...(media.length > 0 && { parts: true }),
        },
      },
    ),
  }
}

interface Unwrapped {
  texts: string[]
  isError?: true
  /** The response as it came, where writing it again would wrap it in another way. */
  noted?: Json
}

type Wrapper = 'error' | 'output' | 'result' | 'content'

/**
 * The member in which a client has wrapped a result that is no object. Each has its own: `{output}`, `{result}`,
 * `{content}` (LiteLLM 1.110), `{name, content}`, and `{error}` for a failure. Undefined where the response is itself
 * the result.
 */
function findWrapper(members: JsonObject, name: string): Wrapper | undefined {
  const [key = '', second, third] = Object.keys(members).toSorted()
  if (key === 'error' && second === undefined) return key
  if (third !== undefined) return undefined
  if (key === 'content' && second === 'name') return members['name'] === name ? key : undefined
  const isPlain = second === undefined && typeof members[key] === 'string'
  return isPlain && (key === 'output' || key === 'result' || key === 'content') ? key : undefined
}

function unwrap(response: Json | undefined, name: string, path: string): Unwrapped {
  if (response === undefined) return { texts: [] }
  const members = toValue(response)
  if (!isObject(members)) throw invalid(`${path}: must be an object`, path)
  const wrapper = findWrapper(members, name)
  if (!wrapper) return { texts: [legible(response)] }
  const value = members[wrapper]
  const isError = wrapper === 'error' && { isError: true as const }
  if (typeof value !== 'string')
    return { texts: [legible(inside(toText(response), wrapper))], ...isError, noted: response }
  const isUsual = wrapper === 'error' || (wrapper === 'output' && !isItself(value, name))
  return { texts: [value], ...isError, ...(!isUsual && { noted: response }) }
}

/**
 * The escape of a character from U+00A0 on. An escaped backslash is matched too, so that a `u` behind it begins no
 * escape.
 */
const ESCAPED = /\\(?:\\|u((?!00[0-9])[0-9a-f]{4}))/gi

/**
 * JSON with its letters unescaped. google-genai 2.34 for Python escapes all but ASCII. A model of this dialect gets the
 * letters themselves, but in the text of a result another model would read six characters for each.
 */
const legible = (value: Json): string =>
  toText(value).replace(ESCAPED, (escape, unit?: string) =>
    unit ? String.fromCharCode(Number.parseInt(unit, 16)) : escape,
  )

/** Whether a text is written as the response itself: an object that a reader would not take for a wrapper. */
function isItself(text: string, name: string): boolean {
  const members = parseObject(text)
  return members !== undefined && findWrapper(members, name) === undefined
}

const WRAPPED = verbatimPaths('error|content')

/** The content of a wrapper, as it came, where it is no text. */
function inside(raw: string, wrapper: Wrapper): Json {
  const value = parse(raw, WRAPPED)
  return (isObject(value) ? value[wrapper] : undefined) ?? null
}

/** Inverse of `unwrap`: makes the object that `functionResponse.response` must be. */
export function wrap(block: ToolResultBlock, name: string, lose: LoseOf): Json {
  const noted = factsOf(block).response
  if (noted !== undefined) return noted
  const texts = block.content.flatMap((inner) =>
    inner.kind === 'text' || inner.kind === 'refusal' ? [inner.text] : [],
  )
  if (texts.length > 1) lose('approximated', '.content', 'texts are joined')
  const text = texts.length === 0 && block.content.some(isMedia) ? ATTACHED : texts.join('\n')
  if (block.isError) return { error: text }
  return isItself(text, name) ? new Verbatim(text) : { output: text }
}

const isMedia = (block: Block): boolean => block.kind === 'media'
