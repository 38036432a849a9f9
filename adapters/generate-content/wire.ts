import * as z from 'zod'
import type { Json } from '../../src/canonical/json.ts'
import { invalid } from '../../src/canonical/problem.ts'

/**
 * What a caller may send, after `normalise`. Objects are loose: an unknown member is a leftover, never an
 * error. Only the verdict of these shapes is used; the value stays the one that was parsed.
 */
const json = z.custom<Json>()
const open = <S extends z.ZodRawShape>(shape: S) => z.object(shape).catchall(json)
const oneOrMany = <S extends z.ZodType>(schema: S) => z.union([z.array(schema), schema])

/** 64-bit integers may come as strings. */
const integer = z.union([z.int(), z.string().regex(/^-?\d{1,19}$/)])
const filled = z.string().min(1)

const blob = open({ mimeType: z.string(), data: z.string() })
const fileData = open({ fileUri: filled, mimeType: z.string().optional() })
const media = open({ inlineData: blob.optional(), fileData: fileData.optional() })

const part = open({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: blob.optional(),
  fileData: fileData.optional(),
  functionCall: open({ id: z.string().optional(), name: filled, args: json.optional() }).optional(),
  functionResponse: open({
    id: z.string().optional(),
    name: z.string(),
    response: json.optional(),
    parts: z.array(media).optional(),
  }).optional(),
  executableCode: open({
    id: z.string().optional(),
    language: z.union([z.string(), z.int()]).optional(),
    code: z.string(),
  }).optional(),
  codeExecutionResult: open({
    id: z.string().optional(),
    outcome: z.union([z.string(), z.int()]).optional(),
    output: z.string().optional(),
  }).optional(),
})

const role = z.enum(['user', 'model', 'function', 'tool', 'system', ''])
const content = open({ role: role.optional(), parts: oneOrMany(part).optional() })

const declaration = open({
  name: filled,
  description: z.string().optional(),
  parameters: json.optional(),
  parametersJsonSchema: json.optional(),
})
const tool = open({ functionDeclarations: oneOrMany(declaration).optional() })

const thinkingConfig = open({
  includeThoughts: z.boolean().optional(),
  thinkingBudget: integer.optional(),
  thinkingLevel: z.string().optional(),
})

const generationConfig = open({
  stopSequences: z.array(z.string()).max(5).optional(),
  responseMimeType: z.string().optional(),
  responseSchema: json.optional(),
  responseJsonSchema: json.optional(),
  responseModalities: z.array(json).optional(),
  candidateCount: integer.optional(),
  maxOutputTokens: integer.optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().optional(),
  topK: z.number().optional(),
  seed: integer.optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: integer.optional(),
  thinkingConfig: thinkingConfig.optional(),
})

const toolConfig = open({
  functionCallingConfig: open({
    mode: z.string().optional(),
    allowedFunctionNames: z.array(z.string()).optional(),
  }).optional(),
})

const fields = {
  systemInstruction: content.optional(),
  tools: oneOrMany(tool).optional(),
  toolConfig: toolConfig.optional(),
  generationConfig: generationConfig.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  serviceTier: z.string().optional(),
}

const create = open({ ...fields, contents: oneOrMany(content) })
const count = open({ ...fields, contents: oneOrMany(content).optional() })
const wrappedCount = open({ generateContentRequest: count })

export type WireMedia = z.infer<typeof media>
export type WirePart = z.infer<typeof part>
export type WireContent = z.infer<typeof content>
export type WireTool = z.infer<typeof tool>
export type WireDeclaration = z.infer<typeof declaration>
export type WireToolConfig = z.infer<typeof toolConfig>
export type WireGenerationConfig = z.infer<typeof generationConfig>
export type WireThinkingConfig = z.infer<typeof thinkingConfig>
export type WireRequest = z.infer<typeof count>

export const checkCreate = (body: Json): WireRequest => check(create, body)
export const checkCount = (body: Json): WireRequest => check(count, body)
export const checkWrappedCount = (body: Json): WireRequest =>
  check(wrappedCount, body).generateContentRequest

/** The value itself, once its shape is known. */
function check<T>(schema: z.ZodType<T>, value: Json): T {
  const result = schema.safeParse(value)
  if (!result.success) throw violation(result.error.issues)
  return value as T
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly code?: string
  readonly errors?: readonly (readonly Issue[])[]
}

/** Names the deepest place that is wrong: of alternatives, the one that came furthest. */
function violation(issues: readonly Issue[]) {
  const { path, message } = deepest(issues, [])
  const place = path.map(String).join('.')
  return invalid(`${place === '' ? 'body' : place}: ${message}`, place === '' ? undefined : place)
}

function deepest(issues: readonly Issue[], base: readonly PropertyKey[]): Issue {
  const [first] = issues
  if (!first) return { path: base, message: 'is not valid' }
  const path = [...base, ...first.path]
  const inner = (first.errors ?? []).map((alternative) => deepest(alternative, path))
  const furthest = inner.toSorted((a, b) => b.path.length - a.path.length)[0]
  return furthest && furthest.path.length > path.length ? furthest : { ...first, path }
}
