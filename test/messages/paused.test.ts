import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'

const SEARCH = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [
      { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'e' },
    ],
  },
]
const TEXT = { type: 'text', text: 'So far so good.' }

const paused = (content: object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'pause_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** The same as a stream. */
function streamed(content: JsonObject[]): string {
  const { content: _, stop_reason, usage, ...message } = paused(content)
  const events = [
    { type: 'message_start', message: { ...message, content: [], usage } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

const askedBy = (from: Dialect, stream: boolean) => {
  const both = translator({ from, to: 'messages', stream })
  const { http, ask } = kits[from]
  both.request(http.body('m', stream, { ...ask.needed, ...ask.text('x') }))
  return both
}

async function heard(from: Dialect, content: JsonObject[]): Promise<string> {
  const body = new Response(streamed(content)).body
  return new Response(body?.pipeThrough(askedBy(from, true).stream())).text()
}

const NOTHING = /nothing that this API has words for: search/

describe('a turn of messages that pauses', () => {
  it('is cut off for a caller of chat completions, and not over', async () => {
    const { body } = askedBy('chat-completions', false).reply(paused([...SEARCH, TEXT]))
    expect(body).toMatchObject({ choices: [{ finish_reason: 'length' }] })
    expect(await heard('chat-completions', [...SEARCH, TEXT])).toContain('"finish_reason":"length"')
  })

  it.each(['chat-completions', 'generate-content'] as const)(
    'is no success for a caller of %s, to whom nothing of it can be told',
    async (from) => {
      expect(() => askedBy(from, false).reply(paused(SEARCH))).toThrow(NOTHING)
      const text = await heard(from, SEARCH)
      expect(text).toMatch(NOTHING)
      expect(text).not.toMatch(/finish_reason":"|finishReason/)
    },
  )

  it('is told with its search to a caller of responses, and not as complete', async () => {
    const { body } = askedBy('responses', false).reply(paused(SEARCH))
    expect(body).toMatchObject({ status: 'incomplete', output: [{ type: 'web_search_call' }] })
    expect(await heard('responses', SEARCH)).toContain('event: response.incomplete')
  })
})
