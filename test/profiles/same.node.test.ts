import { describe, expect, test } from 'vitest'
import { createApp, memoryStore, type Config, type Send } from '../../src/index.ts'
import { wholeBytes } from '../../src/json/bytes.ts'
import { objectIn, objectsOf, type JsonObject } from '../../src/json/json.ts'
import { STORE_BOUNDS } from '../../src/config/defaults.ts'
import { type Profile, siteOf } from './stand-in.ts'
import { responsesReply } from '../dialects/responses/reply.ts'

interface Site {
  /** The texts that the server was sent, with their paths. */
  sent: { path: string; text: string }[]
  ask(path: string, body?: string, method?: string): Promise<Response>
}

type Dialect = NonNullable<Config['upstreams']>[string]['dialect']

function site(dialect: Dialect, profile: Profile, replies: string[]): Site {
  const sent: Site['sent'] = []
  const send: Send = async ({ url, body }) => {
    const text = new TextDecoder().decode(
      body === undefined || body instanceof ReadableStream ? undefined : wholeBytes(body),
    )
    sent.push({ path: new URL(url).pathname, text })
    const reply = replies[sent.length - 1] ?? '{}'
    return {
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: new Response(reply).body,
    }
  }
  const config: Config = {
    upstreams: { server: { dialect, url: 'http://server.invalid', profile } },
    callers: 'open',
  }
  const store = memoryStore(STORE_BOUNDS)
  const app = createApp(config, { send, store })
  return {
    sent,
    ask: async (path, body, method = 'POST') =>
      app.fetch(
        new Request(`http://proxy.invalid${path}`, {
          method,
          headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
          ...(body !== undefined && { body }),
        }),
      ),
  }
}

const response = (id: string, text: string): string =>
  JSON.stringify({ ...responsesReply(text), id })

describe('where both sides speak one dialect', () => {
  test('the body is edited, and not a byte changed besides', async () => {
    const before = `{ "model":"m",  "seed" : 1e0, "odd": {"b":1.50,"a":"\\u0041"},
      "messages":[ {"role":"developer", "content":"Be kind."}, {"role":"user","content":"Hi.", "x": 10000000000000000000001} ], "max_tokens":9 }`
    const { sent, ask } = site('chat-completions', { developerRole: false }, ['{"choices":[]}'])
    await ask('/v1/chat/completions', before)
    expect(sent[0]?.text).toBe(
      before.replace('"developer"', '"system"').replace('{ "model"', '{ "model"'),
    )
  })

  test('what is as the server takes it passes as it came', async () => {
    const before = '{"model": "m", "messages":[{"role":"user","content":"Hi."}]  }'
    for (const profile of ['vllm', 'mistral', 'deepseek', 'groq']) {
      const { sent, ask } = site('chat-completions', profile, ['{"choices":[]}'])
      await ask('/v1/chat/completions', before)
      expect(sent[0]?.text).toBe(before)
    }
  })

  test('a profile without facts changes nothing', async () => {
    const before =
      '{"model": "m", "input": "Hi.", "store" : true, "tools":[{"type":"custom","name":"x"}]  }'
    const { sent, ask } = site('responses', 'openai', [response('resp_1', 'Hi.')])
    await ask('/v1/responses', before)
    expect(sent[0]?.text).toBe(before)
  })
})

test.each(['lmstudio', 'vllm', 'ollama', 'llama.cpp', 'xai'])(
  'what Codex declares late stands at the top for %s, as functions',
  async (profile) => {
    const inner = [
      { type: 'function', name: 'wait', parameters: { type: 'object' } },
      { type: 'custom', name: 'exec' },
    ]
    const late = {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'functions', tools: inner }],
    }
    const input = [late, { role: 'user', content: 'Hi.' }]
    const { sent, ask } = site('responses', profile, [response('resp_1', 'Hi.')])
    await ask('/v1/responses', JSON.stringify({ model: 'm', store: false, input }))
    const told: JsonObject = JSON.parse(sent[0]?.text ?? '')
    expect(told['input']).toEqual(input.slice(1))
    expect(
      objectsOf(told['tools']).map(({ type, name }) => `${String(type)} ${String(name)}`),
    ).toEqual(['function functions__wait', 'function functions__exec'])
  },
)

describe('a server without a memory', () => {
  test('is told the whole conversation, and what it said is kept here', async () => {
    const { sent, ask } = site('responses', 'vllm', [
      response('resp_1', 'One.'),
      response('resp_2', 'Two.'),
    ])
    const first = objectIn(
      JSON.parse(await (await ask('/v1/responses', '{"model":"m","input":"Hi."}')).text()),
    )
    const id = String(first['id'])
    expect(JSON.parse(sent[0]?.text ?? '')).toMatchObject({ store: false })
    const body = JSON.stringify({ model: 'm', input: 'And?', previous_response_id: id })
    const second = await ask('/v1/responses', body)
    expect(second.status).toBe(200)
    const told: JsonObject = JSON.parse(sent[1]?.text ?? '')
    expect(told).not.toHaveProperty('previous_response_id')
    expect(told).toMatchObject({ store: false })
    expect(objectsOf(told['input']).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const kept = await ask(`/v1/responses/${id}`, undefined, 'GET')
    expect(kept.status).toBe(200)
    expect(await kept.json()).toMatchObject({ id, status: 'completed' })
    expect(sent).toHaveLength(2)
  })

  test('is never asked to go on where nothing is kept here either', async () => {
    const config: Config = {
      upstreams: {
        server: { dialect: 'responses', url: 'http://server.invalid', profile: 'llama.cpp' },
      },
      callers: 'open',
      state: { store: 'off' },
    }
    let asked = 0
    const send: Send = async () => {
      asked += 1
      throw new Error('unasked')
    }
    const answer = await createApp(config, { send }).fetch(
      new Request('http://proxy.invalid/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"model":"m","input":"And?","previous_response_id":"resp_1"}',
      }),
    )
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('previous_response_id')
    expect(asked).toBe(0)
  })
})

test.each(['ollama', 'lmstudio', 'kimi'])(
  'what %s cannot count is estimated here',
  async (profile) => {
    const { sent, ask } = site('messages', profile, [])
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi there.' }] })
    const answer = await ask('/v1/messages/count_tokens', body)
    expect(answer.headers.get('x-dragoman-losses')).toBe('1; approximated usage.input')
    expect(Number(objectIn(JSON.parse(await answer.text()))['input_tokens'])).toBeGreaterThan(0)
    expect(sent).toEqual([])
  },
)

test('what was refused and is not cured says nothing of profiles', async () => {
  const refusals = [
    { at: 'tools.*.type', not: ['function'], status: 400, says: { error: { message: 'No.' } } },
  ]
  const { fetch } = siteOf({ profile: 'none', dialect: 'responses', refusals })
  const answer = await fetch('http://proxy.invalid/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"model":"m","input":"Hi.","store":false,"tools":[{"type":"custom","name":"x"}]}',
  })
  expect(await answer.text()).toBe('{"error":{"message":"No."}}')
})
