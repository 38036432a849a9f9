import * as z from 'zod/mini'
import { isObject, type Json } from '../../src/json/json.ts'
import { invalid } from '../../src/model/problem.ts'

/**
 * What a caller may send, after `normalise`. Objects are loose: an unknown member is a leftover, never an
 * error. Only the verdict of these shapes is used; the value stays the one that was parsed.
 */
const json = z.custom<Json>()
const open = <S extends z.core.$ZodLooseShape>(shape: S) => z.catchall(z.object(shape), json)
const oneOrMany = <S extends z.ZodMiniType>(schema: S) => z.union([z.array(schema), schema])

/** 64-bit integers may come as strings. */
const integer = z.union([z.int(), z.string().check(z.regex(/^-?\d{1,19}$/))])
const written = z.string().check(z.regex(/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i))
const decimal = z.union([z.number(), written])
const warmth = z.union([
  z.number().check(z.gte(0), z.lte(2)),
  written.check(z.refine((value) => Number(value) >= 0 && Number(value) <= 2)),
])
const filled = z.string().check(z.minLength(1))

const blob = open({ mimeType: z.string(), data: z.string() })
const fileData = open({ fileUri: filled, mimeType: z.optional(z.string()) })
const media = open({ inlineData: z.optional(blob), fileData: z.optional(fileData) })

const part = open({
  text: z.optional(z.string()),
  thought: z.optional(z.boolean()),
  thoughtSignature: z.optional(z.string()),
  inlineData: z.optional(blob),
  fileData: z.optional(fileData),
  functionCall: z.optional(
    open({ id: z.optional(z.string()), name: filled, args: z.optional(json) }),
  ),
  functionResponse: z.optional(
    open({
      id: z.optional(z.string()),
      name: z.string(),
      response: z.optional(json),
      parts: z.optional(z.array(media)),
    }),
  ),
  executableCode: z.optional(
    open({
      id: z.optional(z.string()),
      language: z.optional(z.union([z.string(), z.int()])),
      code: z.string(),
    }),
  ),
  codeExecutionResult: z.optional(
    open({
      id: z.optional(z.string()),
      outcome: z.optional(z.union([z.string(), z.int()])),
      output: z.optional(z.string()),
    }),
  ),
})

const role = z.enum(['user', 'model', 'function', 'tool', 'system', ''])
const content = open({ role: z.optional(role), parts: z.optional(oneOrMany(part)) })

const declaration = open({
  name: filled,
  description: z.optional(z.string()),
  parameters: z.optional(json),
  parametersJsonSchema: z.optional(json),
})
const tool = open({ functionDeclarations: z.optional(oneOrMany(declaration)) })

const thinkingConfig = open({
  includeThoughts: z.optional(z.boolean()),
  thinkingBudget: z.optional(integer),
  thinkingLevel: z.optional(z.string()),
})

const generationConfig = open({
  stopSequences: z.optional(z.array(z.string()).check(z.maxLength(5))),
  responseMimeType: z.optional(z.string()),
  responseSchema: z.optional(json),
  responseJsonSchema: z.optional(json),
  responseModalities: z.optional(z.array(json)),
  candidateCount: z.optional(integer),
  maxOutputTokens: z.optional(integer),
  temperature: z.optional(warmth),
  topP: z.optional(decimal),
  topK: z.optional(decimal),
  seed: z.optional(integer),
  presencePenalty: z.optional(decimal),
  frequencyPenalty: z.optional(decimal),
  responseLogprobs: z.optional(z.boolean()),
  logprobs: z.optional(integer),
  thinkingConfig: z.optional(thinkingConfig),
})

const toolConfig = open({
  functionCallingConfig: z.optional(
    open({
      mode: z.optional(z.union([z.string(), z.int()])),
      allowedFunctionNames: z.optional(z.array(z.string())),
    }),
  ),
})

const fields = {
  systemInstruction: z.optional(content),
  tools: z.optional(oneOrMany(tool)),
  toolConfig: z.optional(toolConfig),
  generationConfig: z.optional(generationConfig),
  labels: z.optional(z.record(z.string(), z.string())),
  serviceTier: z.optional(z.string()),
  store: z.optional(z.boolean()),
}

const create = open({ ...fields, contents: oneOrMany(content) })
const count = open({ ...fields, contents: z.optional(oneOrMany(content)) })
const wrappedCount = open({ generateContentRequest: count })

/** Throws unless the body is a request as documented. */
export function checkRequest(body: Json, counting: boolean): void {
  const isWrapped = isObject(body) && body['generateContentRequest'] !== undefined
  check(counting ? (isWrapped ? wrappedCount : count) : create, body)
}

function check(schema: z.ZodMiniType, value: Json): void {
  const result = schema.safeParse(value)
  if (!result.success) throw violation(result.error.issues)
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
