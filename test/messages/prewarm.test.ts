import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.ts'
import { messagesReply } from '../dialects/messages/reply.ts'
import { siteOf } from '../cache/exchange.ts'

const ASKED = {
  input: 'hello',
  instructions: 'Be brief.',
  reasoning: { effort: 'high' },
  text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } } },
  tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
  tool_choice: 'required',
  prompt_cache_options: { prewarm: true },
}

const WARMED = {
  ...messagesReply(''),
  content: [],
  stop_reason: 'max_tokens',
  usage: { input_tokens: 5, cache_creation_input_tokens: 2000, output_tokens: 0 },
}

async function warmed(stream: boolean) {
  const site = siteOf({ caller: 'responses', upstream: 'messages', reply: () => WARMED })
  const response = await site.ask('m', { ...ASKED, stream })
  const losses = response.headers.get('x-dragoman-losses') ?? ''
  return { status: response.status, losses, told: await response.text(), sent: site.sent[0] ?? {} }
}

describe('a prompt that is only to be cached', () => {
  it.each([false, true])('asks messages for no token: stream %s', async (stream) => {
    const { losses, sent } = await warmed(stream)
    expect(sent['max_tokens']).toBe(0)
    // Each of these beside it would be refused.
    for (const refused of ['stream', 'thinking', 'output_config', 'tool_choice'])
      expect(sent).not.toHaveProperty(refused)
    for (const lost of ['reasoning', 'format', 'toolChoice'])
      expect(losses).toContain(`dropped ${lost}`)
    expect(JSON.stringify(sent['system'])).toContain('cache_control')
  })

  it('is a response that has ended well with nothing in it', async () => {
    const { status, told } = await warmed(false)
    expect([status, JSON.parse(told)]).toMatchObject([
      200,
      {
        status: 'completed',
        output: [],
        incomplete_details: null,
        usage: { input_tokens: 2005, input_tokens_details: { cache_write_tokens: 2000 } },
      },
    ])
  })

  it('is the same in a stream', async () => {
    const { status, told } = await warmed(true)
    const events = [...told.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']): JsonObject =>
      JSON.parse(data),
    )
    expect([status, events.map(({ type }) => type)]).toEqual([
      200,
      ['response.created', 'response.in_progress', 'response.completed'],
    ])
    expect(events.at(-1)).toMatchObject({ response: { status: 'completed', output: [] } })
  })

  it.each(['generate-content', 'chat-completions'] as const)(
    'is reported where %s answers it',
    async (upstream) => {
      const site = siteOf({ caller: 'responses', upstream })
      const response = await site.ask('m', ASKED)
      expect(response.headers.get('x-dragoman-losses')).toContain('caching.prewarm')
    },
  )
})
