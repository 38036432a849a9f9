import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'
import { kits } from '../dialects/index.ts'
import { good, siteOf, twoKeys, voiceOf } from '../pools/site.ts'
import { jsonReply, proxyOf, sse, sseReply, type Chunk } from '../exchange/proxy.ts'

/** A provider behind an upstream of chat completions fails: the choice says so, and nothing else does. */

const WORDS = 'The provider went away'
const ERROR = { error: { code: 502, message: WORDS } }
const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }

/** The words with which a choice says that it broke, and how each is told where there is a status. */
const BROKEN: readonly (readonly [string, number])[] = [
  ['error', 502],
  ['ERROR', 502],
  ['network_error', 502],
  ['abort', 502],
  ['aborted', 502],
  ['error_limit', 502],
  ['insufficient_system_resource', 503],
  ['timeout', 504],
]

const chunk = (delta: object, finish_reason: string | null = null, more = {}) =>
  sse({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason, ...more }] })
const counted = sse({ id: 'c', choices: [], usage: USAGE })
const DONE = 'data: [DONE]\n\n'

const half = {
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city": "Par' },
    },
  ],
}
const whole = {
  ...half,
  tool_calls: half.tool_calls.map((call) => ({
    ...call,
    function: { name: 'get_weather', arguments: '{"city": "Paris"}' },
  })),
}

const reply = (message: object, finish_reason: string | null, more = {}) => ({
  id: 'c',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason, ...more }],
  usage: USAGE,
})

async function told(caller: Dialect, stream: boolean, said: object | readonly Chunk[]) {
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: 'chat-completions' },
  }
  const answer = () => (Array.isArray(said) ? sseReply(said) : jsonReply(said))
  const proxy = proxyOf(answer, change, { dialects })
  const { http, client } = kits[caller]
  const response = await proxy.fetch(http.path('m', stream), {
    body: http.body('m', stream, client.request('m', 'hi')),
    headers: { 'anthropic-version': '2023-06-01' },
  })
  return { status: response.status, text: await response.text(), log: proxy.log.at(-1) }
}

/** What says to clients of any dialect that a reply, or a call in it, has ended well. */
const WELL =
  /message_stop|content_block_stop|response\.completed|arguments\.done|\[DONE\]|"finishReason":"STOP"|"functionCall"|"finish_reason":"(?:stop|tool_calls)"/

