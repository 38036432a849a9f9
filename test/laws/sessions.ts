import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { words } from '../cache/session.ts'

/**
 * Sessions in the words of one dialect alone, as its busiest clients send them: instructions and tools that come
 * late, effort and choices that change, results out of order, pictures, what is shown for one turn only. Each step
 * adds to the conversation; `options` change from request to request.
 */
export interface WildSession {
  history: string
  steps: readonly (readonly JsonObject[])[]
  base: JsonObject
  options: readonly JsonObject[]
}

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const NAMES = ['read', 'write', 'list']
const say = (name: string) => words(name, 12)

const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
const uses = (turn: number) =>
  [1, 2].map((n) => ({
    type: 'tool_use',
    id: `toolu_${turn}_${n}`,
    name: 'read',
    input: { path: `${n}` },
  }))
const result = (turn: number, n: number, content: JsonObject['content']): JsonObject => ({
  type: 'tool_result',
  tool_use_id: `toolu_${turn}_${n}`,
  content: content ?? '',
})
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content })
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content })
const text = (name: string): JsonObject => ({ type: 'text', text: say(name) })
const system = (content: JsonObject['content'], more: JsonObject = {}): JsonObject => ({
  role: 'system',
  content: content ?? '',
  ...more,
})
const named = (name: string): JsonObject => ({ type: 'tool_reference', name })

const messages: WildSession = {
  history: 'messages',
  base: {
    max_tokens: 9000,
    system: [text('system')],
    tools: NAMES.map((name) => ({ name, description: say(name), input_schema: schema })),
  },
  steps: [
    [user(text('task'))],
    [
      assistant(
        { type: 'thinking', thinking: say('thought'), signature: 'c2ln' },
        text('said'),
        ...uses(1),
      ),
      user(result(1, 2, [{ type: 'image', source }]), result(1, 1, say('one')), text('and')),
    ],
    [system(say('note'), { clear_at: 'next_user_message' })],
    [assistant(text('answer')), user(text('asked'))],
    [system([{ type: 'tool_removal', tool: named('list') }])],
    [assistant(...uses(2)), user(result(2, 1, 'no'), result(2, 2, [text('two')]))],
    [system([], { output_config: { effort: 'low' } })],
    [
      assistant(
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        text('found'),
      ),
      user({ type: 'image', source }, text('look')),
    ],
    [system([{ type: 'tool_addition', tool: named('list') }, text('back')])],
    [assistant(text('done')), user(text('again'), text('and again'))],
  ],
  options: [
    {},
    { tool_choice: { type: 'none' } },
    { tool_choice: { type: 'any' } },
    { tool_choice: { type: 'tool', name: 'read' }, stream: true },
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    { max_tokens: 5000, metadata: { user_id: 'u' } },
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
  ],
}

const part = (type: string, name: string): JsonObject => ({ type, text: say(name) })
const item = (role: string, ...content: JsonObject[]): JsonObject => ({
  type: 'message',
  role,
  content,
})
const call = (id: string): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{"path":"1"}',
})
const output = (id: string, value: JsonObject['output']): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output: value ?? '',
})
const image = { type: 'input_image', image_url: `data:image/png;base64,${PICTURE}` }

const responses: WildSession = {
  history: 'input',
  base: {
    instructions: say('system'),
    store: false,
    tools: NAMES.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
  },
  steps: [
    [item('developer', part('input_text', 'rules')), item('user', part('input_text', 'task'))],
    [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2ln' },
      call('call_1'),
      call('call_2'),
      output('call_2', [image]),
      output('call_1', say('one')),
    ],
    [item('developer', part('input_text', 'note'))],
    [
      item('assistant', part('output_text', 'answer')),
      item('user', part('input_text', 'asked'), image),
    ],
    [
      {
        type: 'web_search_call',
        id: 'ws_1',
        status: 'completed',
        action: { type: 'search', query: 'q' },
      },
      item('assistant', part('output_text', 'found')),
      item('user', part('input_text', 'more')),
    ],
    [{ type: 'configuration_update', reasoning: { effort: 'low' } }],
    [call('call_3'), output('call_3', say('three')), item('user', part('input_text', 'and'))],
    [item('assistant', part('output_text', 'done')), item('user', part('input_text', 'again'))],
  ],
  options: [
    {},
    { tool_choice: 'none' },
    { tool_choice: 'required', stream: true },
    { tool_choice: { type: 'function', name: 'read' } },
    { reasoning: { effort: 'high' } },
    {
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'write' }],
      },
    },
    { max_output_tokens: 3000, metadata: { a: 'b' } },
  ],
}

const inlineData = { mimeType: 'image/png', data: PICTURE }
const model = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts })
const asked = (...parts: JsonObject[]): JsonObject => ({ role: 'user', parts })
const answer = (name: string, id: string): JsonObject => ({
  functionResponse: { id, name, response: { output: say(id) } },
})

const generateContent: WildSession = {
  history: 'contents',
  base: {
    systemInstruction: { parts: [{ text: say('system') }] },
    tools: [
      { functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: schema })) },
    ],
  },
  steps: [
    [asked({ text: say('task') })],
    [
      model(
        { text: say('thought'), thought: true },
        { functionCall: { id: 'a', name: 'read', args: { path: '1' } }, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'b', name: 'list', args: { path: '2' } } },
      ),
      asked(answer('list', 'b'), answer('read', 'a')),
    ],
    [model({ text: say('answer') }), asked({ inlineData }, { text: say('look') })],
    [asked({ text: say('and') })],
    [model({ functionCall: { name: 'write', args: { path: '3' } } }), asked(answer('write', 'c'))],
    [model({ text: say('done') }), asked({ text: say('again') })],
  ],
  options: [
    {},
    { toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
    { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } } },
    { generationConfig: { temperature: 0.5, maxOutputTokens: 3000 } },
    { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } },
  ],
}

const calls = (...ids: string[]): JsonObject => ({
  role: 'assistant',
  content: null,
  reasoning_content: say('thought'),
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'read', arguments: '{"path":"1"}' },
  })),
})
const tool = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: say(id) })

const chatCompletions: WildSession = {
  history: 'messages',
  base: {
    tools: NAMES.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
  },
  steps: [
    [
      { role: 'system', content: say('system') },
      { role: 'user', content: say('task') },
    ],
    [calls('a', 'b'), tool('b'), tool('a')],
    [{ role: 'developer', content: say('note') }],
    [
      { role: 'assistant', content: say('answer') },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
          { type: 'text', text: say('look') },
        ],
      },
    ],
    [calls('c'), tool('c'), { role: 'user', content: say('and') }],
    [
      { role: 'assistant', content: say('done') },
      { role: 'system', content: say('late') },
      { role: 'user', content: say('again') },
    ],
  ],
  options: [
    {},
    { tool_choice: 'none' },
    { tool_choice: 'required', stream: true },
    { tool_choice: { type: 'function', function: { name: 'read' } } },
    { reasoning_effort: 'low', max_completion_tokens: 3000 },
  ],
}

const SESSIONS: Record<Dialect, WildSession> = {
  messages,
  responses,
  'generate-content': generateContent,
  'chat-completions': chatCompletions,
}

/** The bodies of the session, one after the other, without a model. Each is sent twice, as after a lost answer. */
export function wildBodies(dialect: Dialect): JsonObject[] {
  const { history, steps, base, options } = SESSIONS[dialect]
  return steps.flatMap((_, turn) => {
    const said = steps.slice(0, turn + 1).flat()
    const body = { ...base, [history]: said }
    return [turn, turn + 1].map((at) => ({ ...body, ...options[at % options.length] }))
  })
}
