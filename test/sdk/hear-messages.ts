import {
  array,
  base64,
  filled,
  matching,
  number,
  object,
  oneOf,
  optional,
  Pairing,
  refuse,
  schema,
  string,
} from './strict.ts'
import {
  merged,
  type Heard,
  type HeardTool,
  type HeardTurn,
  type ImagePiece,
  type Piece,
  type Wire,
} from './script.ts'

const MEMBERS = [
  'model',
  'max_tokens',
  'messages',
  'system',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'tool_choice',
  'tools',
  'output_config',
  'cache_control',
  'service_tier',
  'mcp_servers',
]
const ID = /^[a-zA-Z0-9_-]+$/
const NAME = /^[a-zA-Z0-9_-]{1,128}$/

/** Reads a request as strictly as a messages upstream does. */
export function hearMessages(body: unknown): Heard {
  const request = object(body, 'body', MEMBERS)
  filled(request['model'], 'model')
  const maxTokens = number(request['max_tokens'], 'max_tokens', 1, 1_000_000)
  const thinking = readThinking(request['thinking'], maxTokens)
  checkSampling(request, thinking)
  const turns = array(request['messages'], 'messages').map(readMessage)
  checkTurns(turns, isBudgeted(request['thinking']))
  const servers = array(request['mcp_servers'] ?? [], 'mcp_servers').map(readServer)
  const tools = array(request['tools'] ?? [], 'tools').flatMap(readTools(servers))
  if (tools.length === 0 && request['tools'] !== undefined) refuse('tools', 'must not be empty')
  return {
    system: readSystem(request['system']),
    turns: merged(turns),
    tools,
    choice: readChoice(request['tool_choice'], tools, thinking),
    maxTokens,
    temperature: optional(
      request['temperature'],
      (at, path) => number(at, path, 0, 1),
      'temperature',
    ),
    stop: array(request['stop_sequences'] ?? [], 'stop_sequences').map(filled as () => string),
    thinking,
    schema: readFormat(request['output_config']),
    stream: request['stream'] === true,
  }
}

function checkSampling(request: Wire, thinking: boolean): void {
  const { temperature, top_k } = request
  if (thinking && temperature !== undefined && temperature !== 1)
    refuse('temperature', 'may only be 1 with thinking')
  if (thinking && top_k !== undefined) refuse('top_k', 'not with thinking')
}

/** Turns need not begin with thinking where the model decides itself whether to think (messages, adaptive thinking). */
const isBudgeted = (thinking: unknown): boolean =>
  object(thinking ?? {}, 'thinking', THINKING)['type'] === 'enabled'

const THINKING = ['type', 'budget_tokens', 'display']

function readThinking(value: unknown, maxTokens: number): boolean {
  if (value === undefined) return false
  const options = object(value, 'thinking', THINKING)
  const type = oneOf(options['type'], 'thinking.type', ['enabled', 'disabled', 'adaptive'])
  if (type === 'enabled')
    number(options['budget_tokens'], 'thinking.budget_tokens', 1024, maxTokens - 1)
  else if (options['budget_tokens'] !== undefined) refuse('thinking.budget_tokens', 'not here')
  return type !== 'disabled'
}

function readSystem(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return filled(value, 'system')
  return array(value, 'system')
    .map((item, index) => {
      const block = object(item, `system.${index}`, ['type', 'text', 'cache_control'])
      oneOf(block['type'], `system.${index}.type`, ['text'])
      return filled(block['text'], `system.${index}.text`)
    })
    .join('\n')
}

function readMessage(value: unknown, index: number): HeardTurn {
  const path = `messages.${index}`
  const message = object(value, path, ['role', 'content'])
  const role = oneOf(message['role'], `${path}.role`, ['user', 'assistant', 'system'])
  const content = message['content']
  if (typeof content === 'string')
    return { role, pieces: [{ kind: 'text', text: filled(content, `${path}.content`) }] }
  const blocks = array(content, `${path}.content`)
  if (blocks.length === 0) refuse(`${path}.content`, 'must not be empty')
  return {
    role,
    pieces: blocks.map((block, at) => readBlock(block, `${path}.content.${at}`, role)),
  }
}