describe.each(DIALECTS)('a choice that broke, for a caller of %s', (caller) => {
  it.each(BROKEN)('is a failure in the word %s', async (word, status) => {
    for (const opening of [chunk({ content: 'Hel' }), chunk(half)]) {
      const { text, log } = await told(caller, true, [opening, chunk({}, word), counted, DONE])
      expect(text).toContain(`broke its reply off: ${word.toLowerCase()}`)
      expect(text).not.toMatch(WELL)
      expect(log).toMatchObject({ outcome: 'upstream_error', error: /broke its reply off/ })
      // What it cost is told behind its end; what came of it may count as more.
      expect(log?.usage?.input).toBe(5)
      expect(log?.usage?.output).toBeGreaterThanOrEqual(2)
    }
    const bare = await told(caller, false, reply({ content: null }, word))
    // Messages have a status of their own for an overload.
    expect(bare.status).toBe(caller === 'messages' && status === 503 ? 529 : status)
    expect(bare.log).toMatchObject({ outcome: 'upstream_error', usage: { input: 5 } })
  })

  it('is a failure in its own error, whatever its end says', async () => {
    for (const finish of ['error', 'stop', null]) {
      const last = chunk({ content: '' }, finish, ERROR)
      for (const stream of [
        [chunk({ content: 'Hel' }), last, DONE],
        [chunk(half), last, counted, DONE],
      ]) {
        const { text, log } = await told(caller, true, stream)
        expect(text).toContain(WORDS)
        expect(text).not.toMatch(WELL)
        expect(log).toMatchObject({ outcome: 'upstream_error', error: WORDS })
      }
      const alone = await told(caller, true, [last, DONE])
      expect([alone.status, alone.text.includes(WORDS)]).toEqual([502, true])
      const { status, text, log } = await told(caller, false, reply({}, finish, ERROR))
      expect([status, text.includes(WORDS)]).toEqual([502, true])
      expect(log).toMatchObject({ outcome: 'upstream_error', error: WORDS })
    }
  })

  it('is told with the words of an error behind its end', async () => {
    const behind = sse({ error: { message: WORDS, code: 502 } })
    for (const finish of ['error', 'tool_calls', 'whatever']) {
      const { text, log } = await told(caller, true, [
        chunk(whole),
        chunk({}, finish),
        behind,
        DONE,
      ])
      expect(text).toContain(WORDS)
      expect(log).toMatchObject({ outcome: 'upstream_error', error: WORDS })
      const body = { ...reply({ ...whole, content: 'So' }, finish), error: { message: WORDS } }
      expect((await told(caller, false, body)).log).toMatchObject({ error: WORDS })
    }
  })

  it('does not become a whole one with half a call, where nothing says why it ended', async () => {
    const { text, log } = await told(caller, true, [chunk(half), DONE])
    expect(text).not.toMatch(WELL)
    expect(log?.outcome).toBe('upstream_error')
    expect((await told(caller, false, reply(half, null))).log?.outcome).toBe('upstream_error')
    // The mark of the end says that it is whole.
    expect((await told(caller, true, [chunk(whole), DONE])).log?.outcome).toBe('ok')
  })

  it('ends in a way of its own in a word that nobody knows', async () => {
    for (const said of [
      { stream: true, body: [chunk({ content: 'Hello' }), chunk({}, 'whatever'), DONE] },
      { stream: false, body: reply({ content: 'Hello' }, 'whatever') },
    ]) {
      const { log } = await told(caller, said.stream, said.body)
      expect(log).toMatchObject({ outcome: 'ok', finish: 'other' })
      if (caller === 'chat-completions') continue
      expect(log?.losses).toContainEqual({
        code: 'approximated',
        path: 'reply.finish',
        detail: 'whatever',
      })
    }
  })

  it('passes where something of it came, and counts as failed', async () => {
    const body = reply({ content: 'Hel' }, 'error', ERROR)
    const { status, text, log } = await told(caller, false, body)
    expect(log).toMatchObject({ outcome: 'upstream_error', error: WORDS })
    if (caller === 'chat-completions') expect([status, text]).toEqual([200, JSON.stringify(body)])
    else expect(status).toBe(502)
  })

  it('is not shown where another key answers', async () => {
    const failure = { error: { code: 429, message: 'Slow down' } }
    for (const stream of [true, false]) {
      const broken = () =>
        stream
          ? sseReply([chunk({ role: 'assistant', content: '' }, 'error', failure), DONE])
          : jsonReply(reply({ content: null }, 'error', failure))
      const site = siteOf(twoKeys('chat-completions', {}), {
        one: broken,
        two: good('chat-completions'),
      })
      const response = await site.ask({ voice: voiceOf(caller), stream })
      expect(response.headers.get('x-dragoman-attempts')).toBe('up#1=429, up#2=200')
    }
  })

  it('is not shown either where the word alone tells that there is no room', async () => {
    const stream = [chunk({ role: 'assistant' }, 'insufficient_system_resource'), counted, DONE]
    const site = siteOf(twoKeys('chat-completions', {}), {
      one: () => sseReply(stream),
      two: good('chat-completions'),
    })
    const response = await site.ask({ voice: voiceOf(caller), stream: true })
    expect(response.headers.get('x-dragoman-attempts')).toBe('up#1=503, up#2=200')
  })
})

describe('a good end', () => {
  it('is not undone by an error behind it', async () => {
    for (const finish of ['stop', 'length', 'content_filter']) {
      const behind = sse({ error: { message: WORDS }, choices: [] })
      const stream = [chunk({ content: 'Hello' }), chunk({}, finish), behind, DONE]
      expect((await told('messages', true, stream)).log?.outcome).toBe('ok')
    }
  })

  it('is not told of a cut call, whatever was said of the cut', async () => {
    for (const finish of ['content_filter', 'model_length', 'repetition']) {
      const { log } = await told('messages', true, [chunk(half), chunk({}, finish), DONE])
      expect(log?.finish).not.toBe('tool-call')
    }
  })
})
