import {
  array,
  filled,
  matching,
  number,
  object,
  oneOf,
  optional,
  present,
  Pairing,
  refuse,
  schema,
  string,
} from './strict.ts'
import type { Heard, HeardTool, HeardTurn, Piece, Wire } from './script.ts'

const MEMBERS = [
  'model',
  'input',
  'include',
  'instructions',
  'max_output_tokens',
  'metadata',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_p',
  'top_logprobs',
  'truncation',
  'user',
]
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Reads a request as strictly as a responses upstream does. */
export function hearResponses(body: unknown): Heard {
  const request = object(body, 'body', MEMBERS)
  filled(request['model'], 'model')
  const tools = array(request['tools'] ?? [], 'tools').map(readTool)
  const { turns, system } = readInput(request['input'])
  const reasoning = object(request['reasoning'] ?? {}, 'reasoning', ['effort', 'summary'])
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
  const effort = optional(reasoning['effort'], (at, path) => oneOf(at, path, efforts), 'effort')
  return {
    system: [optional(request['instructions'], filled, 'instructions') ?? '', ...system]
      .filter((part) => part !== '')
      .join('\n'),
    turns,
    tools,
    choice: readChoice(request['tool_choice'], tools),
    maxTokens: optional(request['max_output_tokens'], tokenBound, 'max_output_tokens'),
    temperature: optional(
      request['temperature'],
      (at, path) => number(at, path, 0, 2),
      'temperature',
    ),
    stop: [],
    thinking: effort !== undefined && effort !== 'none',
    schema: readFormat(request['text']),
    stream: request['stream'] === true,
  }
}

const tokenBound = (value: unknown, path: string) => number(value, path, 16, 1_000_000)

const ITEMS = {
  message: ['type', 'role', 'content', 'id', 'status', 'phase'],
  function_call: ['type', 'call_id', 'name', 'arguments', 'id', 'status'],
  function_call_output: ['type', 'call_id', 'output', 'id', 'status'],
  reasoning: ['type', 'id', 'summary', 'encrypted_content', 'content', 'status'],
} as const
const KINDS = Object.keys(ITEMS) as (keyof typeof ITEMS)[]

interface Item {
  role: HeardTurn['role']
  pieces: Piece[]
}

/** Items of one side in a row are one turn; system and developer messages on top are the system prompt. */
function readInput(value: unknown): { turns: HeardTurn[]; system: string[] } {
  if (typeof value === 'string') {
    return { turns: [{ role: 'user', pieces: [{ kind: 'text', text: value }] }], system: [] }
  }
  const items = array(value, 'input').map(readItem)
  checkItems(items)
  const turns: HeardTurn[] = []
  const system: string[] = []
  for (const { role, pieces } of items) {
    const last = turns.at(-1)
    if (role === 'system' && !last) system.push(...pieces.map(wordsOf))
    else if (last?.role === role) last.pieces.push(...pieces)
    else turns.push({ role, pieces: [...pieces] })
  }
  return { turns, system }
}

const wordsOf = (piece: Piece): string => (piece.kind === 'text' ? piece.text : '')

function readItem(value: unknown, index: number): Item {
  const path = `input.${index}`
  const kind = oneOf((value as Wire)['type'] ?? 'message', `${path}.type`, KINDS)
  const item = object(value, path, ITEMS[kind])
  switch (kind) {
    case 'message':
      return readMessage(item, path)
    case 'function_call': {
      const input = string(item['arguments'], `${path}.arguments`)
      schema(JSON.parse(input), `${path}.arguments`)
      const id = matching(item['call_id'], `${path}.call_id`, /^[^\s]{1,64}$/)
      const name = matching(item['name'], `${path}.name`, NAME)
      return { role: 'assistant', pieces: [{ kind: 'call', id, name, input }] }
    }
    case 'function_call_output':
      return { role: 'user', pieces: [readResult(item, path)] }
    case 'reasoning':
      return { role: 'assistant', pieces: [readReasoning(item, path)] }
    default:
      return kind satisfies never
  }
}

function readMessage(item: Wire, path: string): Item {
  const roles = ['user', 'assistant', 'system', 'developer'] as const
  const role = oneOf(item['role'], `${path}.role`, roles)
  const content = item['content']
  const by = role === 'developer' ? 'system' : role
  if (typeof content === 'string')
    return { role: by, pieces: [{ kind: 'text', text: filled(content, `${path}.content`) }] }
  const parts = array(content, `${path}.content`)
  if (parts.length === 0) refuse(`${path}.content`, 'must not be empty')
  return {
    role: by,
    pieces: parts.map((part, at) => readPart(part, `${path}.content.${at}`, role === 'assistant')),
  }
}

const PART = ['type', 'text', 'refusal', 'annotations', 'logprobs', 'prompt_cache_breakpoint']

