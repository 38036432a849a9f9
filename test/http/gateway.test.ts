import { describe, expect, it } from 'vitest'
import { createApp, type Config } from '../../src/index.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, type JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'

const KEY = 'upstream-key-0123456789'

interface Said {
  status?: number
  headers?: Record<string, string>
  body?: object
}

/** A gateway as Claude Code (2.1.330) sees it, in front of an upstream that says one thing. */
function gateway(
  dialect: Dialect,
  { status = 200, headers = {}, body }: Said = {},
  more: Partial<Config> = {},
) {
  const sent: { url: string; headers: Headers; body: JsonObject }[] = []
  const upstreams = { up: { dialect, url: 'https://upstream.example', key: KEY } }
  const app = createApp(
    {
      upstreams,
      routes: [{ model: '*', upstream: 'up', models: ['claude-opus-5-5', 'gpt-5.6-sol'] }],
      callers: 'open',
      state: { store: 'off' },
      ...more,
    },
    {
      send: async (request) => {
        const asked: JsonObject = JSON.parse(await new Response(request.body).text())
        sent.push({ url: request.url, headers: new Headers(request.headers), body: asked })
        const said = JSON.stringify(body ?? kits[dialect].say.hello.body)
        return {
          status,
          headers: new Headers({ 'content-type': 'application/json', ...headers }),
          body: new Response(said).body,
        }
      },
    },
  )
  const ask = async (more: object = {}, head: Record<string, string> = {}, path = '/v1/messages') =>
    app.fetch(`http://proxy.example${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...head },
      body: JSON.stringify({ ...ASKED, ...more }),
    })
  return { sent, ask, get: (path: string, head = {}) => app.request(path, { headers: head }) }
}

const ASKED = {
  model: 'claude-opus-5-5',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hi' }],
}
const PDF = { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' } }
const MIDWAY = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: 'yes' },
  { role: 'user', content: 'go on' },
  { role: 'system', content: 'Be brief.' },
]
const THOUGHT = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'abc' },
    { type: 'text', text: 'yes' },
  ],
}
const error = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
})

describe('between a client and a service of the messages dialect', () => {
  it('headers pass that are not known yet, and no credential does', async () => {
    const { sent, ask } = gateway('messages')
    await ask(
      {},
      {
        'anthropic-beta': 'a-new-thing-2027-01-01,another-2027-02-02',
        'anthropic-foo': '1',
        'anthropic-auth-token': 'caller-secret',
        'x-stainless-lang': 'js',
        'user-agent': 'claude-cli/2.1.330 (external, cli)',
        'x-api-key': 'caller-key-0123456789',
        cookie: 'a=b',
        'x-claude-code-session-id': 's-1',
      },
    )
    const headers = Object.fromEntries(sent[0]?.headers ?? [])
    expect(headers).toMatchObject({
      'anthropic-beta': 'a-new-thing-2027-01-01,another-2027-02-02',
      'anthropic-foo': '1',
      'anthropic-version': '2023-06-01',
      'x-stainless-lang': 'js',
      'user-agent': 'claude-cli/2.1.330 (external, cli)',
      'x-api-key': KEY,
    })
    for (const name of ['anthropic-auth-token', 'cookie', 'authorization', 'connection'])
      expect(headers).not.toHaveProperty(name)
  })
  it('headers of the reply pass that are not known yet, but not those of the connection', async () => {
    const { ask } = gateway('messages', {
      headers: {
        'anthropic-bar': '1',
        'anthropic-ratelimit-unified-status': 'allowed',
        'anthropic-thinking-prefix-mismatch': 'pattern=first_message_rewritten',
        'set-cookie': 'a=b',
        'keep-alive': 'timeout=5',
      },
    })
    const { headers } = await ask()
    expect(headers.get('anthropic-bar')).toBe('1')
    expect(headers.get('anthropic-ratelimit-unified-status')).toBe('allowed')
    expect(headers.get('anthropic-thinking-prefix-mismatch')).toBe(
      'pattern=first_message_rewritten',
    )
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('keep-alive')).toBeNull()
  })
  it('members, blocks and tools pass that are not known yet, with any query', async () => {
    const { sent, ask } = gateway('messages')
    const more = {
      brand_new: { a: [1, 2.5] },
      safeguards: [{ type: 'new' }],
      tags: { team: 'x' },
      thread: { type: 'create' },
      diagnostics: { previous_message_id: null },
      tools: [{ type: 'new_tool_20270101', name: 'n', x: 1 }],
      messages: [{ role: 'user', content: [{ type: 'new_block', y: { z: null } }] }],
    }
    const response = await ask(more, {}, '/v1/messages?beta=true')
    expect(response.status).toBe(200)
    expect(sent[0]?.body).toEqual({ ...ASKED, ...more })
  })
  it.each([
    [400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'],
    [413, 'request_too_large', 'Request exceeds the maximum size'],
    [
      400,
      'invalid_request_error',
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
    ],
    [529, 'overloaded_error', 'Overloaded'],
  ])(
    'the words of a %d pass as they are, and are asked for once',
    async (status, type, message) => {
      const { sent, ask } = gateway('messages', { status, body: error(type, message) })
      const response = await ask()
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual(error(type, message))
      expect(sent).toHaveLength(1)
    },
  )
  it('advice of the upstream on trying again passes', async () => {
    const { ask } = gateway('messages', {
      status: 429,
      headers: { 'retry-after': '7', 'x-should-retry': 'false' },
      body: error('rate_limit_error', 'slow'),
    })
    const { headers } = await ask()
    expect([headers.get('retry-after'), headers.get('x-should-retry')]).toEqual(['7', 'false'])
  })
})

describe('towards a service of another dialect', () => {
  it('a prompt that is too long is told in the words by which the client compacts', async () => {
    const { ask } = gateway('responses', {
      status: 400,
      body: {
        error: {
          message: 'Your input exceeds the context window.',
          code: 'context_length_exceeded',
        },
      },
    })
    const response = await ask()
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringMatching(/^prompt is too long/),
      },
    })
  })
  // The words at which Claude Code itself compacts, whichever server says them.
  it.each([
    'maximum context length',
    'context_length_exceeded',
    'exceeds the context window',
    'ContextWindowExceededError',
    'longer than the maximum model length',
    "longer than the model's context length",
    'exceeds the available context size',
    'exceeds the maximum number of tokens allowed',
    'exceeded model token limit',
    'input token length too long',
    'input tokens exceed the configured limit',
    'maximum context limit',
    'maximum prompt length',
    'prompt exceeds max length',
    'tokens in request more than max tokens allowed',
    'Range of input length should be',
    'context window exceeds limit',
    'but model only supports up to',
    'reduce the length of the messages',
    '`inputs` tokens + `max_new_tokens` must be',
    'context exceeds your deployment',
  ])('so it is in the words of any server: %s', async (words) => {
    for (const dialect of ['responses', 'chat-completions', 'generate-content'] as const) {
      const error = { message: `Sorry: ${words} 1000.`, type: 'invalid_request_error', code: 400 }
      const { ask } = gateway(dialect, { status: 400, body: { error } })
      const response = await ask()
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty(
        'error.message',
        expect.stringMatching(/^prompt is too long/),
      )
    }
  })
  it.each([
    'policy_blocked: maximum context length',
    'dlp_request_denied: maximum prompt length',
    'String too long. Expected a string with maximum length 64; maximum context length',
    "Invalid 'tools': expected maxLength 64, but model only supports up to",
  ])('a refusal for another reason is none for length: %s', async (message) => {
    const { ask } = gateway('responses', { status: 400, body: { error: { message } } })
    expect(await (await ask()).json()).toHaveProperty('error.message', message)
  })
  it('a proof that is refused is told in the words at which the client leaves its thoughts out', async () => {
    const message = 'The encrypted content gAAA... could not be verified.'
    const { ask } = gateway('responses', {
      status: 400,
      body: {
        error: { message, type: 'invalid_request_error', code: 'invalid_encrypted_content' },
      },
    })
    const response = await ask()
    expect(response.status).toBe(400)
    expect(await response.json()).toHaveProperty(
      'error.message',
      `Invalid \`signature\` in \`thinking\` block: ${message}`,
    )
  })
  it.each([
    [{ messages: MIDWAY }, 'generate-content', 'mid_conv_system'],
    [
      { system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }] },
      'generate-content',
      'cache_control_field',
    ],
    [{ messages: [...ASKED.messages, THOUGHT] }, 'responses', 'thinking_signature'],
    [
      { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 9000 },
      'responses',
      'thinking_type:enabled',
    ],
    [{ thinking: { type: 'adaptive' } }, 'responses', 'thinking_type:adaptive'],
    [{ messages: [{ role: 'user', content: [PDF] }] }, 'chat-completions', 'document_block'],
  ] as const)(
    'what is refused for a loss is named by the class that the client can leave out: %j',
    async (more, dialect, name) => {
      const { sent, ask } = gateway(dialect, {}, { losses: 'reject' })
      const response = await ask(more)
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty(
        'error.message',
        expect.stringMatching(`^capability_rejected: ${name} \\(The upstream`),
      )
      expect(sent).toEqual([])
    },
  )
  it('a key that nobody has is told at once, and not to be tried again', async () => {
    const { ask } = gateway('messages', {}, { callers: { keys: ['k'.repeat(20)] } })
    const response = await ask()
    expect(response.status).toBe(401)
    expect(await response.json()).toHaveProperty('error.type', 'authentication_error')
    expect(response.headers.get('x-should-retry')).toBe('false')
  })
  it('a safety check that only this dialect has is refused by its name', async () => {
    const { sent, ask } = gateway('responses')
    const response = await ask({ safeguards: [{ type: 'x' }] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('safeguards') },
    })
    expect(sent).toEqual([])
  })
  it('no header of the client’s own leaves', async () => {
    const { sent, ask } = gateway('responses')
    await ask(
      {},
      { 'anthropic-foo': '1', 'x-claude-code-session-id': 's-1', 'user-agent': 'claude-cli/2' },
    )
    const names = [...(sent[0]?.headers.keys() ?? [])]
    expect(names.filter((name) => /^(?:anthropic|x-claude)/.test(name))).toEqual([])
    expect(sent[0]?.headers.get('user-agent')).toMatch(/^dragoman/)
  })
})

describe('the list of models', () => {
  it('has the shape that Claude Code reads', async () => {
    const models = { 'claude-opus-5-5': { contextWindow: 200000 } }
    const up = { dialect: 'messages', url: 'https://upstream.example', key: KEY, models } as const
    const response = await gateway('messages', {}, { upstreams: { up } }).get(
      '/v1/models?limit=1000',
      { 'anthropic-version': '2023-06-01' },
    )
    const list: unknown = await response.json()
    expect(isObject(list) && list['data']).toEqual(
      expect.arrayContaining([
        {
          type: 'model',
          id: 'claude-opus-5-5',
          display_name: 'claude-opus-5-5',
          created_at: '1970-01-01T00:00:00Z',
          max_input_tokens: 200000,
          max_tokens: 128000,
          capabilities: expect.objectContaining({ image_input: { supported: true } }),
          lifecycle: 'active',
          line: null,
          deprecated_at: null,
          retires_at: null,
        },
      ]),
    )
  })
})
