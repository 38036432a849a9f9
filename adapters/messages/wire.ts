import * as z from 'zod'
import { isObject, Verbatim, type Json } from '../../src/canonical/json.ts'
import { invalid } from '../../src/canonical/problem.ts'

/** An object, also one that stayed text. */
const object = z.custom<unknown>(
  (value) => isObject(value) || (value instanceof Verbatim && value.text.trimStart()[0] === '{'),
  'expected an object',
)

const cache = z
  .looseObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() })
  .nullish()

/** Hands a value to a schema that depends on it, keeping the paths of what is wrong. */
function forward(schema: z.ZodType, value: unknown, context: z.RefinementCtx): void {
  for (const { path, message } of schema.safeParse(value).error?.issues ?? [])
    context.addIssue({ code: 'custom', path, message })
}

/** Known types must have their shape; an unknown type is somebody's future and passes. */
function byType(shapes: Record<string, z.ZodType>): z.ZodType {
  const known = new Map(Object.entries(shapes))
  return z.looseObject({ type: z.string() }).superRefine((value, context) => {
    const shape = known.get(value.type)
    if (shape) forward(shape, value, context)
  })
}

/** A string, or a list of blocks. A union would not say which block is wrong. */
const textOr = (block: z.ZodType): z.ZodType =>
  z.unknown().superRefine((value, context) => {
    if (Array.isArray(value)) forward(z.array(block), value, context)
    else if (typeof value !== 'string')
      context.addIssue({ code: 'custom', message: 'expected a string or a list of blocks' })
  })

const optionally = (schema: z.ZodType): z.ZodType =>
  z
    .unknown()
    .superRefine((value, context) => {
      if (value !== undefined && value !== null) forward(schema, value, context)
    })
    .optional()

const source = byType({
  base64: z.looseObject({ media_type: z.string(), data: z.string() }),
  url: z.looseObject({ url: z.string() }),
  file: z.looseObject({ file_id: z.string() }),
  text: z.looseObject({ data: z.string() }),
})

const text = z.looseObject({ text: z.string(), cache_control: cache })
const media = z.looseObject({ source, cache_control: cache })

const resultContent = byType({ text, image: media, document: media })

const block = byType({
  text,
  image: media,
  document: media,
  search_result: z.looseObject({ source: z.string(), title: z.string(), content: z.array(object) }),
  thinking: z.looseObject({ thinking: z.string(), signature: z.string().nullish() }),
  redacted_thinking: z.looseObject({ data: z.string() }),
  tool_use: z.looseObject({
    id: z.string().min(1),
    name: z.string().min(1),
    input: object,
    cache_control: cache,
  }),
  tool_result: z.looseObject({
    tool_use_id: z.string().min(1),
    content: optionally(textOr(resultContent)),
    is_error: z.boolean().nullish(),
    cache_control: cache,
  }),
  server_tool_use: z.looseObject({ id: z.string(), name: z.string(), input: object }),
})

/** What only the model says, and what only it is told. */
const SPEAKERS = new Map([
  ['thinking', 'assistant'],
  ['redacted_thinking', 'assistant'],
  ['tool_use', 'assistant'],
  ['tool_result', 'user'],
])

const message = z
  .looseObject({ role: z.enum(['user', 'assistant', 'system']), content: textOr(block) })
  .superRefine(({ role, content }, context) => {
    for (const [index, value] of Array.isArray(content) ? content.entries() : []) {
      const type = isObject(value) ? value['type'] : undefined
      const speaker = typeof type === 'string' ? SPEAKERS.get(type) : undefined
      if (speaker === undefined || speaker === role) continue
      const said = `${type} blocks belong into messages of the role ${speaker}`
      context.addIssue({ code: 'custom', path: ['content', index], message: said })
    }
  })

const customTool = z.looseObject({
  name: z.string().min(1).max(64),
  description: z.string().nullish(),
  input_schema: object,
  strict: z.boolean().nullish(),
  cache_control: cache,
})

/** A tool without a type is a custom one; the others are known by their dated types. */
const tool = z.looseObject({ type: z.string().nullish() }).superRefine((value, context) => {
  if ((value.type ?? 'custom') === 'custom') forward(customTool, value, context)
})

const thinking = byType({ enabled: z.looseObject({ budget_tokens: z.int().min(1024) }) })

const format = byType({ json_schema: z.looseObject({ schema: object }) })

const request = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.array(message),
  max_tokens: z.int().min(0).nullish(),
  system: optionally(textOr(byType({ text }))),
  metadata: z.looseObject({ user_id: z.string().max(256).nullish() }).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(1).nullish(),
  thinking: thinking.nullish(),
  tool_choice: byType({ tool: z.looseObject({ name: z.string() }) }).nullish(),
  tools: z.array(tool).nullish(),
  service_tier: z.string().nullish(),
  output_config: z
    .looseObject({ effort: z.string().nullish(), format: format.nullish() })
    .nullish(),
  output_format: format.nullish(),
  cache_control: cache,
})

const generation = request.extend({ max_tokens: z.int().min(0) })

/**
 * Throws for the first thing that is wrong with a request. The validated copy is not used: it would have
 * lost `__proto__` keys and the order of the others.
 */
export function validate(body: Json, operation: 'create' | 'count-tokens'): void {
  const schema = operation === 'create' ? generation : request
  const issue = schema.safeParse(body).error?.issues[0]
  if (!issue) return
  const path = issue.path.join('.')
  throw invalid(path === '' ? issue.message : `${path}: ${issue.message}`, path || undefined)
}
