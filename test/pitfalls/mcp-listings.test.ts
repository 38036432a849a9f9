import { describe, expect, it } from 'vitest'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { responsesReply } from '../dialects/responses/reply.ts'
import { lossesOf, sent } from './translate.ts'

const tools = [{ name: 'ask', description: 'Asks.', input_schema: { type: 'object' } }]
const listing = { type: 'mcp_tool_listing', mcp_server_name: 'wiki', tools }
const item = { id: 'mcpl_1', type: 'mcp_list_tools', server_label: 'wiki', tools, error: null }
const {
  output: [spoken],
} = responsesReply('a')
const usage = { input_tokens: 1, output_tokens: 1 }
const KNOWING = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'mcp-client-2026-09-15' }

describe('what a server says of its tools, in a conversation', () => {
  const question = { role: 'user', content: 'q' }
  const messages = [
    question,
    { role: 'assistant', content: [listing, { type: 'text', text: 'a' }] },
    question,
  ]

  it('goes on to responses, by the same id in each turn', () => {
    const once = sent(['messages', 'responses'], { messages })
    const again = sent(['messages', 'responses'], { messages: [...messages, ...messages] })
    expect(lossesOf(once)).toEqual([])
    expect(once.body['input']).toMatchObject([
      { role: 'user' },
      { ...item, id: expect.stringMatching(/^mcpl_./) },
      { role: 'assistant' },
      { role: 'user' },
    ])
    expect(again.text).toContain(stringify(once.body['input'] ?? null).slice(1, -1))
  })

  it.each([
    ['messages', 'generate-content', { messages }],
    ['messages', 'chat-completions', { messages }],
    ['responses', 'generate-content', { input: [question, item, question] }],
    ['responses', 'chat-completions', { input: [question, item, question] }],
    // A service takes back what it has listed itself.
    ['responses', 'messages', { input: [question, item, question] }],
  ] as const)('is reported as lost: %s to %s', (from, to, body) => {
    const request = sent([from, to], body)
    expect(lossesOf(request).join()).toMatch(/dropped (?:turns|messages|input)\.1/)
    expect(request.text).not.toContain('wiki')
  })

  it.each([
    [
      'messages',
      'responses',
      { messages: [{ role: 'assistant', content: [{ ...listing, tools: ['x'] }] }] },
    ],
    [
      'responses',
      'messages',
      {
        input: [
          { ...item, tools: 'x' },
          { role: 'user', content: 'q' },
        ],
      },
    ],
  ] as const)('is reported where it is no list of tools: %s to %s', (from, to, body) => {
    expect(lossesOf(sent([from, to], body)).join()).toMatch(/dropped turns\.0/)
  })
})

const told = (said: object, headers?: Record<string, string>) => {
  const { request, reply } = translator({
    from: 'messages',
    to: 'responses',
    ...(headers && { headers }),
  })
  request({ model: 'm', max_tokens: 99, messages: [{ role: 'user', content: 'q' }] })
  const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', usage }
  const { body, losses } = reply({ ...response, output: [{ ...item, ...said }, spoken] })
  const content: unknown[] = JSON.parse(stringify(body['content'] ?? null))
  return { content: content.slice(0, -1), losses }
}

describe('what a server says of its tools, in a reply of responses', () => {
  const LOST = [{ code: 'dropped', path: 'reply.mcp-listing' }]

  it('is told to callers that know of it', () => {
    expect(told({}, KNOWING)).toEqual({ content: [listing], losses: [] })
  })

  it('leaves out what has no place there, and reports it', () => {
    const more = { ...tools[0], description: null, annotations: { readOnly: true } }
    const { content, losses } = told({ tools: [more] }, KNOWING)
    expect(content).toMatchObject([{ tools: [{ name: 'ask', input_schema: { type: 'object' } }] }])
    expect(JSON.stringify(content)).not.toMatch(/annotations|description/)
    expect(losses).toEqual([{ code: 'dropped', path: 'reply.mcp-listing.tools' }])
  })

  it('is reported as lost to others, and where the server could not be asked', () => {
    expect(told({}).losses).toEqual(LOST)
    expect(told({ tools: [], error: 'no answer' }, KNOWING).losses).toEqual(LOST)
  })
})

it('what a server says of its tools is told to callers of responses, whole and in a stream', async () => {
  const { request, reply, stream } = translator({ from: 'responses', to: 'messages' })
  request({ model: 'm', input: 'q' })
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage }
  const expected = { ...item, id: expect.stringMatching(/^mcpl_./) }
  const whole = reply({ ...message, content: [listing], stop_reason: 'end_turn' })
  expect(whole.body['output']).toEqual([expected])
  expect(whole.losses).toEqual([])
  const events = [
    { type: 'message_start', message: { ...message, content: [] } },
    { type: 'content_block_start', index: 0, content_block: listing },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  const bytes = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const text = await new Response(new Blob(bytes).stream().pipeThrough(stream())).text()
  const said = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line): JsonObject => JSON.parse(line.slice(6)))
  expect(said.at(-1)?.['response']).toMatchObject({ output: whole.body['output'] })
  expect(said.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
    ]),
  )
})
