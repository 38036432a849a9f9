import type { Heard, HeardTool, HeardTurn, Piece, Wire } from './script.ts'
import {
  array,
  filled,
  matching,
  number,
  object,
  oneOf,
  optional,
  Pairing,
  present,
  refuse,
  schema,
  string,
} from './strict.ts'

const MEMBERS = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'reasoning_effort',
  'response_format',
  'service_tier',
  'prompt_cache_key',
  'user',
]
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

const bound = (at: unknown, path: string): number => number(at, path, 1, 1_000_000)

/** Reads a request as strictly as the strictest server does. */
export function hearChatCompletions(body: unknown): Heard {
  const request = object(body, 'body', MEMBERS)
  filled(request['model'], 'model')
  const tools = array(request['tools'] ?? [], 'tools').map(readTool)
  const { turns, system } = readMessages(array(request['messages'], 'messages'))
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
  const word = request['reasoning_effort']
  const effort = optional(word, (at, path) => oneOf(at, path, efforts), 'reasoning_effort')
  optional(request['n'], (at, path) => number(at, path, 1, 128), 'n')
  if (request['stream'] !== undefined && request['stream_options'] === undefined)
    refuse('stream_options', 'nothing would be counted')
  return {
    system: system.join('\n'),
    turns,
    tools,
    choice: readChoice(request['tool_choice'], tools),
    maxTokens:
      optional(request['max_tokens'], bound, 'max_tokens') ??
      optional(request['max_completion_tokens'], bound, 'max_completion_tokens'),
    temperature: optional(
      request['temperature'],
      (at, path) => number(at, path, 0, 2),
      'temperature',
    ),
    stop: array(request['stop'] ?? [], 'stop').map((one) => string(one, 'stop')),
    thinking: effort !== undefined && effort !== 'none',
    schema: readFormat(request['response_format']),
    stream: request['stream'] === true,
  }
}

function readMessages(messages: unknown[]): { turns: HeardTurn[]; system: string[] } {
  if (messages.length === 0) refuse('messages', 'must not be empty')
  const turns: HeardTurn[] = []
  const system: string[] = []
  const pairing = new Pairing()
  let results: Map<string, Extract<Piece, { kind: 'result' }>> = new Map()
  for (const [index, value] of messages.entries()) {
    const path = `messages.${index}`
    const { role, pieces } = readMessage(value, path)
    if (role === 'tool') pair(pieces, results, pairing, path)
    else pairing.settled(path)
    for (const piece of pieces) if (piece.kind === 'call') pairing.call(piece.id, piece.name, path)
    if (role === 'system' && turns.length === 0) {
      system.push(...pieces.map((piece) => ('text' in piece ? piece.text : '')))
      continue
    }
    if (role === 'assistant') results = new Map()
    const shown = role === 'user' ? giveBack(pieces, results) : pieces
    const by = role === 'tool' ? 'user' : role
    const last = turns.at(-1)
    if (last?.role === by && by === 'user') last.pieces.push(...shown)
    else turns.push({ role: by, pieces: shown })
  }
  pairing.settled('messages')
  return { turns, system }
}

type Role = HeardTurn['role'] | 'tool'
type Results = Map<string, Extract<Piece, { kind: 'result' }>>

function pair(pieces: Piece[], results: Results, pairing: Pairing, path: string): void {
  for (const piece of pieces) {
    if (piece.kind !== 'result') continue
    piece.name = pairing.result(piece.id, path)
    results.set(piece.id, piece)
  }
}

/** Images that a tool has returned stand behind the results, and say whose they are. */
function giveBack(pieces: Piece[], results: Results): Piece[] {
  const [label] = pieces
  const match =
    label?.kind === 'text' ? /^Images returned by tool call (.+):$/.exec(label.text) : null
  if (!match) return pieces
  let result = results.get(match[1] ?? '')
  return pieces.filter((piece) => {
    const [, id] =
      (piece.kind === 'text' && /^Images returned by tool call (.+):$/.exec(piece.text)) || []
    if (id !== undefined) result = results.get(id)
    else if (piece.kind === 'image' && result) result.images += 1
    else return true
    return false
  })
}

const ASSISTANT = [
  'role',
  'content',
  'refusal',
  'tool_calls',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
]

function readMessage(value: unknown, path: string): { role: Role; pieces: Piece[] } {
  const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const
  const role = oneOf((value as Wire)['role'], `${path}.role`, roles)
  if (role === 'assistant') return { role, pieces: readAssistant(value as Wire, path) }
  if (role === 'tool') return { role, pieces: [readResult(value, path)] }
  const message = object(value, path, ['role', 'content'])
  const by = role === 'developer' ? 'system' : role
  return { role: by, pieces: readContent(message['content'], `${path}.content`) }
}

function readContent(content: unknown, path: string): Piece[] {
  if (typeof content === 'string') return [{ kind: 'text', text: present(content, path) }]
  const parts = array(content, path)
  if (parts.length === 0) refuse(path, 'must not be empty')
  return parts.map((part, at) => readPart(part, `${path}.${at}`))
}

