import { isObject, type Json } from '../../../src/json/json.ts'
import { list, member, same } from '../../grammar/shape.ts'
import { isType, SCHEMA, type Entry } from '../../replay/noop.ts'

const nothingOffered = (_: Json | undefined, body: Json): boolean =>
  list(member(body, 'tools')).length === 0

const isScreenshot = (action: Json | undefined): boolean => member(action, 'type') === 'screenshot'

const SCREENSHOT = 'a call without an action shows the screen'

const ITEM_IDS = 'the item is sent whole; no other upstream stores it under this id'

export const requestNoOps: Entry[] = [
  {
    path: 'input.*.content.*.filename',
    values: ['document.pdf'],
    upstream: 'chat-completions',
    why: 'the name of a document without a name',
  },
  {
    path: 'reasoning.effort',
    values: ['medium'],
    upstream: 'chat-completions',
    why: 'the default there',
  },
  {
    path: 'reasoning.context',
    values: ['auto', 'all_turns'],
    why: 'the thoughts of all turns are sent wherever they can be told, and each that cannot is reported',
  },
  {
    path: 'reasoning.context',
    when: (_, body) =>
      list(member(body, 'input')).every((item) => member(item, 'type') !== 'reasoning'),
    why: 'there are no thoughts',
  },
  { path: 'model', why: 'the route says which model is asked' },
  { path: 'stream', why: 'the proxy itself frames the reply' },
  { path: 'store', values: [false], why: 'nothing is kept that nobody asked to keep' },
  {
    path: 'include.*',
    values: ['reasoning.encrypted_content'],
    why: 'proofs are always brought home',
  },
  { path: 'input.*.type', values: ['message'], why: 'what an item with a role is without a type' },
  { path: 'input.*.id', why: ITEM_IDS },
  {
    path: 'input.*.tools',
    below: true,
    beside: isType('tool_search_output'),
    when: (value, body) =>
      list(value).every((found) =>
        list(member(body, 'tools')).some((one) => member(one, 'name') === member(found, 'name')),
      ),
    why: 'the tools that were found stand among those of the request',
  },
  {
    path: 'input.*.call_id',
    beside: isType('function_call_output'),
    why: 'without it the output answers the only call that is open',
  },
  { path: 'input.*.phase', why: 'the place of a message tells what it is' },
  { path: 'input.*.status', why: 'an item of a history has come to its end' },
  {
    path: 'input.*',
    when: (value) => isWordless(value),
    why: 'a thought without words and without proof',
  },
  { path: 'input.*.action', when: isScreenshot, why: SCREENSHOT },
  { path: 'input.*.action.type', values: ['screenshot'], why: SCREENSHOT },
  { path: 'input.*.actions.*', when: isScreenshot, why: SCREENSHOT },
  { path: 'input.*.actions.*.type', values: ['screenshot'], why: SCREENSHOT },
  { path: 'input.*.summary.*.type', values: ['summary_text'], why: 'there is no other type' },
  {
    path: 'prompt_cache_key',
    upstream: 'messages',
    why: 'there each account caches for itself, without a key',
  },
  {
    path: 'prompt_cache_options',
    below: true,
    why: 'says when marks are set, which a route decides',
  },
  { path: 'prompt_cache_retention', why: 'says when marks are set, which a route decides' },
  { path: 'service_tier', values: ['auto'], why: 'the default' },
  { path: 'tool_choice', values: ['auto'], why: 'the default' },
  { path: 'tool_choice', when: nothingOffered, why: 'there is no tool' },
  { path: 'tool_choice.mode', values: ['auto'], why: 'the default' },
  { path: 'tool_choice.type', values: ['function'], why: 'the name says which tool' },
  { path: 'text.format.type', values: ['text'], why: 'the default' },
  { path: 'tools.*.format.type', values: ['text'], why: 'the default' },
  { path: 'tools.*.container.type', values: ['auto'], why: 'the default' },
  { path: 'tools.*.search_context_size', values: ['medium'], why: 'the default' },
  { path: 'tools.*.user_location.type', values: ['approximate'], why: 'there is no other type' },
  { path: 'tools.*.parameters.strict', why: 'no word of JSON Schema' },
  {
    path: 'tools.*.parameters.*',
    beside: (parent) => same(parent['properties'] ?? {}, {}),
    why: 'there are no parameters to describe',
  },
  {
    path: 'input.*.namespace',
    beside: (parent) => parent['namespace'] === parent['name'],
    why: 'what services say of a tool that stands in none',
  },
  {
    path: 'tools.*.require_approval',
    values: ['always'],
    beside: isType('mcp'),
    why: 'the default, which is reported without it too',
  },
  { path: 'parallel_tool_calls', values: [true], why: 'the default' },
  {
    path: 'parallel_tool_calls',
    beside: (parent) => parent['tool_choice'] === 'none' || !parent['tools'],
    why: 'there will be no calls',
  },
  {
    path: 'input.*',
    when: (value) => isObject(value) && isBlank(value['content']),
    why: 'a message without words',
  },
  {
    path: 'input.*.content.*',
    when: (value) => isObject(value) && value['text'] === '',
    why: 'a text without words',
  },
  {
    path: 'include.*',
    values: ['web_search_call.action.sources', 'code_interpreter_call.outputs'],
    why: 'they are passed on whether or not they are asked for',
  },
  ...SCHEMA,
  {
    path: 'input.*.role',
    beside: isType('additional_tools'),
    why: 'the item only brings tools along',
  },
  { path: '**.detail', values: ['auto'], why: 'the default' },
  { path: 'tools.*.strict', values: [false, null], why: 'no other upstream is strict unasked' },
  { path: 'tools.*.parameters.type', values: ['object'], why: 'arguments are always an object' },
  { path: 'tool_choice.tools.*.type', values: ['function'], why: 'the name says which tool' },
  {
    path: 'text.format.strict',
    why: 'no other upstream has output that only resembles the schema',
  },
  { path: 'background', values: [false], why: 'the default' },
  { path: 'temperature', values: [1], why: 'the default' },
  { path: 'top_logprobs', values: [0], why: 'the default' },
  { path: 'top_p', values: [1], upstream: 'messages', why: 'the default' },
  { path: 'truncation', values: ['disabled'], why: 'the default' },
  { path: 'text.verbosity', values: ['medium'], why: 'the default' },
  { path: 'client_metadata', why: 'a client telling its own service about itself' },
  { path: 'client_metadata.*', why: 'a client telling its own service about itself' },
  {
    path: 'input.*.internal_chat_message_metadata_passthrough',
    why: 'Codex telling its own service about an item',
  },
  {
    path: 'input.*.internal_chat_message_metadata_passthrough.**',
    why: 'Codex telling its own service about an item',
  },
  { path: 'stream_options.include_obfuscation', values: [false], why: 'nothing is padded here' },
  { path: 'input.*.content.*.type', values: ['reasoning_text'], why: 'there is no other type' },
  { path: 'input.*.outputs.*.type', values: ['logs'], why: 'only logs have logs' },
  { path: 'input.*.container_id', why: 'no other upstream can reach where the code ran' },
  {
    path: 'reasoning.summary',
    values: ['auto'],
    why: 'thoughts are passed on whether or not they are asked for',
  },
]

function isWordless(value: Json | undefined): boolean {
  if (!isObject(value) || value['type'] !== 'reasoning') return false
  const { summary, content, encrypted_content: proof } = value
  return [summary, content, proof].every((part) => !part || (Array.isArray(part) && !part.length))
}

function isBlank(content: Json | undefined): boolean {
  if (Array.isArray(content)) return content.every((part) => member(part, 'text') === '')
  return content === ''
}
