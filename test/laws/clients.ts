import type { Frame, RequestHead, Lookup } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

/** What a client of a dialect does, as far as the laws need it: written without the adapters. */
export interface Client {
  incoming(model: string, stream: boolean): RequestHead
  headers: Lookup
  request(model: string, text: string): JsonObject
  /** The next request: the reply's content goes back exactly as it came, calls get results. */
  followUp(request: JsonObject, reply: JsonObject): JsonObject
  /** What a streaming client takes for the reply, where that differs from the reply as a whole. */
  gather?(frames: readonly Frame[]): JsonObject
  /** The part of a request that grows from turn to turn. */
  history(request: JsonObject): Json[]
  /** The frame with which a stream is complete. */
  isTerminal(frame: Frame): boolean
}

const none: Lookup = { get: () => null }
const sse: Lookup = { get: (name) => (name === 'alt' ? 'sse' : null) }

const post = (path: string, query: Lookup = none): RequestHead => ({ method: 'POST', path, query })
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const objects = (value: Json | undefined): JsonObject[] => list(value).filter(isObject)
const typed = (items: JsonObject[], type: string): JsonObject[] =>
  items.filter((item) => item['type'] === type)

const messages: Client = {
  incoming: () => post('/v1/messages'),
  headers: { get: (name) => (name === 'anthropic-version' ? '2023-06-01' : null) },
  request: (model, text) => ({
    model,
    max_tokens: 9000,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  }),
  followUp(request, reply) {
    const results = typed(objects(reply['content']), 'tool_use').map((call) => ({
      type: 'tool_result',
      tool_use_id: call['id'] ?? '',
      content: [{ type: 'text', text: 'done' }],
    }))
    const next = results.length > 0 ? results : [{ type: 'text', text: 'go on' }]
    return {
      ...request,
      messages: [
        ...list(request['messages']),
        { role: 'assistant', content: reply['content'] ?? [] },
        { role: 'user', content: next },
      ],
    }
  },
  history: (request) => list(request['messages']),
  isTerminal: (frame) => /"type":\s*"message_stop"/.test(frame.data),
}

const generateContent: Client = {
  incoming: (model, stream) =>
    stream
      ? post(`/v1beta/models/${model}:streamGenerateContent`, sse)
      : post(`/v1beta/models/${model}:generateContent`),
  headers: none,
  request: (_, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  followUp(request, reply) {
    const contents = objects(reply['candidates']).map((candidate) => candidate['content'] ?? {})
    const parts = contents.flatMap((content) =>
      isObject(content) ? objects(content['parts']) : [],
    )
    const results = parts.flatMap((part) => {
      const call = part['functionCall']
      if (!isObject(call)) return []
      const { id, name } = call
      const response = { output: 'done' }
      return [{ functionResponse: { ...(id && { id }), name: name ?? '', response } }]
    })
    const next = results.length > 0 ? results : [{ text: 'go on' }]
    return {
      ...request,
      contents: [...list(request['contents']), ...contents, { role: 'user', parts: next }],
    }
  },
  gather(frames) {
    const chunks = frames.map(({ data }): Json => JSON.parse(data)).filter(isObject)
    // The official chat keeps the content of every chunk as a content of its own.
    return { candidates: chunks.flatMap((chunk) => list(chunk['candidates'])) }
  },
  history: (request) => list(request['contents']),
  isTerminal: (frame) => /"finish_?[rR]eason"|"block_?[rR]eason"/.test(frame.data),
}

const RESULTS: Record<string, string> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
}

const responses: Client = {
  incoming: () => post('/v1/responses'),
  headers: none,
  request: (model, text) => ({
    model,
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
  }),
  followUp(request, reply) {
    const output = objects(reply['output'])
    const results = output.flatMap((item) => {
      const type = RESULTS[String(item['type'])]
      return type === undefined ? [] : [{ type, call_id: item['call_id'] ?? '', output: 'done' }]
    })
    const user = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'go on' }],
    }
    const input = request['input']
    const before =
      typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : list(input)
    return { ...request, input: [...before, ...output, ...(results.length > 0 ? results : [user])] }
  },
  history: (request) => list(request['input']),
  isTerminal: (frame) => /"type":\s*"response\.(?:completed|incomplete|failed)"/.test(frame.data),
}

const CLIENTS = new Map<string, Client>([
  ['messages', messages],
  ['generate-content', generateContent],
  ['responses', responses],
])

/** A dialect without a client is an error of the test suite. */
export function clientOf(dialect: string): Client {
  const client = CLIENTS.get(dialect)
  if (!client) throw new Error(`no client for ${dialect}`)
  return client
}
