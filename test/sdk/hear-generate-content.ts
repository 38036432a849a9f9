import {
  array,
  base64,
  filled,
  matching,
  number,
  object,
  oneOf,
  optional,
  present,
  refuse,
  schema,
  string,
} from './strict.ts'
import { merged } from './script.ts'
import type { Heard, HeardTool, HeardTurn, Piece, Wire } from './script.ts'

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/
const MEMBERS = [
  'store',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'serviceTier',
]
const CONFIG = [
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
  'mediaResolution',
]

const bound = (most: number) => (value: unknown, path: string) => number(value, path, 0, most)

/** Reads a request as strictly as a generate-content upstream does. */
export function hearGenerateContent(body: unknown): Heard {
  const request = object(body, 'body', MEMBERS)
  const config = object(request['generationConfig'] ?? {}, 'generationConfig', CONFIG)
  const turns = array(request['contents'], 'contents').map(readContent)
  checkTurns(turns)
  optional(
    config['mediaResolution'],
    (level, path) => oneOf(level, path, LEVELS),
    'mediaResolution',
  )
  const tools = array(request['tools'] ?? [], 'tools').flatMap(readTools)
  return {
    system: readSystem(request['systemInstruction']),
    turns: merged(turns),
    tools,
    choice: readChoice(request['toolConfig'], tools),
    maxTokens: optional(config['maxOutputTokens'], bound(1_000_000), 'maxOutputTokens'),
    temperature: optional(config['temperature'], bound(2), 'temperature'),
    stop: array(config['stopSequences'] ?? [], 'stopSequences').map(String),
    thinking: readThinking(config['thinkingConfig']),
    schema: readFormat(config),
    stream: false,
  }
}

function readThinking(value: unknown): boolean {
  if (value === undefined) return false
  const options = object(value, 'thinkingConfig', [
    'includeThoughts',
    'thinkingBudget',
    'thinkingLevel',
  ])
  if (options['thinkingBudget'] !== undefined && options['thinkingLevel'] !== undefined)
    refuse('thinkingConfig', 'budget and level exclude each other')
  return options['includeThoughts'] === true
}

function readSystem(value: unknown): string {
  if (value === undefined) return ''
  const content = object(value, 'systemInstruction', ['role', 'parts'])
  return array(content['parts'], 'systemInstruction.parts')
    .map((item, index) => {
      const path = `systemInstruction.parts.${index}`
      return filled(object(item, path, ['text'])['text'], `${path}.text`)
    })
    .join('\n')
}

function readContent(value: unknown, index: number): HeardTurn {
  const path = `contents.${index}`
  const content = object(value, path, ['role', 'parts'])
  const role = oneOf(content['role'], `${path}.role`, ['user', 'model'])
  const parts = array(content['parts'], `${path}.parts`)
  if (parts.length === 0) refuse(`${path}.parts`, 'must not be empty')
  return {
    role: role === 'model' ? 'assistant' : 'user',
    pieces: parts.flatMap((part, at) => readPart(part, `${path}.parts.${at}`, role)),
  }
}

const BODIES = ['text', 'inlineData', 'functionCall', 'functionResponse'] as const

/** What the service takes in place of a proof (guide: thought signatures). */
const STAND_IN = 'skip_thought_signature_validator'

/** A signature is heard as thinking without words before the part it stands on. */
function readPart(value: unknown, path: string, role: string): Piece[] {
  const part = object(value, path, [...BODIES, 'thought', 'thoughtSignature', 'mediaResolution'])
  const bodies = BODIES.filter((name) => part[name] !== undefined)
  const [body] = bodies
  if (bodies.length !== 1 || !body) refuse(path, `has ${bodies.length} bodies`)
  if (part['mediaResolution'] !== undefined) {
    if (body !== 'inlineData') refuse(`${path}.mediaResolution`, `stands beside ${body}`)
    checkResolution(part['mediaResolution'], `${path}.mediaResolution`)
  }
  const signature = part['thoughtSignature'] === STAND_IN ? undefined : part['thoughtSignature']
  const proof = optional(signature, base64, `${path}.thoughtSignature`)
  if (part['thought'] === true)
    return [{ kind: 'thinking', text: string(part['text'], path), proof: proof ?? '' }]
  const piece = readBody(body, part[body], `${path}.${body}`, role)
  return proof === undefined ? [piece] : [{ kind: 'thinking', text: '', proof }, piece]
}

/** For all media of a request, which Vertex AI refuses to look at as closely as at a single one. */
const LEVELS = ['UNSPECIFIED', 'LOW', 'MEDIUM', 'HIGH'].map((word) => `MEDIA_RESOLUTION_${word}`)

/**
 * How closely to look at one picture: `PartMediaResolution` of @google/genai 3.3.0. Gemini 3 and later take it at
 * v1beta (guide: media resolution), which was for v1alpha alone until 2026.
 */
function checkResolution(value: unknown, path: string): void {
  const resolution = object(value, path, ['level', 'numTokens'])
  oneOf(resolution['level'], `${path}.level`, [...LEVELS, 'MEDIA_RESOLUTION_ULTRA_HIGH'])
  optional(resolution['numTokens'], bound(1_000_000), `${path}.numTokens`)
}

