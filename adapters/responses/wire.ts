import { isObject, Verbatim, type Json, type JsonObject, type Loose } from '../../src/json/json.ts'
import { field, namesFor, placesIn, fieldShapes } from '../../src/check/fields.ts'
import { invalid } from '../../src/model/problem.ts'
import {
  lastingList,
  all,
  byType,
  list,
  nullish,
  object,
  optional,
  record,
  shaped,
  textOr,
  textOrList,
  unexpected,
  type Issue,
  type Shape,
} from '../../src/check/shape.ts'
import {
  anything,
  filled,
  flag,
  integer,
  number,
  objectText,
  oneOf,
  sized,
  text,
  that,
} from '../../src/check/shape-values.ts'

/** A schema or null, either of which may have stayed text. */
const schema: Shape = (value) =>
  value === null || (value instanceof Verbatim && value.text.trim() === 'null')
    ? undefined
    : objectText(value)

const optionalText = nullish(text)
const named = object({ type: filled })

/** How many labels a request may have, and how many characters in a name and a value of one. */
export const METADATA = { pairs: 16, name: 64, value: 512 }
const metadata = record(sized(0, METADATA.name), sized(0, METADATA.value), METADATA.pairs)

const MODES: ReadonlySet<unknown> = new Set(['none', 'auto', 'required'])
const mode = that('none, auto, required or an object with a type', (value) => MODES.has(value))
const choice: Shape = (value) =>
  isObject(value) && typeof value['type'] === 'string' ? named(value) : mode(value)

/** The members of a request. The contents of `input`, `tools` and `text` are checked after all of them. */
export const FIELDS = {
  model: field('read count', filled),
  input: field('read count', undefined, 'turns'),
  instructions: field('read count', optionalText, 'system'),
  parallel_tool_calls: field('read drop count', nullish(flag), 'parallelToolCalls'),
  previous_response_id: field('read drop count', optionalText, 'previous'),
  reasoning: field(
    'read drop count',
    nullish(
      object({ effort: optionalText, summary: optionalText, generate_summary: optionalText }),
    ),
  ),
  text: field('read drop count', nullish(object({ format: nullish(named) })), 'format'),
  tools: field('read drop count', nullish(list(named))),
  tool_choice: field('read drop count', nullish(choice), 'toolChoice'),
  include: field('read drop', nullish(list(text))),
  max_output_tokens: field('read drop', nullish(integer(1)), 'limits.maxOutputTokens'),
  metadata: field('read drop', nullish(metadata), 'labels'),
  prompt_cache_key: field('read drop', optionalText, 'cacheKey'),
  safety_identifier: field('read drop', optionalText, 'user'),
  service_tier: field('read drop', optionalText, 'tier'),
  store: field('read drop', nullish(flag)),
  stream: field('read', nullish(flag)),
  temperature: field('read drop', nullish(number(0, 2)), 'sampling.temperature'),
  top_p: field('read drop', nullish(number()), 'sampling.topP'),
  top_logprobs: field('read drop', nullish(integer()), 'sampling.logprobs'),
  truncation: field('drop count', nullish(oneOf('auto', 'disabled'))),
  user: field('read drop', optionalText),
  client_metadata: field('read drop'),
  background: field('drop'),
  background_options: field('drop'),
  conversation: field('drop count bind'),
  prompt: field('drop bind'),
  prompt_cache_options: field('read drop'),
  prompt_cache_retention: field('read drop'),
  stream_options: field('drop'),
  context_management: field('read drop bind'),
  max_tool_calls: field('drop'),
  moderation: field('drop bind'),
  multi_agent: field('drop bind'),
  access_programs: field('drop'),
  image: field('drop'),
}

/** The counter takes what the model would see, and no settings of the answer. */
export const COUNTED = namesFor('count', FIELDS)
/**
 * Members, items and tools whose promise no service of another dialect can keep, such as programs that call tools
 * themselves.
 */
export const MUST_KEEP: ReadonlySet<string> = new Set([
  ...namesFor('bind', FIELDS),
  'program',
  'program_output',
  'programmatic_tool_calling',
])
export const placeOf = placesIn(FIELDS)

const members = fieldShapes(FIELDS)
const create = object(members)
/** A stored prompt names its own model and input; a request to count may leave both out. */
const unnamed = object({ ...members, model: optionalText })

const part = byType({
  input_text: object({ text }),
  output_text: object({ text, annotations: nullish(list(anything)) }),
  refusal: object({ refusal: text }),
  input_image: object({ file_id: optionalText, detail: optionalText }),
  input_file: object({
    file_data: optionalText,
    file_id: optionalText,
    file_url: optionalText,
    filename: optionalText,
  }),
  input_audio: object({ input_audio: object({ data: text, format: text }) }),
})

