import { describe, expect, it } from 'vitest'
import type { Frame } from '../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../src/json/json.ts'
import { grammarOf } from './grammar/index.ts'

/** A correct stream of each dialect, written by hand; every mutilation of it must be noticed. */
const STREAMS: Record<string, JsonObject[]> = {
  messages: [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 3,
          output_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't_1', name: 'f', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop' },
  ],
  'generate-content': [
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, index: 0 }],
      modelVersion: 'm',
      responseId: 'r',
    },
    {
      candidates: [
        {
          content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
          index: 0,
          finishReason: 'STOP',
        },
      ],
      modelVersion: 'm',
      responseId: 'r',
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
    },
  ],
  responses: responsesStream(),
}

function responsesStream(): JsonObject[] {
  const snapshot = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'in_progress',
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    user: null,
    metadata: {},
  }
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 3,
  }
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const item = { id: 'msg_1', type: 'message', role: 'assistant' }
  const done = { ...item, status: 'completed', content: [{ ...part, text: 'hi' }] }
  const events: JsonObject[] = [
    { type: 'response.created', response: snapshot },
    { type: 'response.in_progress', response: snapshot },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part },
    { type: 'response.output_text.delta', ...at, delta: 'hi', logprobs: [] },
    { type: 'response.output_text.done', ...at, text: 'hi', logprobs: [] },
    { type: 'response.content_part.done', ...at, part: { ...part, text: 'hi' } },
    { type: 'response.output_item.done', output_index: 0, item: done },
    {
      type: 'response.completed',
      response: { ...snapshot, status: 'completed', output: [done], usage },
    },
  ]
  return events.map((event, index) => ({ ...event, sequence_number: index }))
}

const framesOf = (dialect: string, events: Json[]): Frame[] =>
  events.map((event) => ({
    ...(dialect !== 'generate-content' && isObject(event) && { event: String(event['type']) }),
    data: JSON.stringify(event),
  }))

describe.each(Object.entries(STREAMS))('the grammar of %s', (dialect, events) => {
  const grammar = grammarOf(dialect)
  const frames = framesOf(dialect, events)

  it('accepts a correct stream', () => expect(grammar.check(frames)).toBeUndefined())

  it.each(frames.map((_, index) => index))('notices that frame %i is missing', (index) => {
    // Optional by the rules: a second snapshot of the beginning, and text before a call.
    if (events[index]?.['type'] === 'response.in_progress') return
    if (dialect === 'generate-content' && index === 0) return
    if (JSON.stringify(events[index]).includes('input_json_delta')) return
    expect(grammar.check(frames.toSpliced(index, 1))).toBeDefined()
  })

  it.each(frames.map((_, index) => index))('notices that frame %i comes twice', (index) => {
    if (dialect === 'generate-content' && index === 0) return
    const frame = frames[index]
    expect(grammar.check(frame ? frames.toSpliced(index, 0, frame) : [])).toBeDefined()
  })

  it('notices a frame after the end and an empty stream', () => {
    expect(grammar.check([...frames, ...frames.slice(-1)])).toBeDefined()
    expect(grammar.check([])).toBeDefined()
  })

  it('notices wrong event lines', () => {
    const wrong = frames.map((frame) => ({ event: 'other', data: frame.data }))
    expect(grammar.check(wrong)).toBeDefined()
  })
})
