import { describe, expect, it } from 'vitest'
import { stringify } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { lossesOf, sent } from './translate.ts'

const url = 'https://tools.example/mcp'
const server = { type: 'url', name: 'wiki', url, authorization_token: 'secret-1' }
const said = { messages: [{ role: 'user', content: 'q' }] }
const use = {
  type: 'mcp_tool_use',
  id: 'mcptoolu_1',
  name: 'ask',
  server_name: 'wiki',
  input: { id: 1 },
}
const result = {
  type: 'mcp_tool_result',
  tool_use_id: 'mcptoolu_1',
  is_error: false,
  content: [{ type: 'text', text: 'found' }],
}
const call = {
  type: 'mcp_call',
  id: 'mcp_1',
  server_label: 'wiki',
  name: 'ask',
  arguments: '{"id":1}',
  output: 'found',
  error: null,
}

const toResponses = (body: object) => sent(['messages', 'responses'], { ...said, ...body })
const toMessages = (body: object) => sent(['responses', 'messages'], { input: 'q', ...body })

describe('tools of servers, messages to responses', () => {
  const mcp = {
    type: 'mcp',
    server_label: 'wiki',
    server_url: url,
    authorization: 'secret-1',
    require_approval: 'never',
  }

  it('are carried with what may be called', () => {
    const toolset = {
      type: 'mcp_toolset',
      mcp_server_name: 'wiki',
      default_config: { enabled: false },
      configs: { ask: { enabled: true }, write: { enabled: false } },
    }
    const request = toResponses({ mcp_servers: [server], tools: [toolset] })
    expect(request.body['tools']).toEqual([{ ...mcp, allowed_tools: ['ask'] }])
    expect(lossesOf(request)).toEqual([])
  })

  it('are carried from a server that lists its tools itself, as older clients send it', () => {
    const tool_configuration = { enabled: true, allowed_tools: ['ask'] }
    const request = toResponses({ mcp_servers: [{ ...server, tool_configuration }] })
    expect(request.body['tools']).toEqual([{ ...mcp, allowed_tools: ['ask'] }])
    expect(toResponses({ mcp_servers: [server] }).body['tools']).toEqual([mcp])
  })

  it('are left out, and reported, where one of the servers is of a kind that is not known', () => {
    const request = toResponses({
      mcp_servers: [server, { ...server, name: 'own', type: 'stdio' }],
    })
    expect(request.body).not.toHaveProperty('tools')
    expect(lossesOf(request)).toEqual(['dropped mcp_servers'])
  })

  it('report what cannot be said of them', () => {
    const configs = { write: { enabled: false } }
    const toolset = { type: 'mcp_toolset', mcp_server_name: 'wiki', configs }
    const request = toResponses({ mcp_servers: [server], tools: [toolset] })
    expect(lossesOf(request)).toEqual(['dropped tools.wiki.denied'])
  })

  it('keep calls and results of the history, also where others stand between', () => {
    const other = { ...use, id: 'mcptoolu_2' }
    const content = [use, other, result, { ...result, tool_use_id: 'mcptoolu_2', is_error: true }]
    const request = toResponses({ messages: [...said.messages, { role: 'assistant', content }] })
    expect(request.body['input']).toMatchObject([
      { role: 'user' },
      { ...call, id: 'mcp_mcptoolu_1' },
      { ...call, id: 'mcp_mcptoolu_2', output: null, error: { content: [{ text: 'found' }] } },
    ])
  })
})