const BLOCKS = {
  text: ['type', 'text', 'cache_control'],
  image: ['type', 'source', 'cache_control'],
  document: ['type', 'source', 'title', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
} as const
const KINDS = Object.keys(BLOCKS) as (keyof typeof BLOCKS)[]

function readBlock(value: unknown, path: string, role: string): Piece {
  const kind = oneOf((value as Wire)['type'], `${path}.type`, KINDS)
  const block = object(value, path, BLOCKS[kind])
  const byAssistant = kind === 'thinking' || kind === 'redacted_thinking' || kind === 'tool_use'
  if (byAssistant !== (role === 'assistant') && kind !== 'text') refuse(path, `${kind} by ${role}`)
  switch (kind) {
    case 'text':
      return { kind: 'text', text: filled(block['text'], `${path}.text`) }
    case 'image':
      return readImage(block['source'], path)
    case 'document':
      return readDocument(block['source'], path)
    case 'thinking': {
      const text = string(block['thinking'], `${path}.thinking`)
      const proof = filled(block['signature'], `${path}.signature`)
      return { kind: 'thinking', text, proof, ...(text === '' && { omitted: true }) }
    }
    case 'redacted_thinking':
      return { kind: 'thinking', text: '', proof: filled(block['data'], `${path}.data`) }
    case 'tool_use':
      return {
        kind: 'call',
        id: matching(block['id'], `${path}.id`, ID),
        name: matching(block['name'], `${path}.name`, NAME),
        input: JSON.stringify(schema(block['input'], `${path}.input`)),
      }
    case 'tool_result':
      return readResult(block, path)
    default:
      return kind satisfies never
  }
}

function readImage(value: unknown, path: string): ImagePiece {
  const source = object(value, `${path}.source`, ['type', 'media_type', 'data'])
  oneOf(source['type'], `${path}.source.type`, ['base64'])
  const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
  return {
    kind: 'image',
    mediaType: oneOf(source['media_type'], `${path}.source.media_type`, types),
    data: base64(source['data'], `${path}.source.data`),
  }
}

function readDocument(value: unknown, path: string): Piece {
  const source = object(value, `${path}.source`, ['type', 'media_type', 'data'])
  const type = oneOf(source['type'], `${path}.source.type`, ['base64', 'text'])
  const mediaType = type === 'text' ? ('text/plain' as const) : ('application/pdf' as const)
  oneOf(source['media_type'], `${path}.source.media_type`, [mediaType])
  const read = type === 'text' ? filled : base64
  return { kind: 'file', mediaType, data: read(source['data'], `${path}.source.data`) }
}

function readResult(block: Wire, path: string): Piece {
  const content = block['content'] ?? ''
  const parts =
    typeof content === 'string'
      ? [{ kind: 'text' as const, text: content }]
      : array(content, `${path}.content`).map((part, index) =>
          readBlock(part, `${path}.content.${index}`, 'user'),
        )
  const output = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  return {
    kind: 'result',
    id: matching(block['tool_use_id'], `${path}.tool_use_id`, ID),
    name: '',
    output,
    images: parts.filter((part) => part.kind === 'image').length,
    failed: block['is_error'] === true,
  }
}

/** Results come first in the very next message, all of them together; thinking comes before calls. */
function checkTurns(turns: HeardTurn[], isBudgeted: boolean): void {
  const pairing = new Pairing()
  for (const [index, { role, pieces }] of turns.entries()) {
    const path = `messages.${index}`
    if (role === 'user') readResults(pieces, pairing, path)
    pairing.settled(path)
    for (const piece of pieces) if (piece.kind === 'call') pairing.call(piece.id, piece.name, path)
    const calls = pieces.some((piece) => piece.kind === 'call')
    const isOpen = index === turns.findLastIndex((turn) => turn.role === 'assistant')
    if (isBudgeted && isOpen && calls && pieces[0]?.kind !== 'thinking')
      refuse(path, 'with thinking on, a turn whose calls are being answered starts with thinking')
  }
  pairing.settled('messages')
}

function readResults(pieces: Piece[], pairing: Pairing, path: string): void {
  let over = false
  for (const piece of pieces) {
    if (piece.kind !== 'result') over = true
    else if (over) refuse(path, 'tool_result after other content')
    else piece.name = pairing.result(piece.id, path)
  }
}

/** The name of a server whose tools the service itself calls. */
function readServer(value: unknown, index: number): string {
  const path = `mcp_servers.${index}`
  const server = object(value, path, ['type', 'name', 'url', 'authorization_token'])
  oneOf(server['type'], `${path}.type`, ['url'])
  filled(server['url'], `${path}.url`)
  return filled(server['name'], `${path}.name`)
}

const readTools =
  (servers: string[]) =>
  (value: unknown, index: number): HeardTool[] => {
    if (!(value instanceof Object && 'type' in value && value.type === 'mcp_toolset'))
      return [readTool(value, index)]
    const path = `tools.${index}`
    const members = ['type', 'mcp_server_name', 'default_config', 'configs', 'cache_control']
    oneOf(object(value, path, members)['mcp_server_name'], `${path}.mcp_server_name`, servers)
    return []
  }

function readTool(value: unknown, index: number): HeardTool {
  const path = `tools.${index}`
  const members = ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control']
  const tool = object(value, path, members)
  const input = schema(tool['input_schema'], `${path}.input_schema`)
  if (input['type'] !== 'object') refuse(`${path}.input_schema.type`, 'must be object')
  return {
    name: matching(tool['name'], `${path}.name`, NAME),
    description: tool['description'] === undefined ? '' : String(tool['description']),
    schema: input,
  }
}

function readChoice(value: unknown, tools: HeardTool[], thinking: boolean): string {
  if (value === undefined) return ''
  const choice = object(value, 'tool_choice', ['type', 'name', 'disable_parallel_tool_use'])
  if (tools.length === 0) refuse('tool_choice', 'only with tools')
  const type = oneOf(choice['type'], 'tool_choice.type', ['auto', 'any', 'tool', 'none'])
  if (thinking && (type === 'any' || type === 'tool')) refuse('tool_choice', 'not with thinking')
  return type === 'tool'
    ? filled(choice['name'], 'tool_choice.name')
    : type === 'any'
      ? 'required'
      : type
}

function readFormat(value: unknown): Wire | undefined {
  if (value === undefined) return undefined
  const config = object(value, 'output_config', ['effort', 'format'])
  if (config['format'] === undefined) return undefined
  const format = object(config['format'], 'output_config.format', ['type', 'schema'])
  oneOf(format['type'], 'output_config.format.type', ['json_schema'])
  return schema(format['schema'], 'output_config.format.schema')
}
