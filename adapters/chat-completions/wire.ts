import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { field, namesFor, placesIn, fieldShapes } from '../../src/check/fields.ts'
import {
  lastingList,
  all,
  byType,
  list,
  nullish,
  object,
  shaped,
  textOrList,
  type Shape,
} from '../../src/check/shape.ts'
import {
  flag,
  integer,
  number,
  objectText,
  oneOf,
  sized,
  text,
  that,
} from '../../src/check/shape-values.ts'
import { formatType, isFlat, toolType } from './dialect.ts'

/** The member of a part: an object or, as Mistral has it, the bare text. */
function orBare(member: string, shape: Shape): Shape {
  const nested = object({ [member]: shape })
  const bare = object({ [member]: text })
  return (value) => (bare(value) ? nested(value) : undefined)
}

/** Parts, and tools below, of unknown types pass. */
const part = all(
  object({ type: text }),
  byType({
    text: object({ text }),
    image_url: orBare('image_url', object({ url: text, detail: nullish(text) })),
    input_audio: orBare('input_audio', object({ data: text, format: text })),
    file: object({
      file: object({ file_data: nullish(text), file_id: nullish(text), filename: nullish(text) }),
    }),
    refusal: object({ refusal: text }),
  }),
)

const call = all(
  object({ id: nullish(text), type: nullish(text) }),
  object({
    function: nullish(object({ name: text })),
    custom: nullish(object({ name: text, input: nullish(text) })),
  }),
)

const message = all(
  object({
    role: oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function'),
    content: nullish(textOrList(part)),
    tool_calls: nullish(list(call)),
    refusal: nullish(text),
  }),
  // Where a result has no id, the conversation tells which call it answers.
  byRole('tool', object({ tool_call_id: nullish(text) })),
)

function byRole(role: string, shape: Shape): Shape {
  const named = object({ role: oneOf(role) })
  return (value) => (named(value) ? undefined : shape(value))
}

/** Longer than the 64 characters of OpenAI's documents: callers bring tools that were named for other services. */
const NAME = sized(1, 128)

const declared = object({
  name: NAME,
  description: nullish(text),
  parameters: nullish(objectText),
  strict: nullish(flag),
})

const custom = object({ name: NAME, description: nullish(text) })
const typed = all(
  object({ type: text }),
  byType({
    function: object({ function: declared }),
    custom: (value) =>
      isObject(value) && isFlat(value) ? custom(value) : object({ custom })(value),
  }),
)

const bare = object({ name: NAME, input_schema: objectText })
/** Cursor sends tools of the dialect `messages` to models with `claude` in their names. */
const tool: Shape = (value) => (bare(value) ? typed(withType(value, toolType)) : undefined)

/** The value with its type, which it may have left out. */
const withType = (value: unknown, typeOf: (raw: JsonObject) => Json | undefined): unknown =>
  isObject(value) ? { ...value, type: typeOf(value) } : value

const typedFormat = all(
  object({ type: text }),
  byType({
    json_schema: object({
      json_schema: object({
        name: nullish(text),
        schema: nullish(objectText),
        strict: nullish(flag),
      }),
    }),
  }),
)

const format: Shape = (value) => typedFormat(withType(value, formatType))

/** The members of a request, with those of the servers that speak this dialect. */
export const FIELDS = {
  // Optional: llama.cpp serves one model, and Azure's older addresses name it.
  model: field('read', nullish(sized(0, 256))),
  messages: field('read', lastingList(message), 'turns'),
  max_completion_tokens: field('read drop', nullish(integer(0)), 'limits.maxOutputTokens'),
  max_tokens: field('read drop', nullish(integer(-1)), 'limits.maxOutputTokens'),
  temperature: field('read drop', nullish(number(0, 2)), 'sampling.temperature'),
  top_p: field('read drop', nullish(number(0, 1)), 'sampling.topP'),
  top_k: field('read drop', undefined, 'sampling.topK'),
  n: field('read drop', nullish(integer(1, 128)), 'sampling.candidateCount'),
  stop: field('read drop', nullish(textOrList(text)), 'limits.stop'),
  // 64 bits, more than a double holds exactly (the schema of the service).
  seed: field('read drop', nullish(that('an integer', Number.isInteger)), 'sampling.seed'),
  random_seed: field('read drop', undefined, 'sampling.seed'),
  presence_penalty: field('read drop', nullish(number(-2, 2)), 'sampling.presencePenalty'),
  frequency_penalty: field('read drop', nullish(number(-2, 2)), 'sampling.frequencyPenalty'),
  logprobs: field('drop', nullish(flag)),
  top_logprobs: field('drop', nullish(integer(0, 20))),
  parallel_tool_calls: field('read drop', nullish(flag), 'parallelToolCalls'),
  stream: field('read', nullish(flag)),
  stream_options: field('read drop', nullish(object({ include_usage: nullish(flag) }))),
  // OpenRouter's way to ask for counts; @openrouter/ai-sdk-provider 3.1 sends it.
  usage: field('read drop'),
  reasoning_effort: field('read drop', nullish(text), 'reasoning'),
  reasoning: field('read drop'),
  thinking: field('read drop', undefined, 'reasoning'),
  enable_thinking: field('read drop', undefined, 'reasoning'),
  thinking_budget: field('read drop'),
  thinking_level: field('drop'),
  response_format: field('read drop', nullish(format), 'format'),
  tools: field('read drop', nullish(list(tool))),
  functions: field('read', nullish(list(declared)), 'tools'),
  tool_choice: field('read drop', undefined, 'toolChoice'),
  function_call: field('read', undefined, 'toolChoice'),
  web_search_options: field('read drop'),
  safety_identifier: field('read drop', undefined, 'user'),
  user: field('read drop', nullish(text)),
  metadata: field('read drop', undefined, 'labels'),
  service_tier: field('read drop', undefined, 'tier'),
  prompt_cache_key: field('read drop', undefined, 'cacheKey'),
  store: field('read drop', nullish(flag)),
  verbosity: field('read drop', nullish(text), 'sampling.verbosity'),
  prediction: field('drop'),
  modalities: field('read drop'),
  audio: field('drop'),
  logit_bias: field('drop'),
  chat_template_kwargs: field('drop'),
  prompt_cache_options: field('drop'),
  prompt_cache_retention: field('drop'),
  moderation: field('drop bind'),
}

/** The members that are read. Any other member is left over. */
export const READ = namesFor('read', FIELDS)
/** Members whose promise no service of another dialect can keep. */
export const MUST_KEEP = namesFor('bind', FIELDS)
export const placeOf = placesIn(FIELDS)

const request = object(fieldShapes(FIELDS))

/** Throws for the first member that is wrong. */
export function validate(body: Json): void {
  shaped(request, body)
}