describe('tools of servers, responses to messages', () => {
  const tool = {
    type: 'mcp',
    server_label: 'wiki',
    server_url: url,
    authorization: 'secret-1',
    require_approval: 'never',
    allowed_tools: { tool_names: ['ask'] },
  }
  const DEFAULTED = 'defaulted limits.maxOutputTokens'

  it('are carried with what may be called', () => {
    const request = toMessages({ tools: [tool] })
    expect(request.body).toMatchObject({
      mcp_servers: [server],
      tools: [
        {
          type: 'mcp_toolset',
          mcp_server_name: 'wiki',
          default_config: { enabled: false },
          configs: { ask: { enabled: true } },
        },
      ],
    })
    expect(request.headers['anthropic-beta']).toBe('mcp-client-2025-11-20')
    expect(lossesOf(request)).toEqual([DEFAULTED])
  })

  it('report that nobody asks before a call, and servers that only one service knows', () => {
    const { require_approval: _, ...asking } = { ...tool, headers: { a: 'b' } }
    expect(lossesOf(toMessages({ tools: [asking] })).toSorted()).toEqual([
      DEFAULTED,
      'dropped tools.wiki.headers',
      'dropped tools.wiki.require_approval',
    ])
    const { server_url: __, ...known } = { ...tool, connector_id: 'connector_x' }
    expect(lossesOf(toMessages({ tools: [known] }))).toContain('dropped tools.wiki')
  })

  it.each([
    ['always', true],
    [{ always: { tool_names: ['ask'] } }, true],
    [{ always: null, never: { tool_names: ['ask'] } }, false],
    [null, false],
  ])('are refused where each call is to be approved: %j', (require_approval, isRefused) => {
    const ask = () => toMessages({ tools: [{ ...tool, require_approval }] })
    if (!isRefused) expect(ask).not.toThrow()
    else expect(ask).toThrow(/^tools\[0\] \(wiki\): this upstream calls its tools and asks for no/)
  })

  it('keep calls and results of the history', () => {
    const failed = { ...call, id: 'mcp_2', output: null, error: { message: 'gone' } }
    const input = [{ role: 'user', content: 'q' }, call, failed, { role: 'user', content: 'r' }]
    const { messages } = JSON.parse(toMessages({ input }).text)
    expect(messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { ...use, id: 'mcptoolu_mcp_1' },
          { ...result, tool_use_id: 'mcptoolu_mcp_1' },
          { ...use, id: 'mcptoolu_mcp_2' },
          { ...result, is_error: true, content: [{ type: 'text', text: 'gone' }] },
        ].map((block) => ('tool_use_id' in block ? { type: block.type } : block)),
      },
      { role: 'user' },
    ])
  })
})

it('ids of a service come back to it as they were', () => {
  const foreign = { ...use, id: 'mcptoolu_mcp_1' }
  const content = [foreign, { ...result, tool_use_id: foreign.id }]
  const messages = [...said.messages, { role: 'assistant', content }]
  expect(sent(['messages', 'responses'], { messages }).body['input']).toMatchObject([
    { role: 'user' },
    { id: 'mcp_1' },
  ])
  const input = [
    { role: 'user', content: 'q' },
    { ...call, id: 'mcp_mcptoolu_1' },
  ]
  expect(sent(['responses', 'messages'], { input }).text).toContain('"id":"mcptoolu_1"')
})

describe('replies that called tools of servers', () => {
  const usage = { input_tokens: 1, output_tokens: 1 }

  it('tell it to a messages caller', () => {
    const { request, reply } = translator({ from: 'messages', to: 'responses' })
    request({ model: 'm', max_tokens: 9, ...said })
    const { body, losses } = reply({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [{ ...call, approval_request_id: null, status: 'completed' }],
      usage,
    })
    expect(JSON.parse(stringify(body['content'] ?? null))).toEqual([
      { ...use, id: 'mcptoolu_mcp_1' },
      { ...result, tool_use_id: 'mcptoolu_mcp_1' },
    ])
    expect(body['stop_reason']).toBe('end_turn')
    expect(losses).toEqual([])
  })

  it('tell it to a responses caller, whole and in a stream', async () => {
    const { request, reply, stream } = translator({ from: 'responses', to: 'messages' })
    request({ model: 'm', input: 'q' })
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage }
    const expected = { ...call, id: 'mcp_mcptoolu_1', status: 'completed' }
    const whole = reply({ ...message, content: [use, result], stop_reason: 'end_turn' })
    expect(whole.body['output']).toEqual([expected])
    expect(whole.losses).toEqual([])
    const events = [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: { ...use, input: {} } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"id":1}' },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: result },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    const bytes = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    const source = new Blob(bytes).stream().pipeThrough(stream())
    const text = await new Response(source).text()
    const done = text.split('\n').filter((line) => line.startsWith('data: '))
    const said = done.map((line) => JSON.parse(line.slice(6)))
    expect(said.at(-1).response.output).toEqual([expected])
    expect(said.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['response.mcp_call.in_progress', 'response.mcp_call.completed']),
    )
  })
})

it('a generate-content upstream has no such tools, and that is told', () => {
  for (const [from, body] of [
    ['messages', { ...said, mcp_servers: [server] }],
    [
      'responses',
      {
        input: ['q'].map((content) => ({ role: 'user', content })),
        tools: [{ type: 'mcp', server_label: 'wiki', server_url: url }],
      },
    ],
  ] as const) {
    const request = sent([from, 'generate-content'], body)
    expect(lossesOf(request)).toContain('dropped tools.wiki')
    expect(request.text).not.toContain('secret-1')
  }
})
