import { list, member, same } from '../grammar/shape.ts'
import { isObject, type Json, type JsonObject } from '../../src/canonical/json.ts'

/**
 * Members of a request that say nothing to a foreign upstream, so that a change of them may leave no trace.
 * Every entry says why; `*` is any index or key, `**` at the end anything below. Nothing else may vanish
 * without a report.
 */
export interface NoOp {
  /** The caller's. */
  dialect: string
  /** Towards this one only. */
  upstream?: string
  path: string
  /** Only for these values, or where this holds of the value; any value when both are absent. */
  values?: readonly Json[]
  when?: (value: Json | undefined, body: Json) => boolean
  /** Only where the members beside it say so, or what is around those. */
  beside?: (parent: JsonObject, around: JsonObject) => boolean
  why: string
}

type Entry = Omit<NoOp, 'dialect'>

const of = (dialect: string, entries: Entry[]): NoOp[] =>
  entries.map((entry) => ({ dialect, ...entry }))

const isType =
  (...types: string[]) =>
  (parent: JsonObject): boolean =>
    types.some((type) => parent['type'] === type)

const has =
  (...keys: string[]) =>
  (parent: JsonObject): boolean =>
    keys.some((key) => Object.hasOwn(parent, key))

/** A schema in a dialect that has no JSON Schema, or not all of it. */
const SCHEMA: Entry[] = [
  { path: '**.$schema', why: 'says which words are used, not what they say' },
  { path: '**.additionalProperties', values: [false, true], why: 'nobody makes members up' },
  { path: '**.type', values: ['string'], beside: has('enum'), why: 'the choices are strings' },
  { path: '**.type', values: ['array'], beside: has('items'), why: 'only arrays have items' },
  {
    path: '**.type',
    values: ['number'],
    beside: has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
    why: 'only numbers have bounds',
  },
  { path: '**.type', values: ['object'], beside: has('properties'), why: 'only objects have them' },
  {
    path: '**.items',
    values: [{ type: 'string' }],
    why: 'the elements of an array of which nothing is said',
  },
]

