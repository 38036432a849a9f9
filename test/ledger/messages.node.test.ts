import { describe, expect, test } from 'vitest'
import { messages } from '../../adapters/messages/index.ts'
import type { Request } from '../../src/model/request.ts'
import {
  MESSAGES_BLOCKS,
  MESSAGES_DELTAS,
  MESSAGES_EVENTS,
  MESSAGES_MEMBERS,
  MESSAGES_STOP_REASONS,
} from './messages.ts'
import { replyContext, requestContext, withFate } from './probe.ts'

const ASK = { model: 'm', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] }

const read = (body: object): Request =>
  messages.caller.readRequest({ ...ASK, ...body }, requestContext({ operation: 'create' }))

const readBlocks = (block: { type: string }) => {
  const role = block.type === 'tool_result' ? 'user' : 'assistant'
  return read({ messages: [{ role, content: [block] }] }).turns[0]?.blocks ?? []
}

/** The least that each block needs in order to be understood. */
const BLOCKS: Record<string, object> = {
  text: { text: 'a' },
  image: { source: { type: 'url', url: 'https://a.example/b.png' } },
  document: { source: { type: 'url', url: 'https://a.example/b.pdf' } },
  search_result: { source: 's', title: 't', content: [{ type: 'text', text: 'c' }] },
  thinking: { thinking: 't', signature: 's' },
  redacted_thinking: { data: 'd' },
  tool_use: { id: 'i', name: 'n', input: {} },
  tool_result: { tool_use_id: 'i', content: 'c' },
  server_tool_use: { id: 'i', name: 'web_search', input: { query: 'q' } },
  web_search_tool_result: {
    tool_use_id: 'i',
    content: [{ type: 'web_search_result', url: 'https://a.example', title: 't' }],
  },
}
const RESULT = {
  type: 'code_execution_result',
  stdout: 'x',
  stderr: '',
  return_code: 0,
  content: [],
}

function lossesOfDelta(type: string): string[] {
  const lost: string[] = []
  const lose = (_: string, path: string) => void lost.push(path)
  const data = { type: 'content_block_delta', index: 0, delta: { type } }
  messages.upstream.reader({ ...replyContext(), lose }).push({ data })
  return lost
}

describe('the ledger of messages holds', () => {
  test.each(withFate(MESSAGES_BLOCKS, 'read'))('the block %s is read', (type) => {
    const shape = BLOCKS[type] ?? { tool_use_id: 'i', content: RESULT }
    const kinds = readBlocks({ type, ...shape }).map(({ kind }) => kind)
    expect(kinds).not.toEqual([])
    expect(kinds).not.toContain('opaque')
  })
  test.each(withFate(MESSAGES_BLOCKS, 'opaque'))('the block %s is kept whole', (type) => {
    const block = { type, tool_use_id: 'i', content: { type: `${type}_error`, error_code: 'x' } }
    expect(readBlocks(block)).toMatchObject([{ kind: 'opaque', value: { type } }])
  })
  test.each(withFate(MESSAGES_MEMBERS, 'ext'))('the member %s is a leftover', (member) => {
    const value = member === 'cache_control' ? { type: 'ephemeral' } : 'odd'
    expect(read({ [member]: value }).ext?.['messages']).toMatchObject({ [member]: value })
  })
  test.each(withFate(MESSAGES_STOP_REASONS, 'read'))('the reason %s has a word', (stop_reason) => {
    const events = messages.upstream.reader(replyContext()).body({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    const finish = events.at(-1)
    expect(finish?.type === 'finish' && finish.reason).not.toBe('other')
  })
  test.each(Object.keys(MESSAGES_EVENTS))('the event %s may be empty', (type) => {
    const reader = messages.upstream.reader(replyContext())
    expect(() => reader.push({ name: type, data: { type } })).not.toThrow()
  })
  test.each(Object.keys(MESSAGES_DELTAS))('the delta %s is read without a loss', (type) => {
    expect(lossesOfDelta(type)).toEqual([])
  })
  test('a delta that is not in the ledger is reported', () => {
    expect(lossesOfDelta('odd_delta')).toEqual(['reply.odd_delta'])
  })
})
