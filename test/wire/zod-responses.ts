import * as z from 'zod/mini'
import { isObject, Verbatim, type Json, type JsonObject } from '../../src/json/json.ts'
import { invalid } from '../../src/model/problem.ts'
import { lookup } from '../../adapters/responses/dialect.ts'

/** A subtree that may have stayed text. */
const objectText = z.custom<Json>(
  (value) =>
    isObject(value) || (value instanceof Verbatim && value.text.trimStart().startsWith('{')),
  'expected an object',
)
const nothingText = z.custom<Json>(
  (value) => value instanceof Verbatim && value.text.trim() === 'null',
)
const loose = z.looseObject
const optionalText = z.nullish(z.string())
const name = z.string().check(z.minLength(1))
const list = z.array(z.unknown())

const METADATA_PAIRS = 16
const metadata = z
  .record(z.string().check(z.maxLength(64)), z.string().check(z.maxLength(512)))
  .check(z.refine((pairs) => Object.keys(pairs).length <= METADATA_PAIRS, 'at most 16 pairs'))

/** The members of a request that are checked. Others may come along. */
const CREATE = loose({
  model: name,
  instructions: optionalText,
  parallel_tool_calls: z.nullish(z.boolean()),
  previous_response_id: optionalText,
  reasoning: z.nullish(
    loose({
      effort: optionalText,
      summary: optionalText,
      generate_summary: optionalText,
    }),
  ),
  text: z.nullish(loose({ format: z.nullish(loose({ type: name })) })),
  tools: z.nullish(z.array(loose({ type: name }))),
  tool_choice: z.nullish(
    z.union([z.literal(['none', 'auto', 'required']), loose({ type: name })], {
      error: 'expected none, auto, required or an object with a type',
    }),
  ),
  include: z.nullish(z.array(z.string())),
  max_output_tokens: z.nullish(z.int().check(z.gte(1))),
  metadata: z.nullish(metadata),
  prompt_cache_key: optionalText,
  safety_identifier: optionalText,
  service_tier: optionalText,
  store: z.nullish(z.boolean()),
  stream: z.nullish(z.boolean()),
  temperature: z.nullish(z.number().check(z.gte(0), z.lte(2))),
  top_p: z.nullish(z.number()),
  top_logprobs: z.nullish(z.int()),
  truncation: z.nullish(z.literal(['auto', 'disabled'])),
  user: optionalText,
})
/** A stored prompt names its own model and input, and who counts may leave them out. */
const UNNAMED = z.extend(CREATE, { model: optionalText })

const body = z.union([z.string(), list], { error: 'expected a string or an array' })
const message = loose({
  role: z.literal(['user', 'assistant', 'system', 'developer']),
  content: body,
})
const call = loose({ call_id: name, name })

type Shapes = Readonly<Record<string, z.ZodMiniType>>

/** Items that are read; all others are passed over as they are. */
const ITEM_SHAPES = {
  message: message,
  function_call: z.extend(call, { arguments: z.string(), namespace: optionalText }),
  custom_tool_call: z.extend(call, { input: z.string(), namespace: optionalText }),
  function_call_output: loose({ call_id: z.nullish(name), output: body }),
  custom_tool_call_output: loose({ call_id: name, output: body }),
  reasoning: loose({
    summary: z.nullish(z.array(loose({ text: z.string() }))),
    encrypted_content: optionalText,
  }),
  web_search_call: loose({ action: z.nullish(loose({})) }),
  code_interpreter_call: loose({ id: name, code: optionalText, outputs: z.nullish(list) }),
  additional_tools: loose({ tools: z.array(loose({ type: name })) }),
} as const satisfies Shapes

const PART_SHAPES = {
  input_text: loose({ text: z.string() }),
  output_text: loose({ text: z.string(), annotations: z.nullish(list) }),
  refusal: loose({ refusal: z.string() }),
  input_image: loose({ file_id: optionalText, detail: optionalText }),
  input_file: loose({
    file_data: optionalText,
    file_id: optionalText,
    file_url: optionalText,
    filename: optionalText,
  }),
  input_audio: loose({ input_audio: loose({ data: z.string(), format: z.string() }) }),
} as const satisfies Shapes

