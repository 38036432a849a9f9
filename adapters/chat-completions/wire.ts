import type { Json } from '../../src/json/json.ts'
import {
  all,
  byType,
  list,
  nullish,
  object,
  shaped,
  textOrList,
  type Shape,
} from '../../src/model/shape.ts'
import {
  filled,
  flag,
  integer,
  number,
  objectText,
  oneOf,
  sized,
  text,
} from '../../src/model/shape-values.ts'

/** What a valid request looks like; an unknown type of a part or a tool passes. */

const part = all(
  object({ type: text }),
  byType({
    text: object({ text }),
    // Mistral's form is the address alone.
    image_url: (value) => {
      const nested = object({ image_url: object({ url: text, detail: nullish(text) }) })(value)
      return nested && object({ image_url: text })(value) ? nested : undefined
    },
    input_audio: object({ input_audio: object({ data: text, format: text }) }),
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
  byRole('tool', object({ tool_call_id: filled })),
)

function byRole(role: string, shape: Shape): Shape {
  const named = object({ role: oneOf(role) })
  return (value) => (named(value) ? undefined : shape(value))
}

/** Callers that bring the tools of others bring longer names than the documents allow. */
const NAME = sized(1, 128)

const declared = object({
  name: NAME,
  description: nullish(text),
  parameters: nullish(objectText),
  strict: nullish(flag),
})

const tool = all(
  object({ type: text }),
  byType({
    function: object({ function: declared }),
    custom: object({ custom: object({ name: NAME, description: nullish(text) }) }),
  }),
)

const format = all(
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

const request = object({
  // llama.cpp has one model, and Azure's older addresses name it.
  model: nullish(sized(0, 256)),
  messages: list(message),
  max_completion_tokens: nullish(integer(0)),
  max_tokens: nullish(integer(-1)),
  temperature: nullish(number(0, 2)),
  top_p: nullish(number(0, 1)),
  n: nullish(integer(1, 128)),
  stop: nullish(textOrList(text)),
  seed: nullish(integer()),
  presence_penalty: nullish(number(-2, 2)),
  frequency_penalty: nullish(number(-2, 2)),
  logprobs: nullish(flag),
  top_logprobs: nullish(integer(0, 20)),
  parallel_tool_calls: nullish(flag),
  stream: nullish(flag),
  stream_options: nullish(object({ include_usage: nullish(flag) })),
  reasoning_effort: nullish(text),
  response_format: nullish(format),
  tools: nullish(list(tool)),
  functions: nullish(list(declared)),
  user: nullish(text),
  store: nullish(flag),
})

/** Throws for the first thing that is wrong with a request. */
export function validate(body: Json): void {
  shaped(request, body)
}