/** A namespace holds tools, which may be namespaces. */
const tool: Shape = byType({
  function: object({
    name: filled,
    description: optionalText,
    parameters: optional(schema),
    strict: nullish(flag),
  }),
  custom: object({ name: filled, description: optionalText, format: nullish(object({})) }),
  namespace: all(
    object({ name: filled, tools: list(named) }),
    object({ tools: list((value) => tool(value)) }),
  ),
  file_search: object({
    vector_store_ids: list(text),
    max_num_results: nullish(integer(1, 50)),
    ranking_options: nullish(object({ score_threshold: nullish(number(0, 1)) })),
  }),
})

const format = byType({
  json_schema: object({
    name: that(
      '1 to 64 letters, digits, _ or -',
      (value) => typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value),
    ),
    schema: objectText,
    description: optionalText,
    strict: nullish(flag),
  }),
})

const body = textOrList(anything)
const call = { call_id: filled, name: filled }
const output = object({ call_id: filled, output: body })
/** The output of a function without an id answers the only open call (openai 7.57). */
const functionOutput = object({ call_id: nullish(filled), output: body })

/** Items that are read; all others pass as they are. */
const ITEMS = new Map<string, Shape>([
  ['message', object({ role: oneOf('user', 'assistant', 'system', 'developer'), content: body })],
  ['function_call', object({ ...call, arguments: text, namespace: optionalText })],
  ['custom_tool_call', object({ ...call, input: text, namespace: optionalText })],
  ['function_call_output', functionOutput],
  ['custom_tool_call_output', output],
  [
    'reasoning',
    object({ summary: nullish(list(object({ text }))), encrypted_content: optionalText }),
  ],
  ['web_search_call', object({ action: nullish(object({})) })],
  [
    'code_interpreter_call',
    object({ id: filled, code: optionalText, outputs: nullish(list(anything)) }),
  ],
  ['additional_tools', object({ tools: list(named) })],
])

/** Checks the parts of a list, and nothing in the place of a list. */
function partsIn(shape: Shape): Shape {
  const parts = list(shape)
  return (value) => (Array.isArray(value) ? parts(value) : undefined)
}
const loose = partsIn(part)
/** The content of a message and the output of a custom tool hold nothing but parts; any other list may. */
const strict = partsIn(all(object({}), part))
const ofItem = object({ content: loose, output: loose })
const ofMessage = object({ content: strict, output: loose })
const ofOutput = object({ content: loose, output: strict })
const ofTools = all(ofItem, object({ tools: list(tool) }))

function inside(type: string): Shape {
  if (type === 'message') return ofMessage
  if (type === 'additional_tools') return ofTools
  return type.endsWith('_tool_call_output') ? ofOutput : ofItem
}

function item(value: unknown): Issue | undefined {
  if (!isObject(value)) return unexpected('an object', value)
  const type = typeOfItem(value)
  return ITEMS.get(type)?.(value) ?? inside(type)(value)
}

/** An item without a type is a message when it has a role, else a reference. */
export function typeOfItem(item: JsonObject): string {
  const type = item['type']
  if (typeof type === 'string') return type
  return item['role'] === undefined && item['id'] !== undefined ? 'item_reference' : 'message'
}

/** Checked after all members. */
const contents = object({
  input: nullish(textOr(lastingList(item))),
  tools: nullish(list(tool)),
  text: nullish(object({ format: nullish(format) })),
})

/** Throws unless the body is a documented request. */
export function checkRequest(body: Json, counting: boolean): JsonObject {
  if (!isObject(body)) throw invalid('The request body must be a JSON object.')
  const mayBeUnnamed = counting || isObject(body['prompt'])
  shaped(mayBeUnnamed ? unnamed : create, body)
  if (!mayBeUnnamed && (body['input'] ?? null) === null)
    throw invalid('input: is required', 'input')
  shaped(contents, body)
  return body
}

/** A whole reply of an upstream. Replies are not validated, so a member may hold anything. */
export type WireResponse = Loose<
  'id' | 'model' | 'object' | 'status' | 'output' | 'usage' | 'error' | 'incomplete_details'
>
/** An item of the conversation; its type decides which members it has. */
export type WireItem = Loose<
  | 'type'
  | 'id'
  | 'status'
  | 'content'
  | 'summary'
  | 'encrypted_content'
  | 'call_id'
  | 'name'
  | 'namespace'
  | 'arguments'
  | 'input'
  | 'action'
  | 'role'
  | 'tools'
>
export type WirePart = Loose<'type' | 'text' | 'refusal' | 'annotations' | 'logprobs'>
/** The data of an event of a stream. */
export type WireStep = Loose<
  | 'type'
  | 'response'
  | 'item'
  | 'item_id'
  | 'output_index'
  | 'content_index'
  | 'summary_index'
  | 'part'
  | 'delta'
  | 'text'
  | 'refusal'
  | 'code'
  | 'annotation'
  | 'logprobs'
  | 'error'
>
