import type { Json } from '../../src/json/json.ts'
import {
  list,
  object,
  optional,
  record,
  shaped,
  type Shape,
  type TypeOf,
} from '../../src/model/shape.ts'
import { anything, filled, flag, number, oneOf, text, that } from '../../src/model/shape-values.ts'

/**
 * What a caller may send, after `normalise`. Objects are loose: an unknown member is a leftover, never an
 * error.
 */

/** A list of one may be written without the brackets; which element is wrong is told. */
function oneOrMany<T>(shape: Shape<T>): Shape<T | T[]> {
  const many = list(shape)
  return (value) => (Array.isArray(value) ? many(value) : shape(value))
}

/** 64-bit integers may come as strings. */
const integer = that<number | string>(
  'an integer',
  (value) =>
    Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value)),
)
/** Enumerations may come as numbers. */
const enumerated = that<number | string>(
  'a string or an integer',
  (value) => typeof value === 'string' || Number.isSafeInteger(value),
)

const blob = object({ mimeType: text, data: text })
const fileData = object({ fileUri: filled, mimeType: optional(text) })
const media = object({ inlineData: optional(blob), fileData: optional(fileData) })

const part = object({
  text: optional(text),
  thought: optional(flag),
  thoughtSignature: optional(text),
  inlineData: optional(blob),
  fileData: optional(fileData),
  functionCall: optional(object({ id: optional(text), name: filled, args: optional(anything) })),
  functionResponse: optional(
    object({
      id: optional(text),
      name: text,
      response: optional(anything),
      parts: optional(list(media)),
    }),
  ),
  executableCode: optional(
    object({ id: optional(text), language: optional(enumerated), code: text }),
  ),
  codeExecutionResult: optional(
    object({ id: optional(text), outcome: optional(enumerated), output: optional(text) }),
  ),
})

const role = oneOf('user', 'model', 'function', 'tool', 'system', '')
const content = object({ role: optional(role), parts: optional(oneOrMany(part)) })

const declaration = object({
  name: filled,
  description: optional(text),
  parameters: optional(anything),
  parametersJsonSchema: optional(anything),
})
const tool = object({ functionDeclarations: optional(oneOrMany(declaration)) })

const thinkingConfig = object({
  includeThoughts: optional(flag),
  thinkingBudget: optional(integer),
  thinkingLevel: optional(text),
})

const generationConfig = object({
  stopSequences: optional(list(text, 5)),
  responseMimeType: optional(text),
  responseSchema: optional(anything),
  responseJsonSchema: optional(anything),
  responseModalities: optional(list(anything)),
  candidateCount: optional(integer),
  maxOutputTokens: optional(integer),
  temperature: optional(number(0, 2)),
  topP: optional(number()),
  topK: optional(number()),
  seed: optional(integer),
  presencePenalty: optional(number()),
  frequencyPenalty: optional(number()),
  responseLogprobs: optional(flag),
  logprobs: optional(integer),
  thinkingConfig: optional(thinkingConfig),
})

const toolConfig = object({
  functionCallingConfig: optional(
    object({ mode: optional(text), allowedFunctionNames: optional(list(text)) }),
  ),
})

const fields = {
  systemInstruction: optional(content),
  tools: optional(oneOrMany(tool)),
  toolConfig: optional(toolConfig),
  generationConfig: optional(generationConfig),
  labels: optional(record(text, text)),
  serviceTier: optional(text),
}

const create = object({ ...fields, contents: oneOrMany(content) })
const count = object({ ...fields, contents: optional(oneOrMany(content)) })
const wrappedCount = object({ generateContentRequest: count })

export type WireMedia = TypeOf<typeof media>
export type WirePart = TypeOf<typeof part>
export type WireContent = TypeOf<typeof content>
export type WireTool = TypeOf<typeof tool>
export type WireDeclaration = TypeOf<typeof declaration>
export type WireToolConfig = TypeOf<typeof toolConfig>
export type WireGenerationConfig = TypeOf<typeof generationConfig>
export type WireThinkingConfig = TypeOf<typeof thinkingConfig>
export type WireRequest = TypeOf<typeof count>

export const checkCreate = (body: Json): WireRequest => shaped(create, body)
export const checkCount = (body: Json): WireRequest => shaped(count, body)
export const checkWrappedCount = (body: Json): WireRequest =>
  shaped(wrappedCount, body).generateContentRequest