const TOOL_SHAPES = {
  function: loose({
    name,
    description: optionalText,
    parameters: z.optional(
      z.union([objectText, nothingText, z.null()], { error: 'expected an object' }),
    ),
    strict: z.nullish(z.boolean()),
  }),
  custom: loose({ name, description: optionalText, format: z.nullish(loose({})) }),
  namespace: loose({ name, tools: z.array(loose({ type: name })) }),
  file_search: loose({
    vector_store_ids: z.array(z.string()),
    max_num_results: z.nullish(z.int().check(z.gte(1), z.lte(50))),
    ranking_options: z.nullish(
      loose({ score_threshold: z.nullish(z.number().check(z.gte(0), z.lte(1))) }),
    ),
  }),
} as const satisfies Shapes

const FORMAT_SHAPES = {
  json_schema: loose({
    name: z
      .string()
      .check(z.regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ or -')),
    schema: objectText,
    description: optionalText,
    strict: z.nullish(z.boolean()),
  }),
} as const satisfies Shapes

/** Throws unless the body is a request as documented; what it lets pass is then read as it came. */
export function checkRequest(body: Json, counting: boolean): void {
  if (!isObject(body)) throw invalid('The request body must be a JSON object.')
  const mayBeUnnamed = counting || isObject(body['prompt'])
  check(mayBeUnnamed ? UNNAMED : CREATE, body, '')
  if (!mayBeUnnamed && (body['input'] ?? null) === null)
    throw invalid('input: is required', 'input')
  checkInput(body['input'])
  checkTools(body['tools'], 'tools')
  const format = isObject(body['text']) ? body['text']['format'] : undefined
  if (isObject(format)) checkTyped(FORMAT_SHAPES, format, 'text.format')
}

function checkInput(input: Json | undefined): void {
  if (input === undefined || input === null || typeof input === 'string') return
  if (!Array.isArray(input)) throw invalid('input: expected a string or an array', 'input')
  for (const [index, item] of input.entries()) {
    const path = `input.${index}`
    if (!isObject(item)) throw invalid(`${path}: expected an object`, path)
    const type = typeOfItem(item)
    checkTyped(ITEM_SHAPES, { ...item, type }, path)
    checkParts(item['content'], `${path}.content`, type === 'message')
    checkParts(item['output'], `${path}.output`, type.endsWith('_tool_call_output'))
    if (type === 'additional_tools') checkTools(item['tools'], `${path}.tools`)
  }
}

function typeOfItem(item: JsonObject): string {
  const type = item['type']
  if (typeof type === 'string') return type
  return item['role'] === undefined && item['id'] !== undefined ? 'item_reference' : 'message'
}

function checkParts(parts: Json | undefined, path: string, strict: boolean): void {
  if (!Array.isArray(parts)) return
  for (const [index, part] of parts.entries()) {
    if (isObject(part)) checkTyped(PART_SHAPES, part, `${path}.${index}`)
    else if (strict) throw invalid(`${path}.${index}: expected an object`, `${path}.${index}`)
  }
}

function checkTools(tools: Json | undefined, path: string): void {
  if (!Array.isArray(tools)) return
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue
    checkTyped(TOOL_SHAPES, tool, `${path}.${index}`)
    if (tool['type'] === 'namespace') checkTools(tool['tools'], `${path}.${index}.tools`)
  }
}

function checkTyped(shapes: Shapes, value: JsonObject, path: string): void {
  const shape = lookup(shapes, value['type'])
  if (shape) check(shape, value, path)
}

function check(shape: z.ZodMiniType, value: JsonObject, path: string): void {
  const result = shape.safeParse(value)
  const issue = result.error?.issues[0]
  if (!issue) return
  const place = [path, ...issue.path.map(String)].filter((segment) => segment !== '').join('.')
  throw invalid(`${place || 'body'}: ${issue.message}`, place)
}
