import { isObject, type Json, type JsonObject } from '../../../src/json/json.ts'
import { list, member, same } from '../../grammar/shape.ts'
import { has, SCHEMA, type Entry } from '../../replay/noop.ts'

/** Of the spelling with underscores only what occurs in the wild. */
export const requestNoOps: Entry[] = [
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
  {
    path: 'contents.*.parts.*.functionResponse.response.name',
    beside: has('content'),
    why: 'the function is named beside the response',
  },
  ...['propertyOrdering', 'property_ordering'].flatMap((key): Entry[] => [
    { path: `**.${key}`, beside: isInOrder, why: 'the properties have this order' },
    {
      path: `**.${key}.*`,
      beside: (_, around) => isInOrder(around),
      why: 'the properties have this order',
    },
    { path: `**.${key}.*`, when: isLast, why: 'what no order names comes last' },
  ]),
  { path: '**.fileData.mimeType', why: 'a link leads to what it leads to' },
  { path: 'contents.role', values: ['user'], why: 'the default' },
  {
    path: 'contents.*.role',
    beside: (parent) => /"function_?call"/i.test(JSON.stringify(parent['parts'] ?? null)),
    why: 'only the model calls functions',
  },
  { path: '**.behavior', values: ['BLOCKING', 'UNSPECIFIED'], why: 'the default' },
  { path: 'generationConfig.candidateCount', values: [1], why: 'the default' },
  { path: 'generationConfig.temperature', values: [1], upstream: 'messages', why: 'the default' },
  { path: 'generationConfig.topP', values: [1], upstream: 'messages', why: 'the default' },
  { path: 'generationConfig.responseModalities.*', values: ['TEXT'], why: 'the default' },
  {
    path: 'generationConfig.responseMimeType',
    values: ['application/json'],
    beside: has('responseSchema', 'responseJsonSchema', 'response_schema', 'response_json_schema'),
    why: 'the schema says it',
  },
  { path: 'generationConfig.responseMimeType', values: ['text/plain'], why: 'the default' },
  ...['responses', 'chat-completions'].map((upstream) => ({
    path: 'generationConfig.thinkingConfig.thinkingLevel',
    values: ['medium', 'MEDIUM'],
    upstream,
    why: 'the default there',
  })),
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
    path: 'toolConfig.functionCallingConfig.allowedFunctionNames.*',
    upstream: 'messages',
    why: 'the choice is reported with all its names, where the model cannot be forced',
  },
  {
    path: 'generationConfig.thinkingConfig.includeThoughts',
    beside: (parent) => (parent['thinkingBudget'] ?? parent['thinking_budget']) === 0,
    why: 'there will be no thoughts',
  },
  ...['parameters', 'parametersJsonSchema'].map((key) => ({
    path: `tools.*.functionDeclarations.*.${key}.type`,
    // Some clients send the numbers of the types.
    when: (value: Json | undefined) => ['object', '6'].includes(String(value).toLowerCase()),
    why: 'arguments are always an object',
  })),
  ...SCHEMA,
]

const orderOf = (schema: JsonObject): Json[] =>
  list(schema['propertyOrdering'] ?? schema['property_ordering'])

function isInOrder(schema: JsonObject): boolean {
  const properties = schema['properties']
  return isObject(properties) && same(orderOf(schema), Object.keys(properties))
}

/** Whether an order that names all properties ends with this one. */
function isLast(name: Json | undefined, body: Json | undefined): boolean {
  if (Array.isArray(body)) return body.some((item) => isLast(name, item))
  if (!isObject(body)) return false
  const { properties } = body
  const order = orderOf(body)
  const isWhole = isObject(properties) && order.length === Object.keys(properties).length
  return (isWhole && order.at(-1) === name) || isLast(name, Object.values(body))
}

const declared = (body: Json): number =>
  list(member(body, 'tools')).flatMap((tool) => list(member(tool, 'functionDeclarations'))).length