function readPart(value: unknown, path: string): Piece {
  const types = ['text', 'image_url', 'input_audio', 'file'] as const
  const type = oneOf((value as Wire)['type'], `${path}.type`, types)
  const part = object(value, path, ['type', type])
  if (type === 'text') return { kind: 'text', text: present(part['text'], path) }
  if (type === 'input_audio') {
    const audio = object(part[type], path, ['data', 'format'])
    const format = oneOf(audio['format'], path, ['mp3', 'wav'])
    return { kind: 'file', mediaType: `audio/${format}`, data: filled(audio['data'], path) }
  }
  if (type === 'file') {
    const file = object(part[type], path, ['file_data', 'filename'])
    filled(file['filename'], path)
    return { kind: 'file', ...dataUrl(file['file_data'], path) }
  }
  const image = object(part[type], path, ['url', 'detail'])
  return { kind: 'image', ...dataUrl(image['url'], path) }
}

function dataUrl(value: unknown, path: string): { mediaType: string; data: string } {
  const url = /^data:(.+?);base64,([A-Za-z0-9+/]+=*)$/.exec(string(value, path))
  return url ? { mediaType: url[1] ?? '', data: url[2] ?? '' } : refuse(path, 'no data URL')
}

function readAssistant(value: Wire, path: string): Piece[] {
  for (const [key, member] of Object.entries(value)) {
    if (!ASSISTANT.includes(key)) refuse(`${path}.${key}`, 'extra inputs are not permitted')
    if (member === null && key !== 'content') refuse(`${path}.${key}`, 'must not be null')
  }
  const { content, tool_calls, reasoning_content, reasoning_details } = value
  const pieces: Piece[] = array(reasoning_details ?? [], path).map((entry) =>
    readEntry(entry, path),
  )
  if (pieces.length === 0 && reasoning_content !== undefined)
    pieces.push({ kind: 'thinking', text: filled(reasoning_content, path), proof: '' })
  if (content !== null) pieces.push(...readContent(content, `${path}.content`))
  const calls = array(tool_calls ?? [], path)
  if (content === null && calls.length === 0) refuse(path, 'says nothing')
  return [...pieces, ...calls.map((call, at) => readCall(call, `${path}.tool_calls.${at}`))]
}

function readEntry(value: unknown, path: string): Piece {
  const members = ['type', 'text', 'signature', 'data', 'format', 'index', 'id']
  const { text = '', signature, data } = object(value, path, members)
  const proof = signature ?? data
  return { kind: 'thinking', text: string(text, path), proof: filled(proof, `${path}.proof`) }
}

function readCall(value: unknown, path: string): Piece {
  const call = object(value, path, ['id', 'type', 'function'])
  oneOf(call['type'], path, ['function'])
  const called = object(call['function'], path, ['name', 'arguments'])
  const input = string(called['arguments'], path)
  schema(JSON.parse(input), path)
  const id = matching(call['id'], `${path}.id`, /^\S{1,40}$/)
  return { kind: 'call', id, name: matching(called['name'], path, NAME), input }
}

function readResult(value: unknown, path: string): Piece {
  const message = object(value, path, ['role', 'tool_call_id', 'content'])
  const { content } = message
  const parts: Piece[] =
    typeof content === 'string' ? [{ kind: 'text', text: content }] : readContent(content, path)
  const words = parts.map((part) =>
    part.kind === 'text' ? part.text : refuse(path, 'only text is permitted in results'),
  )
  return {
    kind: 'result',
    id: filled(message['tool_call_id'], path),
    name: '',
    output: words.join(''),
    images: 0,
    failed: false,
  }
}

function readTool(value: unknown, index: number): HeardTool {
  const path = `tools.${index}`
  const tool = object(value, path, ['type', 'function'])
  oneOf(tool['type'], path, ['function'])
  const declared = object(tool['function'], path, ['name', 'description', 'parameters', 'strict'])
  return {
    name: matching(declared['name'], `${path}.name`, NAME),
    description: declared['description'] === undefined ? '' : string(declared['description'], path),
    schema: schema(declared['parameters'], `${path}.parameters`),
  }
}

function readChoice(value: unknown, tools: HeardTool[]): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return oneOf(value, 'tool_choice', ['auto', 'none', 'required'])
  const choice = object(value, 'tool_choice', ['type', 'function'])
  const name = filled(object(choice['function'], 'tool_choice', ['name'])['name'], 'tool_choice')
  return tools.some((tool) => tool.name === name) ? name : refuse('tool_choice', `no tool ${name}`)
}

function readFormat(value: unknown): Wire | undefined {
  if (value === undefined) return undefined
  const format = object(value, 'response_format', ['type', 'json_schema'])
  if (format['type'] !== 'json_schema') return undefined
  const members = ['name', 'schema', 'strict', 'description']
  const said = object(format['json_schema'], 'response_format.json_schema', members)
  matching(said['name'], 'response_format.json_schema.name', NAME)
  return schema(said['schema'], 'response_format.json_schema.schema')
}
