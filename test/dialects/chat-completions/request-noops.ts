import type { Json, JsonObject } from '../../../src/json/json.ts'
import { list, member } from '../../grammar/shape.ts'
import { isType, SCHEMA, type Entry } from '../../replay/noop.ts'

const namesIn = (tools: Json | undefined): string[] =>
  list(tools).map((tool) => String(member(member(tool, String(member(tool, 'type'))), 'name')))

/** A choice among all the tools that have names. */
function allowsAll(choice: Json | undefined, body: Json): boolean {
  const allowed = new Set(namesIn(member(choice, 'tools')))
  return (
    member(choice, 'mode') === 'auto' &&
    namesIn(member(body, 'tools')).every((name) => allowed.has(name))
  )
}

const THOUGHTS = ['reasoning_content', 'reasoning']

/** Some clients give a thought back by two of its names. */
const isThoughtTold = (message: JsonObject, own: string): boolean =>
  THOUGHTS.some((name) => name !== own && Boolean(message[name])) ||
  list(message['reasoning_details']).some((entry) => Boolean(member(entry, 'text')))

/** An entry without words and without what only its provider can read. */
const isEmptyThought = (entry: Json | undefined): boolean =>
  ['text', 'summary', 'data', 'signature'].every((name) => !member(entry, name))

const saysNothing = (message: Json | undefined): boolean =>
  member(message, 'role') === 'assistant' &&
  ['content', 'tool_calls', 'reasoning_content', 'reasoning_details', 'refusal'].every((name) => {
    const value = member(message, name)
    return !value || list(value).length === 0
  })

export const requestNoOps: Entry[] = [
  ...THOUGHTS.map((name) => ({
    path: `messages.*.${name}`,
    beside: (message: JsonObject) => isThoughtTold(message, name),
    why: 'said twice',
  })),
  { path: 'messages.*', when: saysNothing, why: 'says nothing' },
  {
    path: 'messages.*.reasoning_details.*',
    below: true,
    when: isEmptyThought,
    why: 'a thought without words',
  },
  { path: 'messages.*.reasoning_details.*.index', why: 'entries stand in their order' },
  {
    path: 'messages.*.reasoning_details.*.type',
    values: ['reasoning.text', 'reasoning.summary'],
    why: 'its words say it',
  },
  {
    path: 'reasoning.effort',
    upstream: 'responses',
    values: ['medium'],
    why: 'the default of one who asks for thoughts',
  },
  {
    path: 'reasoning.exclude',
    upstream: 'responses',
    values: [true],
    why: 'thoughts are told to nobody who does not ask for them',
  },
  { path: 'tools.*.type', values: ['function', 'custom'], why: 'what stands in it says it' },
  { path: 'messages.*.tool_call_id', why: 'it answers the one open call' },
  { path: 'model', why: 'the route says which model is asked' },
  { path: 'stream', why: 'the proxy itself frames the reply' },
  { path: 'stream_options.*', why: 'the proxy itself frames the reply' },
  { path: 'stream_options', why: 'the proxy itself frames the reply' },
  { path: 'usage.include', why: 'the proxy itself says what was counted' },
  { path: 'usage', why: 'the proxy itself says what was counted' },
  { path: 'n', values: [1], why: 'the default' },
  { path: 'top_p', values: [1], why: 'the default' },
  { path: 'presence_penalty', values: [0], why: 'the default' },
  { path: 'frequency_penalty', values: [0], why: 'the default' },
  { path: 'logprobs', values: [false], why: 'the default' },
  { path: 'response_format', values: [{ type: 'text' }], why: 'the default' },
  { path: 'response_format.type', values: ['text'], why: 'the default' },
  { path: 'response_format.type', values: ['json_schema'], why: 'there is a schema in it' },
  { path: 'tool_choice', values: ['auto'], why: 'the default' },
  { path: 'tool_choice.type', values: ['function'], why: 'there is a function in it' },
  { path: 'parallel_tool_calls', values: [true], why: 'the default' },
  { path: 'store', values: [false], why: 'nothing is kept that nobody asked to keep' },
  ...SCHEMA,
  { path: 'tools.*.function.strict', values: [false, null], why: 'the default' },
  { path: 'messages.*.content.*.image_url.detail', values: ['auto'], why: 'the default' },
  { path: 'messages.*.tool_calls.*.type', values: ['function'], why: 'there is a function in it' },
  { path: 'messages.*.tool_calls.*.index', why: 'calls stand in their order' },
  { path: 'messages.*.content', values: ['', null], why: 'no words' },
  {
    path: 'messages.*.name',
    beside: (parent) => parent['role'] === 'tool',
    why: 'the call names its tool',
  },
  {
    path: 'messages.*.role',
    values: ['developer'],
    why: 'instructions, in the newer word for them',
  },
  {
    path: 'messages.*.tool_calls.*.function.arguments',
    values: ['{}'],
    why: 'a call without arguments',
  },
  {
    path: 'messages.*.content.*.file.filename',
    values: ['document.pdf'],
    why: 'the name of a document without a name',
  },
  { path: 'tools.*.function.parameters.strict', why: 'no word of a schema' },
  { path: 'messages.*.function_call.arguments', values: ['{}'], why: 'a call without arguments' },
  {
    path: 'prompt_cache_key',
    upstream: 'messages',
    why: 'there each account caches for itself, without a key',
  },
  { path: 'service_tier', values: ['auto'], why: 'the default' },
  { path: 'tool_choice.type', values: ['allowed_tools'], why: 'the tools are in it' },
  { path: 'tool_choice.allowed_tools.mode', values: ['auto'], why: 'the default' },
  {
    path: 'tool_choice.allowed_tools.tools.*.type',
    values: ['function', 'custom'],
    why: 'the name says which tool',
  },
  {
    path: 'tool_choice.allowed_tools',
    when: allowsAll,
    upstream: 'generate-content',
    why: 'every function is allowed, and with functions it has no search',
  },
  {
    path: 'response_format.json_schema.strict',
    values: [true],
    why: 'a schema from elsewhere is always kept to, unless it says otherwise',
  },
  {
    path: 'web_search_options.user_location.type',
    values: ['approximate'],
    why: 'there is no other type',
  },
  { path: 'messages.*.content.*.type', values: ['text'], beside: isType('text'), why: 'words' },
  { path: 'web_search_options.search_context_size', values: ['medium'], why: 'the default' },
]
