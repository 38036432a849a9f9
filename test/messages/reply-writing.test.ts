import { describe, expect, it } from 'vitest'
import { eventFrame } from '../../src/stream/event-text.ts'
import { messages } from '../../adapters/messages/index.ts'
import { unfold, unfoldBlock, type Event } from '../../src/model/events.ts'
import { isObject } from '../../src/json/json.ts'
import type { Block, FinishReason, Reply, Usage } from '../../src/model/request.ts'
import { messages as grammar } from '../grammar/messages.ts'
import { call, fixture, hearBody, hearFrames, reply, request, say, text, user } from './help.ts'

const whole = (members: Partial<Reply> = {}): Reply => ({
  id: 'r1',
  model: 'upstream-model',
  blocks: [],
  finish: 'stop',
  ...members,
})

const saying = (...blocks: Block[]) => say(unfold(whole({ blocks })))
const types = (events: Record<string, unknown>[]) => events.map((event) => event['type'])
const writeContent = (blocks: Block[]) => saying(...blocks).body['content']

const begun = (usage: Usage) =>
  say([{ type: 'start', id: 'r1', model: 'm', usage }], request({ turns: [user('abcd')] }))
    .events[0]

const reason = (finish: FinishReason, ...blocks: Block[]) =>
  say(unfold(whole({ blocks, finish }))).body['stop_reason']

