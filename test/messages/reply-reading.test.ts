import { describe, expect, it } from 'vitest'
import type { Request } from '../../src/model/request.ts'
import { fixture, frames, hearBody, hearFrames, hearStream, request } from './help.ts'

const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm', content: [], usage: { input_tokens: 3, output_tokens: 1 } },
}
const opened = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})
const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const closed = (index: number) => ({ type: 'content_block_stop', index })
const finish = (stop_reason = 'end_turn') => [
  {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 2 },
  },
  { type: 'message_stop' },
]
const stream = (...events: object[]) => frames(...(events as Record<string, unknown>[]))

describe('a reply of a messages upstream', () => {
  it('is the same as a stream and as a whole', () => {
    const streamed = hearStream(fixture('reply/full.sse'))
    expect(streamed).toEqual(hearBody(fixture('reply/full.json')))
    expect(streamed.reply).toMatchObject({
      id: 'msg_full',
      finish: 'tool-call',
      usage: { input: 10_007, cacheRead: 9000, cacheWrite: 1000, output: 42, reasoning: 12 },
      blocks: [
        {
          kind: 'reasoning',
          text: 'Search first.',
          proof: { dialect: 'messages', value: 'c2lnLTE=' },
        },
        {
          kind: 'search',
          queries: ['price of cheese'],
          sources: [{ url: 'https://cheese.example/price', title: 'Cheese today' }],
        },
        {
          kind: 'text',
          text: 'A cheese is 3.',
          citations: [{ url: 'https://cheese.example/price', quote: 'A cheese: 3' }],
        },
        { kind: 'tool-call', id: 'toolu_1', input: '{"shelf":2512292042121000001}' },
      ],
    })
  })

  it.each([
    { content: 'They said hi.', encrypted_content: 'c2ln' },
    { content: null, encrypted_content: null },
    { content: 'They said hi.' },
  ])('has a summary, or that there is none, as its stream says at the end: %j', (said) => {
    const none = { type: 'compaction', content: null, encrypted_content: null }
    const delta = piece(0, { type: 'compaction_delta', ...said })
    const { reply } = hearFrames(stream(start, opened(0, none), delta, closed(0), ...finish()))
    const block = { ...none, ...said }
    expect(reply.blocks).toMatchObject([{ kind: 'opaque', value: block }])
    const message = { id: 'm', content: [block], stop_reason: 'end_turn' }
    expect(hearBody(JSON.stringify(message)).reply.blocks).toEqual(reply.blocks)
  })

  it('is read in the shapes of the specification, which name no types inside of events', () => {
    const heard = hearFrames(
      stream(
        { type: 'message_start', message: { id: 'msg_1', model: 'm', role: 'assistant' } },
        opened(0, { type: 'thinking' }),
        piece(0, { thinking: 'Hm.' }),
        piece(0, { signature: 'c2ln' }),
        closed(0),
        opened(1, { type: 'text' }),
        piece(1, { text: 'Hel' }),
        piece(1, { text: 'lo' }),
        closed(1),
        opened(2, { type: 'tool_use', id: 'toolu_1', name: 'f' }),
        piece(2, { partial_json: '{"a":1}' }),
        closed(2),
        {
          type: 'message_delta',
          delta: { stop_reason: 'tool_use', usage: { input_tokens: 7, output_tokens: 4 } },
        },
        { type: 'message_stop' },
      ),
    )
    expect(heard.reply).toMatchObject({
      usage: { input: 7, output: 4 },
      finish: 'tool-call',
      blocks: [
        { kind: 'reasoning', text: 'Hm.', proof: { value: 'c2ln' } },
        { kind: 'text', text: 'Hello' },
        { kind: 'tool-call', input: '{"a":1}' },
      ],
    })
  })

  it('is read one byte at a time, with any line ends', () => {
    const text = fixture('reply/full.sse')
    const whole = hearStream(text)
    expect(hearStream(text.replaceAll('\n', '\r\n'))).toEqual(whole)
    expect(hearStream(text.trimEnd())).toEqual(whole)
  })

  it('knows the stop sequence that matched', () => {
    const { reply } = hearBody(fixture('reply/plain.json'))
    expect(reply).toMatchObject({ finish: 'stop-sequence', stopSequence: 'cheese' })
  })

  it.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['tool_use', 'tool-call'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context-window'],
    ['some_future_reason', 'other'],
  ])('ends for the reason %s: %s', (reason, expected) => {
    expect(hearFrames(stream(start, ...finish(reason))).reply.finish).toBe(expected)
  })

  it.each([
    [
      { category: 'bio', explanation: 'No.' },
      { category: 'bio', explanation: 'No.' },
    ],
    [{ category: null, explanation: null }, undefined],
    [{ category: 7, explanation: '' }, undefined],
  ])('tells why it is refused: %j', (details, refused) => {
    const stop_details = { type: 'refusal', ...details }
    const delta = { stop_reason: 'refusal', stop_details }
    const end = [{ type: 'message_delta', delta }, { type: 'message_stop' }]
    const message = { id: 'm', model: 'x', content: [], ...delta }
    expect(hearFrames(stream(start, ...end)).reply.refused).toEqual(refused)
    expect(hearBody(JSON.stringify(message)).reply.refused).toEqual(refused)
  })

  it('keeps what else is said of a refusal, and all that is said of another end', () => {
    const stop_details = { type: 'refusal', explanation: 'No.', recommended_model: 'y' }
    const said = (stop_reason: string) =>
      hearBody(JSON.stringify({ content: [], stop_reason, stop_details })).reply.ext?.['messages']
    expect(said('refusal')).toEqual({ stop_details: { recommended_model: 'y' } })
    expect(said('end_turn')).toEqual({ stop_details })
  })

  it('that was cut inside a call is cut, not a call', () => {
    expect(hearBody(fixture('reply/cut-short.json')).reply.finish).toBe('length')
  })

  it('fails when its stream ends before its last event', () => {
    const all = stream(start, opened(0, { type: 'text', text: '' }), closed(0), ...finish())
    for (let count = 0; count < all.length; count += 1) {
      const { problem } = hearFrames(all.slice(0, count))
      expect(problem).toMatchObject({ kind: 'bad-upstream', retry: false })
    }
    expect(hearFrames(all).problem).toBeUndefined()
  })

  it('fails with what the upstream says went wrong, wherever it says so', () => {
    expect(hearStream(fixture('reply/overloaded.sse'))).toMatchObject({
      problem: { kind: 'overloaded', message: 'Overloaded' },
      reply: { blocks: [{ kind: 'text', text: 'See' }] },
    })
    expect(hearBody(fixture('error/overloaded.json')).problem).toMatchObject({ kind: 'overloaded' })
    expect(hearFrames([{ data: '{"error":{"message":"no"}}' }]).problem?.message).toBe('no')
    expect(hearFrames([{ data: '[{"error":{"message":"no"}}]' }]).problem?.message).toBe('no')
    expect(hearBody('{"detail":"no"}').problem).toMatchObject({ kind: 'bad-upstream' })
    expect(hearFrames([{ data: '{"type":' }]).problem).toMatchObject({ kind: 'bad-upstream' })
  })

  it('may lack event lines, indexes and starts', () => {
    const { reply, problem } = hearFrames([
      ...stream(start, { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } }),
      ...stream(...finish()).map(({ data }) => ({ data })),
      { data: '[DONE]' },
    ])
    expect(problem).toBeUndefined()
    expect(reply.blocks).toEqual([{ kind: 'text', text: 'Hi' }])
  })

  it('ignores pings and events that nobody knows', () => {
    const future = { type: 'x_future', index: 0 }
    const { reply } = hearFrames(
      stream(
        start,
        { type: 'ping' },
        future,
        opened(0, { type: 'text', text: 'A' }),
        future,
        piece(0, { type: 'x_delta' }),
        piece(0, { type: 'text_delta', text: 'B' }),
        closed(0),
        ...finish(),
      ),
    )
    expect(reply.blocks).toEqual([{ kind: 'text', text: 'AB' }])
  })

  it('keeps a block that nobody knows whole', () => {
    const value = { type: 'x_block', deep: [1, { a: null }] }
    const { reply } = hearFrames(stream(start, opened(0, value), closed(0), ...finish()))
    expect(reply.blocks).toEqual([{ kind: 'opaque', dialect: 'messages', value }])
  })

  it.each([
    ['in pieces', {}, ['{"a"', ':1}']],
    ['at once', {}, ['{"a":1}']],
    ['in the start event alone', { a: 1 }, []],
    ['in the start event and again in pieces', { a: 1 }, ['{"a":', '1}']],
  ])('has the input of a call %s', (_, input, parts) => {
    const { reply } = hearFrames(
      stream(
        start,
        opened(0, { type: 'tool_use', id: 't1', name: 'f', input }),
        ...parts.map((partial_json) => piece(0, { type: 'input_json_delta', partial_json })),
        closed(0),
        ...finish('tool_use'),
      ),
    )
    expect(reply.blocks).toMatchObject([{ kind: 'tool-call', input: '{"a":1}' }])
  })

  it('gives a call without input the empty object', () => {
    const { reply } = hearFrames(
      stream(
        start,
        opened(0, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
        closed(0),
        ...finish('tool_use'),
      ),
    )
    expect(reply.blocks).toMatchObject([{ input: '{}' }])
  })

  it('puts blocks that are open at once in order', () => {
    const { reply } = hearFrames(
      stream(
        start,
        opened(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
        opened(1, { type: 'tool_use', id: 'b', name: 'f', input: {} }),
        piece(1, { type: 'input_json_delta', partial_json: '{"b":' }),
        piece(0, { type: 'input_json_delta', partial_json: '{"a":1}' }),
        piece(1, { type: 'input_json_delta', partial_json: '2}' }),
        closed(1),
        closed(0),
        ...finish('tool_use'),
      ),
    )
    expect(reply.blocks).toMatchObject([{ input: '{"a":1}' }, { input: '{"b":2}' }])
  })

  it('calls tools by the names that their caller gave them', () => {
    const tools: Request['tools'] = [
      { kind: 'text', name: 'patch' },
      { kind: 'function', name: 'list', namespace: 'files' },
    ]
    const input = JSON.stringify({ input: 'raw\n"text"' })
    const content = [
      `{"type":"tool_use","id":"a","name":"patch","input":${input}}`,
      '{"type":"tool_use","id":"b","name":"files__list","input":{}}',
    ]
    const body = `{"content":[${content.join(',')}],"stop_reason":"tool_use"}`
    expect(hearBody(body, request({ tools })).reply.blocks).toMatchObject([
      { name: 'patch', form: 'text', input: 'raw\n"text"' },
      { name: 'list', namespace: 'files', form: 'json', input: '{}' },
    ])
  })

  it('reads hosted tools that ran code, and their failures', () => {
    const failed = {
      type: 'code_execution_tool_result_error',
      error_code: 'execution_time_exceeded',
    }
    const content = [
      { type: 'server_tool_use', id: 's1', name: 'bash_code_execution', input: { command: 'ls' } },
      {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 's1',
        content: {
          type: 'bash_code_execution_result',
          stdout: 'a',
          stderr: 'b',
          return_code: 2,
          content: [],
        },
      },
      { type: 'server_tool_use', id: 's2', name: 'code_execution', input: { code: 'while 1: 0' } },
      { type: 'code_execution_tool_result', tool_use_id: 's2', content: failed },
    ]
    expect(hearBody(JSON.stringify({ content })).reply.blocks).toMatchObject([
      { kind: 'code', language: 'bash', code: 'ls' },
      { kind: 'code-result', callId: 's1', outcome: 'failed', output: 'a\nb' },
      { kind: 'code', language: 'python', code: 'while 1: 0' },
      { kind: 'code-result', callId: 's2', outcome: 'deadline' },
    ])
  })

  it('counts nothing that is no count', () => {
    const usage = { input_tokens: -1, output_tokens: 1.5, cache_read_input_tokens: null }
    expect(
      hearBody(JSON.stringify({ content: [], stop_reason: 'end_turn', usage })).reply.usage,
    ).toEqual({})
  })
})