function readBody(
  name: (typeof BODIES)[number],
  value: unknown,
  path: string,
  role: string,
): Piece {
  switch (name) {
    case 'text':
      return { kind: 'text', text: present(value, path) }
    case 'inlineData': {
      const data = object(value, path, ['mimeType', 'data'])
      return {
        kind: 'image',
        mediaType: filled(data['mimeType'], `${path}.mimeType`),
        data: base64(data['data'], `${path}.data`),
      }
    }
    case 'functionCall': {
      if (role !== 'model') refuse(path, 'a call by the user')
      const call = object(value, path, ['id', 'name', 'args'])
      const id = optional(call['id'], filled, `${path}.id`) ?? ''
      const input = JSON.stringify(schema(call['args'] ?? {}, `${path}.args`))
      return { kind: 'call', id, name: matching(call['name'], `${path}.name`, NAME), input }
    }
    case 'functionResponse':
      return readResult(object(value, path, ['id', 'name', 'response', 'parts']), path, role)
    default:
      return name satisfies never
  }
}

function readResult(answer: Wire, path: string, role: string): Piece {
  if (role !== 'user') refuse(path, 'a result by the model')
  const response = schema(answer['response'], `${path}.response`)
  const failed = response['error'] !== undefined
  const output = response['output'] ?? response['result'] ?? response['error'] ?? response
  return {
    kind: 'result',
    id: optional(answer['id'], filled, `${path}.id`) ?? '',
    name: matching(answer['name'], `${path}.name`, NAME),
    output: typeof output === 'string' ? output : JSON.stringify(output),
    images: array(answer['parts'] ?? [], `${path}.parts`).length,
    failed,
  }
}

/** The content after calls answers them all and does nothing else: in number, name and (where given) id. */
function checkTurns(turns: HeardTurn[]): void {
  for (const [index, turn] of turns.entries()) {
    const path = `contents.${index}`
    const calls = turns[index - 1]?.pieces.filter((piece) => piece.kind === 'call') ?? []
    const results = turn.pieces.filter((piece) => piece.kind === 'result')
    if (calls.length !== results.length)
      refuse(path, 'the number of function responses must equal the number of function calls')
    if (results.length > 0 && results.length < turn.pieces.length)
      refuse(path, 'function responses and something else')
    for (const result of results) {
      const at = calls.findIndex((call) => call.name === result.name && call.id === result.id)
      if (at < 0) refuse(path, `no call for the response of ${result.name}`)
      calls.splice(at, 1)
    }
    if (turn.pieces.some((piece) => piece.kind === 'call') && index === 0)
      refuse(path, 'a function call turn comes after a user turn')
  }
  const last = turns.at(-1)
  if (last?.pieces.some((piece) => piece.kind === 'call'))
    refuse('contents', 'calls without responses')
}

function readTools(value: unknown, index: number): HeardTool[] {
  const path = `tools.${index}`
  const tool = object(value, path, ['functionDeclarations'])
  return array(tool['functionDeclarations'], path).map((item, at) =>
    readTool(item, `${path}.${at}`),
  )
}

function readTool(item: unknown, path: string): HeardTool {
  const tool = object(item, path, ['name', 'description', 'parameters', 'parametersJsonSchema'])
  if (tool['parameters'] !== undefined && tool['parametersJsonSchema'] !== undefined)
    refuse(path, 'parameters and parametersJsonSchema exclude each other')
  return {
    name: matching(tool['name'], `${path}.name`, NAME),
    description: tool['description'] === undefined ? '' : filled(tool['description'], path),
    schema: readSchema(tool, path),
  }
}

const SCHEMA_MEMBERS = new Set(
  (
    'type format title description nullable enum items minItems maxItems properties required ' +
    'propertyOrdering minProperties maxProperties minimum maximum minLength maxLength pattern ' +
    'example anyOf default'
  ).split(' '),
)
const TYPES = /^(string|number|integer|boolean|array|object|null)$/i

/** `parameters` is a subset of JSON Schema with its own rules; `parametersJsonSchema` is JSON Schema. */
function readSchema(tool: Wire, path: string): Wire {
  if (tool['parameters'] !== undefined) checkSchema(tool['parameters'], `${path}.parameters`)
  return schema(tool['parametersJsonSchema'] ?? tool['parameters'] ?? {}, path)
}

function checkSchema(value: unknown, path: string): void {
  const node = schema(value, path)
  for (const key of Object.keys(node))
    if (!SCHEMA_MEMBERS.has(key)) refuse(`${path}.${key}`, 'unknown name')
  if (node['type'] !== undefined) matching(node['type'], `${path}.type`, TYPES)
  if (node['items'] !== undefined) checkSchema(node['items'], `${path}.items`)
  for (const [name, inner] of Object.entries((node['properties'] as Wire | undefined) ?? {}))
    checkSchema(inner, `${path}.properties.${name}`)
  for (const inner of array(node['anyOf'] ?? [], `${path}.anyOf`)) checkSchema(inner, path)
}

function readChoice(value: unknown, tools: HeardTool[]): string {
  if (value === undefined) return ''
  const config = object(value, 'toolConfig', ['functionCallingConfig'])
  const path = 'toolConfig.functionCallingConfig'
  const choice = object(config['functionCallingConfig'], path, ['mode', 'allowedFunctionNames'])
  const mode = oneOf(choice['mode'], `${path}.mode`, ['AUTO', 'ANY', 'NONE', 'VALIDATED'])
  const names = array(choice['allowedFunctionNames'] ?? [], path).map(String)
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') refuse(path, 'names need ANY')
  for (const name of names)
    if (!tools.some((tool) => tool.name === name)) refuse(path, `no tool ${name}`)
  if (names.length > 0) return names.join(',')
  return mode === 'ANY' ? 'required' : mode.toLowerCase()
}

function readFormat(config: Wire): Wire | undefined {
  const wanted = config['responseJsonSchema'] ?? config['responseSchema']
  if (wanted === undefined) return undefined
  if (config['responseMimeType'] !== 'application/json')
    refuse('responseMimeType', 'a schema needs application/json')
  return schema(wanted, 'responseSchema')
}
