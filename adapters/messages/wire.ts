import { isObject, type Json, type Loose } from '../../src/json/json.ts'
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
  type Issue,
  type Shape,
} from '../../src/check/shape.ts'
import {
  filled,
  flag,
  integer,
  number,
  objectText,
  oneOf,
  sized,
  text,
} from '../../src/check/shape-values.ts'

const cache = nullish(object({ type: oneOf('ephemeral'), ttl: nullish(oneOf('5m', '1h')) }))

/** @langchain/anthropic 0.x always sends `top_k` and `top_p`, with this value where they are not set. */
export const UNSET = -1
const unset =
  (shape: Shape): Shape =>
  (value) =>
    value === UNSET ? undefined : shape(value)

/** A value with a known type must have its shape. An unknown type may be newer, so it passes. */
const typed = (shapes: Record<string, Shape>): Shape => all(object({ type: text }), byType(shapes))

const source = typed({
  base64: object({ media_type: text, data: text }),
  url: object({ url: text }),
  file: object({ file_id: text }),
  text: object({ data: text }),
})

const textBlock = object({ text, cache_control: cache })
const media = object({ source, cache_control: cache })

const resultContent = typed({ text: textBlock, image: media, document: media })

const block = typed({
  text: textBlock,
  image: media,
  document: media,
  search_result: object({ source: text, title: text, content: list(objectText) }),
  thinking: object({ thinking: text, signature: nullish(text) }),
  redacted_thinking: object({ data: text }),
  tool_use: object({ id: filled, name: filled, input: objectText, cache_control: cache }),
  tool_result: object({
    tool_use_id: filled,
    content: nullish(textOrList(resultContent)),
    is_error: nullish(flag),
    cache_control: cache,
  }),
  server_tool_use: object({ id: text, name: text, input: objectText }),
})

/** The role of each block that only one side may send. */
const SPEAKERS = new Map<Json | undefined, string>([
  ['thinking', 'assistant'],
  ['redacted_thinking', 'assistant'],
  ['tool_use', 'assistant'],
  ['tool_result', 'user'],
])

/** Reports a block that the role of its message may not send. */
function inRole(message: unknown): Issue | undefined {
  if (!isObject(message) || !Array.isArray(message['content'])) return undefined
  let index = 0
  for (const value of message['content']) {
    const type = isObject(value) ? value['type'] : undefined
    const speaker = SPEAKERS.get(type)
    if (speaker !== undefined && speaker !== message['role'])
      return {
        path: ['content', `${index}`],
        message: `${type} blocks belong into messages of the role ${speaker}`,
      }
    index += 1
  }
  return undefined
}

const content = textOrList(block)

/** A system message may hold an effort and no content (`BetaSystemMessageParam` of @anthropic-ai/sdk 1.12). */
const message = all(
  object({ role: oneOf('user', 'assistant', 'system') }),
  (value) =>
    isObject(value) && value['role'] === 'system'
      ? object({ content: nullish(content) })(value)
      : object({ content })(value),
  inRole,
)

const customTool = object({
  // The specification says 64, but the service takes 128, and callers bring tools that were named for other services.
  name: sized(1, 128),
  description: nullish(text),
  input_schema: objectText,
  strict: nullish(flag),
  cache_control: cache,
})

/** A tool without a type is a custom one. Other tools are known by their dated types, so nothing is checked. */
const tool = all(object({ type: nullish(text) }), (value) =>
  isObject(value) && (value['type'] ?? 'custom') === 'custom' ? customTool(value) : undefined,
)

const format = typed({ json_schema: object({ schema: objectText }) })

/** The members of a request. */
export const FIELDS = {
  model: field('read count', sized(1, 256)),
  messages: field('read count', lastingList(message), 'turns'),
  max_tokens: field('read bind', nullish(integer(0)), 'limits.maxOutputTokens'),
  system: field('read count', nullish(textOrList(typed({ text: textBlock })))),
  metadata: field('read drop', nullish(object({ user_id: nullish(sized(0, 256)) })), 'user'),
  stop_sequences: field('read drop', nullish(list(text)), 'limits.stop'),
  stream: field('read', nullish(flag)),
  temperature: field('read drop', nullish(number(0, 1)), 'sampling.temperature'),
  top_p: field('read drop', unset(nullish(number(0, 1))), 'sampling.topP'),
  top_k: field('read drop', unset(nullish(integer(1))), 'sampling.topK'),
  thinking: field(
    'read drop count',
    nullish(typed({ enabled: object({ budget_tokens: integer(1024) }) })),
    'reasoning',
  ),
  tool_choice: field(
    'read drop count',
    nullish(typed({ tool: object({ name: text }) })),
    'toolChoice',
  ),
  tools: field('read drop count', nullish(list(tool))),
  service_tier: field('read drop', nullish(text), 'tier'),
  output_config: field(
    'read drop count',
    nullish(object({ effort: nullish(text), format: nullish(format) })),
  ),
  output_format: field('read drop', nullish(format)),
  mcp_servers: field('read drop count'),
  thread: field('read'),
  cache_control: field('drop', cache),
  compaction: field('read drop bind'),
  container: field('drop'),
  context_management: field('read drop'),
  diagnostics: field('read drop'),
  fallbacks: field('drop'),
  fallback_credit_token: field('drop'),
  billing_policy: field('drop bind'),
  inference_geo: field('drop'),
  safeguards: field('drop bind'),
  speed: field('read drop', undefined, 'tier'),
  user_profile_id: field('drop'),
  workspace_id: field('drop'),
}

export const READ = namesFor('read', FIELDS)
/** The members that the token counter takes. */
export const COUNTED = namesFor('count', FIELDS)
/** Members whose promise no service of another dialect can keep. */
export const MUST_KEEP = namesFor('bind', FIELDS)
export const placeOf = placesIn(FIELDS)

const members = fieldShapes(FIELDS)
const request = object(members)
const generation = object({ ...members, max_tokens: integer(0) })

/** Throws for the first member that is wrong. */
export function validate(body: Json, operation: 'create' | 'count-tokens'): void {
  shaped(operation === 'create' ? generation : request, body)
}

/**
 * A block of content. Its type decides which members it has. Replies are not validated, so a member may hold anything.
 */
export type WireBlock = Loose<
  | 'type'
  | 'text'
  | 'title'
  | 'source'
  | 'content'
  | 'thinking'
  | 'id'
  | 'name'
  | 'input'
  | 'tool_name'
  | 'tool_use_id'
  | 'encrypted_content'
>
/** A tool on offer, or an MCP server with tools. */
export type WireTool = Loose<'type' | 'name' | 'mcp_server_name' | 'cache_control'>
export type WireMessage = Loose<'role' | 'content'>
/** The members that are read when a body is only edited. */
export type WireBody = Loose<
  'model' | 'messages' | 'max_tokens' | 'output_config' | 'thinking' | 'tool_choice'
>
/** A whole reply, or its beginning in `message_start`. */
export type WireReply = Loose<
  'id' | 'model' | 'content' | 'usage' | 'stop_reason' | 'stop_sequence'
>
/** The data of an event of a stream. */
export type WireStep = Loose<
  'type' | 'index' | 'message' | 'content_block' | 'delta' | 'usage' | 'error'
>
export type WireDelta = Loose<
  'type' | 'text' | 'thinking' | 'partial_json' | 'signature' | 'citation' | 'content'
>