function readPart(value: unknown, path: string, byAssistant: boolean): Piece {
  const types = byAssistant
    ? (['output_text', 'refusal'] as const)
    : (['input_text', 'input_image', 'input_file', 'input_audio'] as const)
  const type = oneOf<string>((value as Wire)['type'], `${path}.type`, types)
  if (type === 'input_image') {
    const image = object(value, path, ['type', 'image_url', 'detail', 'prompt_cache_breakpoint'])
    const url = /^data:(image\/\w+);base64,([A-Za-z0-9+/]+=*)$/.exec(
      string(image['image_url'], path),
    )
    return url
      ? { kind: 'image', mediaType: url[1] ?? '', data: url[2] ?? '' }
      : refuse(path, 'no data URL')
  }
  if (type === 'input_file') return readFile(value, path)
  if (type === 'input_audio') return readAudio(value, path)
  const part = object(value, path, PART)
  return { kind: 'text', text: present(part['text'] ?? part['refusal'], `${path}.text`) }
}

function readFile(value: unknown, path: string): Piece {
  const file = object(value, path, ['type', 'file_data', 'filename', 'prompt_cache_breakpoint'])
  filled(file['filename'], `${path}.filename`)
  const url = /^data:(.+?);base64,([A-Za-z0-9+/]+=*)$/.exec(string(file['file_data'], path))
  return url
    ? { kind: 'file', mediaType: url[1] ?? '', data: url[2] ?? '' }
    : refuse(path, 'no data URL')
}

function readAudio(value: unknown, path: string): Piece {
  const audio = object(object(value, path, ['type', 'input_audio'])['input_audio'], path, [
    'data',
    'format',
  ])
  const format = oneOf(audio['format'], `${path}.format`, ['mp3', 'wav'])
  return { kind: 'file', mediaType: `audio/${format}`, data: filled(audio['data'], path) }
}

function readReasoning(item: Wire, path: string): Piece {
  matching(item['id'] ?? 'rs_', `${path}.id`, /^rs_/)
  const summary = array(item['summary'], `${path}.summary`).map((part, index) =>
    string(object(part, `${path}.summary.${index}`, ['type', 'text'])['text'], path),
  )
  const proof = filled(item['encrypted_content'], `${path}.encrypted_content`)
  return { kind: 'thinking', text: summary.join(''), proof }
}

function readResult(item: Wire, path: string): Piece {
  const output = item['output']
  const parts: Piece[] =
    typeof output === 'string'
      ? [{ kind: 'text', text: output }]
      : array(output, `${path}.output`).map((part, at) => readPart(part, `${path}.${at}`, false))
  return {
    kind: 'result',
    id: filled(item['call_id'], `${path}.call_id`),
    name: '',
    output: parts.map(wordsOf).join(''),
    images: parts.filter((part) => part.kind === 'image').length,
    failed: false,
  }
}

/** Every call has its output; a reasoning item is directly followed by an item of the same side. */
function checkItems(items: Item[]): void {
  const pairing = new Pairing()
  for (const [index, { role, pieces }] of items.entries()) {
    const path = `input.${index}`
    for (const piece of pieces) {
      if (piece.kind === 'call') pairing.call(piece.id, piece.name, path)
      if (piece.kind === 'result') piece.name = pairing.result(piece.id, path)
      if (piece.kind === 'thinking' && items[index + 1]?.role !== 'assistant')
        refuse(path, 'reasoning without its required following item')
      if (piece.kind !== 'result' && role === 'user') pairing.settled(path)
    }
  }
  pairing.settled('input')
}

function readTool(value: unknown, index: number): HeardTool {
  const path = `tools.${index}`
  const tool = object(value, path, ['type', 'name', 'description', 'parameters', 'strict'])
  oneOf(tool['type'], `${path}.type`, ['function'])
  if (tool['parameters'] === undefined) refuse(`${path}.parameters`, 'is required')
  return {
    name: matching(tool['name'], `${path}.name`, NAME),
    description: tool['description'] === undefined ? '' : string(tool['description'], path),
    schema: schema(tool['parameters'] ?? {}, `${path}.parameters`),
  }
}

function readChoice(value: unknown, tools: HeardTool[]): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return oneOf(value, 'tool_choice', ['auto', 'none', 'required'])
  const choice = object(value, 'tool_choice', ['type', 'name', 'mode', 'tools'])
  if (choice['type'] === 'allowed_tools') {
    const names = array(choice['tools'], 'tool_choice.tools').map((tool) => (tool as Wire)['name'])
    return `${String(choice['mode'])} ${names.join(',')}`
  }
  const name = filled(choice['name'], 'tool_choice.name')
  return tools.some((tool) => tool.name === name) ? name : refuse('tool_choice', `no tool ${name}`)
}

function readFormat(value: unknown): Wire | undefined {
  if (value === undefined) return undefined
  const options = object(value, 'text', ['format', 'verbosity'])
  const members = ['type', 'name', 'schema', 'strict', 'description']
  const format = object(options['format'] ?? { type: 'text' }, 'text.format', members)
  if (format['type'] !== 'json_schema') return undefined
  matching(format['name'], 'text.format.name', NAME)
  return schema(format['schema'], 'text.format.schema')
}
