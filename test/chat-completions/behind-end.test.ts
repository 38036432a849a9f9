import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { proxyOf, sse, sseReply } from '../exchange/proxy.ts'

/** Chunks of an upstream of `chat-completions` behind the one that says why the reply ends. */

const chunk = (delta: object, finish: string | null = null, beside: object = {}) =>
  sse({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'own',
    choices: [{ index: 0, delta, finish_reason: finish, ...beside }],
  })
const DONE = 'data: [DONE]\n\n'
const BEGUN = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'One' })]
const call = {
  tool_calls: [
    { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } },
  ],
}

async function answered(caller: Dialect, chunks: string[]) {
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: 'chat-completions' },
  }
  const proxy = proxyOf(() => sseReply(chunks), change, { dialects })
  const { http, client } = kits[caller]
  const response = await proxy.fetch(http.path('m', true), {
    body: http.body('m', true, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  return { text: await response.text(), log: JSON.stringify(proxy.log) }
}

const told = async (caller: Dialect, chunks: string[]) => (await answered(caller, chunks)).text

/** How a caller is told that the reply was cut off, and that a result is awaited. */
const CUT: Record<Dialect, RegExp> = {
  messages: /"stop_reason":"max_tokens"/,
  responses: /"reason":"max_output_tokens"/,
  'generate-content': /"finishReason":"MAX_TOKENS"/,
  'chat-completions': /"finish_reason":"length"/,
}

describe.each(DIALECTS)('a caller of %s, behind the end of a choice', (caller) => {
  it('is told the text that follows', async () => {
    const whole = await told(caller, [
      ...BEGUN,
      chunk({ content: 'Two' }),
      chunk({ content: 'Three' }),
      chunk({}, 'stop'),
      DONE,
    ])
    const early = [chunk({}, 'stop'), chunk({ content: 'Two' }), chunk({ content: 'Three' })]
    const late = await told(caller, [...BEGUN, ...early, DONE])
    for (const text of ['One', 'Two', 'Three']) expect(late.split(`"${text}"`)).toHaveLength(2)
    if (caller === 'chat-completions') return
    expect(late).toBe(whole)
    expect(await told(caller, [...BEGUN, ...early])).toBe(whole)
  })

  it('is told the call and the thought that follow', async () => {
    const behind = [chunk({ reasoning_content: 'Hm.' }), chunk(call)]
    const text = await told(caller, [...BEGUN, chunk({}, 'stop'), ...behind, DONE])
    expect(text).toContain('Hm.')
    expect(text).toMatch(/"name":"f"/)
  })

  it('is told the end that comes last, where more came before it', async () => {
    const behind = [chunk({}, 'stop'), chunk({ content: 'Two' }), chunk({}, 'length')]
    expect(await told(caller, [...BEGUN, ...behind, DONE])).toMatch(CUT[caller])
  })

  it('is told nothing by an end that is repeated beside the usage', async () => {
    const usage = { usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } }
    const end = [
      chunk({ content: '' }, 'stop'),
      chunk({ role: 'assistant', content: '' }, 'length'),
    ]
    const text = await told(caller, [...BEGUN, ...end, sse({ choices: [], ...usage }), DONE])
    if (caller !== 'chat-completions') expect(text).not.toMatch(CUT[caller])
  })

  it('is told, or reported, what a server says besides', async () => {
    const late = chunk({}, null, { content_filter_offsets: { check_offset: 3 } })
    const { text, log } = await answered(caller, [...BEGUN, chunk({}, 'stop'), late, DONE])
    expect(text + log).toContain('content_filter_offsets')
  })
})