describe('a reply to a messages caller', () => {
  it('is a message whose events strict clients accept', () => {
    const { frames, events, body } = saying(text('Hi'))
    expect(grammar.check(frames)).toBeUndefined()
    expect(events).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'r1',
          type: 'message',
          role: 'assistant',
          model: 'mouse-1',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 2,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 0,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
      { type: 'message_stop' },
    ])
    expect(body).toEqual({
      id: 'r1',
      type: 'message',
      role: 'assistant',
      model: 'mouse-1',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      },
    })
  })

  it.each(['full.json', 'plain.json', 'cut-short.json'])('says a message as it was: %s', (name) => {
    const original = JSON.parse(fixture(`reply/${name}`))
    const { body, losses } = say(
      unfold({ ...whole(), ...hearBody(fixture(`reply/${name}`)).reply }),
      request({ model: original.model }),
    )
    expect(losses).toEqual([])
    // A reply is never written in the dialect that it came in, so nothing is done with what is left of it.
    delete original.usage.service_tier
    expect(body).toMatchObject(original)
  })

  it('names every frame by its type', () => {
    for (const { event, data } of saying(text('Hi'), call('t1')).frames)
      expect(JSON.parse(data).type).toBe(event)
  })

  it('may be empty', () => {
    const { frames, body } = saying()
    expect(grammar.check(frames)).toBeUndefined()
    expect(body['content']).toEqual([])
  })

  it('opens no block for nothing', () => {
    const nothing: Block[] = [text(''), { kind: 'reasoning', text: '' }]
    const { events, body } = saying(...nothing, text('a'))
    expect(types(events).filter((type) => type === 'content_block_start')).toHaveLength(1)
    expect(body['content']).toEqual([{ type: 'text', text: 'a' }])
  })

  it('gives the input of a call in pieces, never in the start event', () => {
    const { events } = saying(call('t1', '{"a":1}', 'f'))
    expect(events[1]).toMatchObject({
      content_block: { type: 'tool_use', id: 't1', name: 'f', input: {} },
    })
    expect(events[2]).toMatchObject({ delta: { partial_json: '{"a":1}' } })
  })

  it('gives every call an id of its own that fits', () => {
    const content = writeContent([call('a.b'), call('a_b'), call('')])
    const ids = Array.isArray(content) ? content.map((block) => isObject(block) && block['id']) : []
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
  })

  it('keeps the name of a tool as its caller spelled it', () => {
    expect(writeContent([call('t1', '{}', 'with.dots')])).toMatchObject([{ name: 'with.dots' }])
  })

  it.each<[FinishReason, string]>([
    ['stop', 'end_turn'],
    ['stop-sequence', 'stop_sequence'],
    ['length', 'max_tokens'],
    ['context-window', 'model_context_window_exceeded'],
    ['pause', 'pause_turn'],
    ['refusal', 'refusal'],
    ['safety', 'refusal'],
    ['recitation', 'refusal'],
    ['malformed-call', 'refusal'],
    ['other', 'refusal'],
  ])('ends for the reason %s with %s', (finish, reason) => {
    const { body, frames } = say(unfold(whole({ blocks: [text('a')], finish })))
    expect(body['stop_reason']).toBe(reason)
    expect(grammar.check(frames)).toBeUndefined()
  })

  it('announces calls, and only those that can be carried out', () => {
    expect(reason('tool-call', call('t1'))).toBe('tool_use')
    expect(reason('stop', call('t1'))).toBe('tool_use')
    expect(reason('length', call('t1', '{"a":'))).toBe('max_tokens')
    expect(reason('tool-call', call('t1', '{"a":'))).toBe('max_tokens')
    expect(reason('tool-call', text('a'))).toBe('end_turn')
  })

  it('names the stop sequence that matched, where it is known or there is only one', () => {
    const events = unfold(whole({ finish: 'stop-sequence', stopSequence: 'END' }))
    expect(say(events).body['stop_sequence']).toBe('END')
    const silent = unfold(whole({ finish: 'stop-sequence' }))
    expect(say(silent).body['stop_sequence']).toBeNull()
    expect(say(silent, request({ limits: { stop: ['X'] } })).body['stop_sequence']).toBe('X')
  })

  it('counts without what came from a cache, and estimates until it knows', () => {
    const usage = { input: 100, cacheRead: 60, cacheWrite: 30, output: 7, reasoning: 2 }
    const { events, body } = say(
      unfold(whole({ usage })),
      request({ turns: [user('x'.repeat(4000))] }),
    )
    expect(events[0]).toMatchObject({
      message: { usage: { input_tokens: 1000, output_tokens: 0 } },
    })
    const exact = {
      input_tokens: 10,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 30,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 2 },
    }
    expect(events.at(-2)).toMatchObject({ usage: exact })
    expect(body['usage']).toEqual(exact)
  })

  // AnthropicLlm of google-adk 2.13.0 and AnthropicChatCompletionClient of autogen-ext 0.7.5 read no later count of a prompt.
  it('begins with the count of the prompt where the upstream has said it', () => {
    expect(begun({ input: 100, cacheRead: 64, output: 9, reasoning: 9 })).toMatchObject({
      message: {
        usage: {
          input_tokens: 36,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 64,
          output_tokens: 0,
        },
      },
    })
    expect(begun({ input: 0 })).toMatchObject({ message: { usage: { input_tokens: 1 } } })
  })

  it('says a failure in its own words, and nothing after it', () => {
    const problem = { kind: 'overloaded', message: 'busy' } as const
    const failure: Event = { type: 'error', problem }
    const begun = reply(...unfoldBlock(text('a')).slice(0, 2), failure)
    const { events, frames } = say(begun)
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'busy' },
    })
    expect(grammar.check(frames)).toBeUndefined()
    expect(types(say([failure]).events)).toEqual(['error'])
  })

  it('says code, its result and searches as hosted tools', () => {
    const { body, frames, losses } = saying(
      { kind: 'code', id: '', language: 'python', code: 'print(1)' },
      { kind: 'code-result', callId: '', outcome: 'ok', output: '1\n' },
      { kind: 'search', id: 'ws_1', queries: ['a'], sources: [{ url: 'https://a.example' }] },
    )
    expect(losses).toEqual([])
    expect(grammar.check(frames)).toBeUndefined()
    expect(body['content']).toMatchObject([
      { type: 'server_tool_use', name: 'code_execution', input: { code: 'print(1)' } },
      { type: 'code_execution_tool_result', content: { stdout: '1\n', return_code: 0 } },
      { type: 'server_tool_use', name: 'web_search', input: { query: 'a' } },
      { type: 'web_search_tool_result', content: [{ url: 'https://a.example' }] },
    ])
  })

  it('makes up no half of a search that its service has told by halves', () => {
    const use = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'a' } }
    const found = { type: 'web_search_tool_result', tool_use_id: 's0', content: [] }
    const caller = { type: 'direct' }
    for (const half of [use, found]) {
      const told = { ...JSON.parse(fixture('reply/plain.json')), content: [half] }
      const { reply: heard } = hearBody(JSON.stringify(told))
      expect(saying(...heard.blocks).body['content']).toEqual([{ ...half, caller }])
    }
  })

  it('cites the web, and reports what it cannot cite', () => {
    const citations = [
      { url: 'https://a.example', title: 'A', quote: 'q' },
      { fileId: 'file_1', quote: 'q' },
    ]
    const { body, frames, losses } = saying({ kind: 'text', text: 'a', citations })
    expect(grammar.check(frames)).toBeUndefined()
    expect(losses).toEqual(['dropped reply.citations'])
    expect(body['content']).toMatchObject([
      {
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://a.example',
            title: 'A',
            cited_text: 'q',
            encrypted_index: '',
          },
        ],
      },
    ])
  })

  it('reports blocks that the dialect does not know', () => {
    const { losses } = saying(
      { kind: 'media', mediaType: 'image/png', source: { data: 'AA' } },
      { kind: 'opaque', dialect: 'other', value: { type: 'x' } },
      { kind: 'refusal', text: 'no' },
    )
    expect(losses).toEqual(['dropped reply.media', 'dropped reply.x', 'approximated reply.refusal'])
  })

  it('gives unsigned thoughts a signature all the same, which clients insist on', () => {
    const { events, body } = saying({ kind: 'reasoning', text: 'hm' }, text('a'))
    const signature = expect.stringMatching(/^xseal1\.messages\.self\.0\./)
    expect(events).toContainEqual(
      expect.objectContaining({ index: 0, delta: { type: 'signature_delta', signature } }),
    )
    expect(body['content']).toMatchObject([{ type: 'thinking', thinking: 'hm', signature }, {}])
  })

  it('says own signatures in one piece', () => {
    const proof = { dialect: 'messages', value: 'sig' }
    const { events, body } = saying(
      { kind: 'reasoning', text: 'hm', proof },
      { kind: 'reasoning', text: '', redacted: true, proof },
    )
    const deltas = events.filter((event) => JSON.stringify(event).includes('signature_delta'))
    expect(deltas).toHaveLength(1)
    expect(body['content']).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'sig' },
    ])
  })
})

describe('a heartbeat', () => {
  it('is a ping that clients of the dialect skip', () => {
    const { heartbeat } = messages.caller
    expect(heartbeat).toEqual({ name: 'ping', data: { type: 'ping' } })
    const { frames } = saying(text('a'))
    const [start, ...rest] = frames
    if (!start || heartbeat === undefined || heartbeat === 'comment') throw new Error('no ping')
    const ping = eventFrame(heartbeat)
    expect(grammar.check([start, ping, ...rest])).toBeUndefined()
    expect(hearFrames([start, ping, ...rest]).problem).toBeUndefined()
  })
})
