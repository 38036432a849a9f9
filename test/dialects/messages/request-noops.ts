import { isObject, type Json } from '../../../src/json/json.ts'
import { list, member } from '../../grammar/shape.ts'
import { isType, SCHEMA, type Entry } from '../../replay/noop.ts'

const nothingOffered = (_: Json | undefined, body: Json): boolean =>
  list(member(body, 'tools')).length === 0

/** Models of responses that take tools late. */
const takesLate = (body: Json): boolean => String(member(body, 'model')).startsWith('gpt-')

export const requestNoOps: Entry[] = [
  { path: 'mcp_servers.*.tool_configuration.enabled', values: [true], why: 'the default' },
  { path: 'model', why: 'the route says which model is asked' },
  { path: 'stream', why: 'the proxy itself frames the reply' },
  { path: 'tools.*.type', values: ['custom'], why: 'what a tool is without a type' },
  {
    path: 'tools.*.type',
    when: (value) => /^[a-z_]+_20\d{6}$/.test(String(value)),
    why: 'a version of a tool, in no other words',
  },
  { path: 'tool_choice.type', values: ['auto'], why: 'the default' },
  {
    path: 'thinking.type',
    values: ['adaptive'],
    upstream: 'generate-content',
    why: 'what its models do by themselves',
  },
  { path: 'tools.*.input_schema.type', values: ['object'], why: 'arguments are always an object' },
  { path: 'tools.*.input_schema.strict', why: 'no word of JSON Schema' },
  { path: 'tools.*.user_location.type', values: ['approximate'], why: 'there is no other type' },
  { path: '**.caller.type', values: ['direct'], why: 'the default' },
  {
    path: 'tools.*.allowed_callers',
    values: [['direct']],
    below: true,
    why: 'elsewhere nobody else calls tools',
  },
  { path: 'tools.*.eager_input_streaming', why: 'elsewhere arguments are told as they come' },
  ...SCHEMA,
  { path: 'tools.*.strict', values: [false], why: 'the default' },
  ...['chat-completions', 'generate-content', 'responses'].map((upstream) => ({
    path: 'tools.*.defer_loading',
    upstream,
    when: (_: Json | undefined, body: Json) =>
      !takesLate(body) &&
      list(member(body, 'tools')).filter((tool) => member(tool, 'defer_loading') === true).length >
        1,
    why: 'one report says of all deferred tools that they are offered at once',
  })),
  {
    path: 'tools.*.name',
    when: (value) => String(value).startsWith('tool_search_tool_'),
    why: 'which search finds a tool is left to the service',
  },
  {
    path: 'tools.*.name',
    values: ['computer'],
    beside: ({ type }) => /^computer_\d+$/.test(String(type)),
    why: 'the tool for a screen has no other name',
  },
  ...['chat-completions', 'generate-content', 'responses'].map((upstream) => ({
    path: 'messages.*',
    upstream,
    when: (value: Json | undefined, body: Json) => {
      const blocks = list(member(value, 'content'))
      return (
        !takesLate(body) &&
        blocks[0] !== undefined &&
        blocks.every((one) => member(one, 'type') === 'tool_addition')
      )
    },
    below: true as const,
    why: 'the tool is offered from the beginning, which is reported of the tool',
  })),
  {
    path: 'messages.*.role',
    beside: (parent) => /"type":"tool_result"/.test(JSON.stringify(parent['content'] ?? null)),
    why: 'only the user brings results',
  },
  {
    path: 'tools.*',
    when: (value) => isObject(value) && value['type'] === 'mcp_toolset',
    upstream: 'generate-content',
    below: true,
    why: 'the report names its server',
  },
  {
    path: 'tools.*',
    when: (value) => isObject(value) && value['type'] === 'mcp_toolset',
    upstream: 'chat-completions',
    below: true,
    why: 'the report names its server',
  },
  {
    path: 'messages.*.content.*',
    when: (value) => isObject(value) && value['type'] === 'mcp_tool_result',
    upstream: 'generate-content',
    below: true,
    why: 'the report is that of its call',
  },
  {
    path: 'messages.*.content.*',
    when: (value) => isObject(value) && value['type'] === 'mcp_tool_result',
    upstream: 'chat-completions',
    below: true,
    why: 'the report is that of its call',
  },
  { path: 'tool_choice.type', when: nothingOffered, why: 'there is no tool' },
  {
    path: 'messages.*.content.*.tool_use_id',
    when: (value) => String(value).startsWith('srvtoolu_'),
    upstream: 'generate-content',
    why: 'the result stands behind its code',
  },
  { path: 'tool_choice.disable_parallel_tool_use', values: [false], why: 'the default' },
  { path: 'messages.*.content.*.is_error', values: [false], why: 'the default' },
  {
    path: 'messages.*.content.*.source.media_type',
    values: ['text/plain'],
    beside: isType('text'),
    why: 'the only one that there is',
  },
]
