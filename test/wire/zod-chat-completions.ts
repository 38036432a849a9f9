import * as z from 'zod/mini'
import { isObject, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { invalid } from '../../src/model/problem.ts'

/** A subtree that may have stayed text. */
const objectText = z.custom<Json>(
  (value) => isObject(value) || (value instanceof Verbatim && value.text.trimStart()[0] === '{'),
  'expected an object',
)
const nullText = z.custom<Json>(
  (value) => value instanceof Verbatim && value.text.trim() === 'null',
)
const orNull = z.nullish(z.union([objectText, nullText], { error: 'expected an object' }))
const loose = z.looseObject
const text = z.string()
const optionalText = z.nullish(text)
const flag = z.nullish(z.boolean())
const between = (least: number, most: number) => z.number().check(z.gte(least), z.lte(most))
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z.int().check(z.gte(least), z.lte(most))

/** Hands a value to a schema that depends on it, keeping the paths of what is wrong. */
function forward(schema: z.ZodMiniType, value: unknown, context: z.core.$RefinementCtx): void {
  for (const { path, message } of schema.safeParse(value).error?.issues ?? [])
    context.addIssue({ code: 'custom', path, message })
}

function byMember(member: string, shapes: Record<string, z.ZodMiniType>): z.ZodMiniType {
  const known = new Map(Object.entries(shapes))
  return z.looseObject({ [member]: text }).check(
    z.superRefine((value, context) => {
      const shape = known.get(String(value[member]))
      if (shape) forward(shape, value, context)
    }),
  )
}
const byType = (shapes: Record<string, z.ZodMiniType>) => byMember('type', shapes)

const textOr = (element: z.ZodMiniType): z.ZodMiniType =>
  z.unknown().check(
    z.superRefine((value, context) => {
      if (Array.isArray(value)) forward(z.array(element), value, context)
      else if (typeof value !== 'string')
        context.addIssue({ code: 'custom', message: 'expected a string or a list' })
    }),
  )

const maybe = (schema: z.ZodMiniType): z.ZodMiniType =>
  z.optional(
    z.unknown().check(
      z.superRefine((value, context) => {
        if (value !== undefined && value !== null) forward(schema, value, context)
      }),
    ),
  )

/** Mistral's form is the bare text. */
const orBare = (nested: z.ZodMiniType) =>
  z.unknown().check(
    z.superRefine((value, context) => {
      if (typeof value !== 'string') forward(nested, value, context)
    }),
  )

const part = byType({
  text: loose({ text }),
  image_url: loose({ image_url: orBare(loose({ url: text, detail: optionalText })) }),
  input_audio: loose({ input_audio: orBare(loose({ data: text, format: text })) }),
  file: loose({
    file: loose({ file_data: optionalText, file_id: optionalText, filename: optionalText }),
  }),
  refusal: loose({ refusal: text }),
})

const call = loose({
  id: optionalText,
  type: optionalText,
  function: z.nullish(loose({ name: text })),
  custom: z.nullish(loose({ name: text, input: optionalText })),
})

const message = loose({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: maybe(textOr(part)),
  tool_calls: z.nullish(z.array(call)),
  refusal: optionalText,
}).check(
  z.superRefine((value, context) => {
    if (value.role === 'tool') forward(loose({ tool_call_id: optionalText }), value, context)
  }),
)

const name = text.check(z.minLength(1), z.maxLength(128))
const declared = loose({
  name,
  description: optionalText,
  parameters: orNull,
  strict: flag,
})
/** Some types go without saying. */
const typed = (schema: z.ZodMiniType, typeOf: (value: JsonObject) => string | undefined) =>
  z.unknown().check(
    z.superRefine((value, context) => {
      const isUnsaid = isObject(value) && (value['type'] ?? '') === ''
      forward(schema, isUnsaid ? { ...value, type: typeOf(value) } : value, context)
    }),
  )
const tool = typed(
  byType({
    function: loose({ function: declared }),
    custom: loose({ custom: loose({ name, description: optionalText }) }),
  }),
  (value) =>
    isObject(value['function']) ? 'function' : isObject(value['custom']) ? 'custom' : undefined,
)
const format = typed(
  byType({
    json_schema: loose({
      json_schema: loose({ name: optionalText, schema: orNull, strict: flag }),
    }),
  }),
  (value) => (isObject(value['json_schema']) ? 'json_schema' : 'text'),
)

const request = loose({
  model: z.nullish(text.check(z.maxLength(256))),
  messages: z.array(message),
  max_completion_tokens: z.nullish(whole(0)),
  max_tokens: z.nullish(whole(-1)),
  temperature: z.nullish(between(0, 2)),
  top_p: z.nullish(between(0, 1)),
  n: z.nullish(whole(1, 128)),
  stop: maybe(textOr(text)),
  seed: z.nullish(z.number().check(z.refine(Number.isInteger))),
  presence_penalty: z.nullish(between(-2, 2)),
  frequency_penalty: z.nullish(between(-2, 2)),
  logprobs: flag,
  top_logprobs: z.nullish(whole(0, 20)),
  parallel_tool_calls: flag,
  stream: flag,
  stream_options: z.nullish(loose({ include_usage: flag })),
  reasoning_effort: optionalText,
  verbosity: optionalText,
  response_format: z.nullish(format),
  tools: z.nullish(z.array(tool)),
  functions: z.nullish(z.array(declared)),
  user: optionalText,
  store: flag,
})

/** The same as the adapter's own check, in the words of a library. */
export function checkRequest(body: Json): void {
  const issue = request.safeParse(body).error?.issues[0]
  if (!issue) return
  const place = issue.path.map(String).join('.')
  throw invalid(`${place || 'body'}: ${issue.message}`, place || undefined)
}
