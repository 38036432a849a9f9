import * as z from 'zod/mini'
import { isObject, Verbatim, type Json } from '../../src/json/json.ts'
import { invalid } from '../../src/model/problem.ts'

/** An object, also one that stayed text. */
const object = z.custom<unknown>(
  (value) => isObject(value) || (value instanceof Verbatim && value.text.trimStart()[0] === '{'),
  'expected an object',
)

const cache = z.nullish(
  z.looseObject({ type: z.literal('ephemeral'), ttl: z.nullish(z.enum(['5m', '1h'])) }),
)

/** Hands a value to a schema that depends on it, keeping the paths of what is wrong. */
function forward(schema: z.ZodMiniType, value: unknown, context: z.core.$RefinementCtx): void {
  for (const { path, message } of schema.safeParse(value).error?.issues ?? [])
    context.addIssue({ code: 'custom', path, message })
}

/** Known types must have their shape; an unknown type is somebody's future and passes. */
function byType(shapes: Record<string, z.ZodMiniType>): z.ZodMiniType {
  const known = new Map(Object.entries(shapes))
  return z.looseObject({ type: z.string() }).check(
    z.superRefine((value, context) => {
      const shape = known.get(value.type)
      if (shape) forward(shape, value, context)
    }),
  )
}

/** A string, or a list of blocks. A union would not say which block is wrong. */
const textOr = (block: z.ZodMiniType): z.ZodMiniType =>
  z.unknown().check(
    z.superRefine((value, context) => {
      if (Array.isArray(value)) forward(z.array(block), value, context)
      else if (typeof value !== 'string')
        context.addIssue({ code: 'custom', message: 'expected a string or a list of blocks' })
    }),
  )

const optionally = (schema: z.ZodMiniType): z.ZodMiniType =>
  z.optional(
    z.unknown().check(
      z.superRefine((value, context) => {
        if (value !== undefined && value !== null) forward(schema, value, context)
      }),
    ),
  )

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
  thinking: z.looseObject({ thinking: z.string(), signature: z.nullish(z.string()) }),
  redacted_thinking: z.looseObject({ data: z.string() }),
  tool_use: z.looseObject({
    id: z.string().check(z.minLength(1)),
    name: z.string().check(z.minLength(1)),
    input: object,
    cache_control: cache,
  }),
  tool_result: z.looseObject({
    tool_use_id: z.string().check(z.minLength(1)),
    content: optionally(textOr(resultContent)),
    is_error: z.nullish(z.boolean()),
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
  .discriminatedUnion('role', [
    z.looseObject({ role: z.enum(['user', 'assistant']), content: textOr(block) }),
    z.looseObject({ role: z.literal('system'), content: z.nullish(textOr(block)) }),
  ])
  .check(
    z.superRefine(({ role, content }, context) => {
      for (const [index, value] of Array.isArray(content) ? content.entries() : []) {
        const type = isObject(value) ? value['type'] : undefined
        const speaker = typeof type === 'string' ? SPEAKERS.get(type) : undefined
        if (speaker === undefined || speaker === role) continue
        const said = `${type} blocks belong into messages of the role ${speaker}`
        context.addIssue({ code: 'custom', path: ['content', index], message: said })
      }
    }),
  )

const customTool = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(128)),
  description: z.nullish(z.string()),
  input_schema: object,
  strict: z.nullish(z.boolean()),
  cache_control: cache,
})

/** A tool without a type is a custom one; the others are known by their dated types. */
const tool = z.looseObject({ type: z.nullish(z.string()) }).check(
  z.superRefine((value, context) => {
    if ((value.type ?? 'custom') === 'custom') forward(customTool, value, context)
  }),
)

const thinking = byType({ enabled: z.looseObject({ budget_tokens: z.int().check(z.gte(1024)) }) })

const format = byType({ json_schema: z.looseObject({ schema: object }) })

/** -1 is what @langchain/anthropic 0.x says of a member that is not set. */
const unset = (schema: z.ZodMiniNumber) => z.nullish(z.union([z.literal(-1), schema]))

const request = z.looseObject({
  model: z.string().check(z.minLength(1), z.maxLength(256)),
  messages: z.array(message),
  max_tokens: z.nullish(z.int().check(z.gte(0))),
  system: optionally(textOr(byType({ text }))),
  metadata: z.nullish(z.looseObject({ user_id: z.nullish(z.string().check(z.maxLength(256))) })),
  stop_sequences: z.nullish(z.array(z.string())),
  stream: z.nullish(z.boolean()),
  temperature: z.nullish(z.number().check(z.gte(0), z.lte(1))),
  top_p: unset(z.number().check(z.gte(0), z.lte(1))),
  top_k: unset(z.int().check(z.gte(1))),
  thinking: z.nullish(thinking),
  tool_choice: z.nullish(byType({ tool: z.looseObject({ name: z.string() }) })),
  tools: z.nullish(z.array(tool)),
  service_tier: z.nullish(z.string()),
  output_config: z.nullish(
    z.looseObject({ effort: z.nullish(z.string()), format: z.nullish(format) }),
  ),
  output_format: z.nullish(format),
  cache_control: cache,
})

const generation = z.extend(request, { max_tokens: z.int().check(z.gte(0)) })

/** Throws for the first thing that is wrong with a request. */
export function checkRequest(body: Json, counting: boolean): void {
  const schema = counting ? request : generation
  const issue = schema.safeParse(body).error?.issues[0]
  if (!issue) return
  const path = issue.path.join('.')
  throw invalid(path === '' ? issue.message : `${path}: ${issue.message}`, path || undefined)
}
