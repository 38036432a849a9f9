import type { Frame } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { ofEach } from './answers.ts'
import type { Grammar } from './grammar.ts'
import {
  any,
  anyObject,
  array,
  both,
  count,
  exactly,
  filled,
  first,
  list,
  literal,
  loose,
  matching,
  member,
  number,
  object,
  optional,
  payload,
  same,
  string,
  type Shape,
} from './shape.ts'

/** The service's own base64; a proof is returned by clients that decode and encode it. */
const base64 = matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
const proof = both(filled, base64)

const finishReason = literal(
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MALFORMED_FUNCTION_CALL',
  'IMAGE_SAFETY',
)

/** A part is exactly one of these; clients tell them apart by which member is there. */
const PARTS: Record<string, Record<string, Shape>> = {
  text: { text: string, thought: optional(literal(true)) },
  functionCall: { functionCall: exactly({ id: optional(filled), name: filled, args: anyObject }) },
  inlineData: { inlineData: object({ mimeType: filled, data: base64 }) },
  fileData: { fileData: object({ fileUri: filled, mimeType: optional(string) }) },
  executableCode: {
    executableCode: object({
      language: literal('PYTHON', 'LANGUAGE_UNSPECIFIED'),
      code: string,
      id: optional(filled),
    }),
  },
  toolCall: { toolCall: object({ toolType: filled, id: filled }) },
  toolResponse: { toolResponse: object({ toolType: filled, id: filled }) },
  codeExecutionResult: {
    codeExecutionResult: object({
      outcome: literal('OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED'),
      output: loose(string),
    }),
  },
}

const part: Shape = (value, path) => {
  const kinds = Object.keys(PARTS).filter((kind) => member(value, kind) !== undefined)
  const [kind = ''] = kinds
  if (kinds.length !== 1) return `${path}: is ${kinds.join(' and ') || 'no known part'}`
  return object({ ...PARTS[kind], thoughtSignature: optional(proof) })(value, path)
}

const usage: Shape = both(
  object({
    promptTokenCount: count,
    candidatesTokenCount: count,
    totalTokenCount: count,
    thoughtsTokenCount: optional(count),
    cachedContentTokenCount: optional(count),
    toolUsePromptTokenCount: optional(count),
  }),
  (value, path) => {
    const counted = [
      'promptTokenCount',
      'candidatesTokenCount',
      'thoughtsTokenCount',
      'toolUsePromptTokenCount',
    ].map((key) => Number(member(value, key) ?? 0))
    const total = counted.reduce((sum, tokens) => sum + tokens, 0)
    return member(value, 'totalTokenCount') === total
      ? undefined
      : `${path}.totalTokenCount: is not the sum ${total}`
  },
)

const grounding = object({
  webSearchQueries: loose(array(string)),
  searchEntryPoint: loose(object({ renderedContent: string })),
  groundingChunks: loose(
    array(object({ web: loose(object({ uri: string, title: loose(string) })) })),
  ),
  groundingSupports: loose(
    array(
      object({
        segment: loose(
          object({ startIndex: loose(count), endIndex: loose(count), text: loose(string) }),
        ),
        groundingChunkIndices: loose(array(count)),
        confidenceScores: loose(array(number)),
      }),
    ),
  ),
})

const citations = object({
  citationSources: loose(
    array(object({ startIndex: loose(count), endIndex: loose(count), uri: loose(string) })),
  ),
})

const candidate = object({
  content: object({ role: literal('model'), parts: array(part, 1) }),
  index: optional(literal(0)),
  finishReason: optional(finishReason),
  finishMessage: optional(string),
  groundingMetadata: optional(grounding),
  citationMetadata: optional(citations),
  safetyRatings: loose(array(anyObject)),
  // The client would send requests of its own to go on.
  continuationToken: (value, path) =>
    value === undefined ? undefined : `${path}: must not be sent`,
})

const chunk = object({
  candidates: array(candidate, 1),
  modelVersion: string,
  responseId: filled,
  usageMetadata: optional(usage),
})

const last = object({ usageMetadata: usage, candidates: array(object({ finishReason: any })) })

const error = object({
  error: object({ code: count, message: string, status: matching(/^[A-Z_]+$/) }),
})

/** A proof in a chunk refers to grounded chunks that the same reply lists. */
const references: Shape = (value, path) => {
  const metadata = member(list(member(value, 'candidates'))[0], 'groundingMetadata')
  const known = list(member(metadata, 'groundingChunks')).length
  const named = list(member(metadata, 'groundingSupports')).flatMap((support) =>
    list(member(support, 'groundingChunkIndices')),
  )
  const dangling = named.find((index) => Number(index) >= known)
  return dangling === undefined ? undefined : `${path}: no grounding chunk ${String(dangling)}`
}

const hasFinish = (event: JsonObject): boolean =>
  list(event['candidates']).some((one) => member(one, 'finishReason') !== undefined)

function checkChunk(event: JsonObject, head: JsonObject, final: boolean): string | undefined {
  const wrong = first([chunk(event, 'chunk'), references(event, 'chunk')])
  if (wrong !== undefined) return wrong
  if (list(event['candidates']).length !== 1) return 'more than one candidate'
  for (const key of ['responseId', 'modelVersion'])
    if (!same(event[key], head[key])) return `${key} changes`
  if (final) return last(event, 'last chunk')
  return hasFinish(event) ? 'finishReason before the last chunk' : undefined
}

function check(frames: readonly Frame[]): string | undefined {
  let head: JsonObject | undefined
  for (const [index, frame] of frames.entries()) {
    const final = index === frames.length - 1
    const event = payload(frame.data)
    const wrong = (what: string) => `frame ${index}: ${what}`
    if (frame.event !== undefined) return wrong('has an event line')
    if (typeof event === 'string') return wrong(event)
    head ??= event
    const failed = event['error'] !== undefined
    if (failed && !final) return wrong('an error is not the last frame')
    const found = failed ? error(event, 'chunk') : checkChunk(event, head, final)
    if (found !== undefined) return wrong(found)
  }
  return head ? undefined : 'the stream is empty'
}

function checkBody(body: Json): string | undefined {
  if (!isObject(body)) return 'reply: is no object'
  return checkChunk(body, body, true)
}

export const generateContent: Grammar = ofEach({ check, checkBody }, 'candidates', 'usageMetadata')
