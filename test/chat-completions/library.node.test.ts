import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { expect, it } from 'vitest'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import type { Event } from '../../src/model/events.ts'
import type { Block } from '../../src/model/request.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { writeReply } from '../laws/exchange.ts'

const block = (opened: Block, ...pieces: string[]): Event[] => [
  { type: 'block-start', block: opened },
  ...pieces.map((text) => ({ type: 'block-delta' as const, text })),
  { type: 'block-end', tail: {} },
]
const call = (id: string): Block => ({ kind: 'tool-call', id, name: 'f', form: 'json', input: '' })

it('58: the strict reader of the library (openai 7.57, `.stream()`) takes every chunk, and counts', async () => {
  const { frames } = writeReply(adapterOf('chat-completions'), emptyRequest('m', true), [
    { type: 'start', id: 'x-1', model: 'm' },
    ...block({ kind: 'reasoning', text: '' }, 'h', 'm'),
    ...block({ kind: 'text', text: '' }, 'Let me', ' see.'),
    ...block(call('call_a'), '{"x":', '1}'),
    ...block(call('call_b')),
    { type: 'usage', usage: { input: 5, output: 7, cacheRead: 2, reasoning: 3 } },
    { type: 'finish', reason: 'tool-call' },
  ])
  const lines = frames.map(({ data }) => data).filter((data) => data !== '[DONE]')
  const { body } = new Response(lines.map((line) => `${line}\n`).join(''))
  if (!body) throw new Error('nothing was written')
  const { choices, usage, id } =
    await ChatCompletionStream.fromReadableStream(body).finalChatCompletion()
  expect(id).toBe('chatcmpl-x-1')
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'call_b', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    },
  })
  expect(usage).toMatchObject({
    prompt_tokens: 5,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  })
})