const MESSAGES: Entry[] = [
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
  ...SCHEMA,
  { path: 'tools.*.strict', values: [false], why: 'the default' },
  {
    path: 'messages.*.role',
    beside: (parent) => /"type":"tool_result"/.test(JSON.stringify(parent['content'] ?? null)),
    why: 'only the user brings results',
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

const ITEM_IDS = 'the item is sent whole; no other upstream stores it under this id'

const RESPONSES: Entry[] = [
  { path: 'model', why: 'the route says which model is asked' },
  { path: 'stream', why: 'the proxy itself frames the reply' },
  { path: 'store', why: 'no other upstream stores replies' },
  {
    path: 'include.*',
    values: ['reasoning.encrypted_content'],
    why: 'proofs are always brought home',
  },
  { path: 'input.*.type', values: ['message'], why: 'what an item with a role is without a type' },
  { path: 'input.*.id', why: ITEM_IDS },
  { path: 'input.*.status', why: 'an item of a history has come to its end' },
  {
    path: 'input.*',
    when: (value) => isWordless(value),
    why: 'a thought without words and without proof',
  },
  { path: 'input.*.summary.*.type', values: ['summary_text'], why: 'there is no other type' },
  { path: 'service_tier', values: ['auto'], why: 'the default' },
  { path: 'tool_choice', values: ['auto'], why: 'the default' },
  { path: 'tool_choice', when: nothingOffered, why: 'there is no tool' },
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
  { path: 'truncation', values: ['disabled'], why: 'the default' },
  { path: 'text.verbosity', values: ['medium'], why: 'the default' },
  { path: 'client_metadata', why: 'a client telling its own service about itself' },
  { path: 'client_metadata.*', why: 'a client telling its own service about itself' },
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

/** Of the second spelling only what occurs in the wild. */
const GENERATE_CONTENT: Entry[] = [
  { path: 'model', why: 'the route says which model is asked' },
  { path: 'contents.*.role', values: ['user'], why: 'the default' },
  { path: 'systemInstruction.role', why: 'instructions have no role' },
  { path: 'system_instruction.role', why: 'instructions have no role' },
  { path: 'systemInstruction.parts.*.thought', why: 'an instruction is no thought' },
  { path: 'contents.*.parts.*.thought', values: [false], why: 'the default' },
  {
    path: 'contents.*.parts.*.thought',
    beside: (parent) => !has('text')(parent),
    why: 'only a text can be a thought',
  },
  {
    path: 'contents.*.parts.*.functionResponse.id',
    why: 'a result whose id no call has belongs to the call of its name',
  },
  {
    path: 'contents.*.parts.*.functionResponse.name',
    beside: has('id'),
    why: 'the id says to which call it belongs',
  },
  { path: '**.propertyOrdering', beside: isInOrder, why: 'the properties have this order' },
  {
    path: '**.propertyOrdering.*',
    beside: (_, around) => isInOrder(around),
    why: 'the properties have this order',
  },
  { path: '**.fileData.mimeType', why: 'a link leads to what it leads to' },
  { path: 'contents.role', values: ['user'], why: 'the default' },
  {
    path: 'contents.*.role',
    beside: (parent) => /"function_?call"/i.test(JSON.stringify(parent['parts'] ?? null)),
    why: 'only the model calls functions',
  },
  { path: 'generationConfig.candidateCount', values: [1], why: 'the default' },
  { path: 'generationConfig.responseModalities.*', values: ['TEXT'], why: 'the default' },
  {
    path: 'generationConfig.responseMimeType',
    values: ['application/json'],
    beside: has('responseSchema', 'responseJsonSchema', 'response_schema', 'response_json_schema'),
    why: 'the schema says it',
  },
  { path: 'generationConfig.responseMimeType', values: ['text/plain'], why: 'the default' },
  {
    path: 'generationConfig.thinkingConfig.thinkingLevel',
    values: ['medium', 'MEDIUM'],
    upstream: 'responses',
    why: 'the default there',
  },
  {
    path: 'generationConfig.thinkingConfig.includeThoughts',
    values: [true],
    why: 'thoughts are passed on whether or not they are asked for',
  },
  { path: 'toolConfig.functionCallingConfig.mode', values: ['AUTO'], why: 'the default' },
  {
    path: 'toolConfig.functionCallingConfig.allowedFunctionNames',
    when: (value, body) => list(value).length === declared(body),
    why: 'these are all that there are',
  },
  {
    path: 'generationConfig.thinkingConfig.includeThoughts',
    beside: (parent) => (parent['thinkingBudget'] ?? parent['thinking_budget']) === 0,
    why: 'there will be no thoughts',
  },
  ...['parameters', 'parametersJsonSchema'].map((key) => ({
    path: `tools.*.functionDeclarations.*.${key}.type`,
    when: (value: Json | undefined) => String(value).toLowerCase() === 'object',
    why: 'arguments are always an object',
  })),
  ...SCHEMA,
]

export const NO_OPS: readonly NoOp[] = [
  ...of('messages', MESSAGES),
  ...of('responses', RESPONSES),
  ...of('generate-content', GENERATE_CONTENT),
]

function isWordless(value: Json | undefined): boolean {
  if (!isObject(value) || value['type'] !== 'reasoning') return false
  const { summary, content, encrypted_content: proof } = value
  return [summary, content, proof].every((part) => !part || (Array.isArray(part) && !part.length))
}

function nothingOffered(_: Json | undefined, body: Json): boolean {
  return list(member(body, 'tools')).length === 0
}

function isInOrder(schema: JsonObject): boolean {
  const properties = schema['properties']
  const order = schema['propertyOrdering'] ?? schema['property_ordering']
  return isObject(properties) && same(order, Object.keys(properties))
}

function isBlank(content: Json | undefined): boolean {
  if (Array.isArray(content)) return content.every((part) => member(part, 'text') === '')
  return content === ''
}

const declared = (body: Json): number =>
  list(member(body, 'tools')).flatMap((tool) => list(member(tool, 'functionDeclarations'))).length
