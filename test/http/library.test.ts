import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Config, createApp, translator, VERSION } from '../../src/index.ts'
import { sse } from '../exchange/proxy.ts'
import { messagesReply } from '../dialects/messages/reply.ts'

const demo: NonNullable<Config['upstreams']>[string] = {
  dialect: 'messages',
  url: 'https://upstream.example',
  key: 'upstream-key-0123456789',
}
const config: Config = {
  upstreams: { demo },
  routes: [{ model: '*', upstream: 'demo' }],
  callers: 'open',
}
const question = { model: 'any', input: 'hi' }
const answer = { ...messagesReply('Hello'), model: 'any-1' }

/** A request as another implementation has it: with the same members, and of another class. */
const foreign = (url: string, init: RequestInit): Request =>
  new Proxy(new Request(url, init), {
    getPrototypeOf: () => Object.prototype,
    get(request, name) {
      const member: unknown = Reflect.get(request, name, request)
      return typeof member === 'function' ? member.bind(request) : member
    },
  })

/** What the app says to a request of the upstream's own dialect, when that answers with these words. */
const passed = (path: string, status: number, words: string, body: object) => {
  const models = { '*': { drop: ['temperature'] } }
  const headers = new Headers({ 'content-type': 'application/json' })
  const app = createApp(
    { ...config, upstreams: { demo: { ...demo, models } } },
    { send: async () => ({ status, headers, body: new Response(words).body }) },
  )
  return app.fetch(`http://proxy.example${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hi' }], ...body }),
  })
}

describe('an app below a path', () => {
  const app = createApp(
    { upstreams: { demo: { dialect: 'responses', url: 'https://demo.invalid/responses' } } },
    { basePath: '/llm/v' },
  )
  const ask = (path: string) => app.fetch(`http://proxy.example${path}`)

  it('is found there, and nowhere else', async () => {
    expect((await ask('/llm/v/healthz')).status).toBe(200)
    expect((await ask('/healthz')).status).toBe(404)
    expect((await ask('/llm/vhealthz')).status).toBe(404)
  })

  it.each(['llm', '/llm/', '/', '', '/a//b', '/a?b'])('is not mounted at %j', (basePath) => {
    expect(() => createApp(config, { basePath })).toThrow('basePath: expected a path such as /llm')
  })
})

describe('the log of a program', () => {
  it('has what is known of an exchange, and no empty members', async () => {
    const log: object[] = []
    const app = createApp(config, { log: (entry) => void log.push(entry) })
    expect((await app.fetch('http://proxy.example/v1/nothing')).status).toBe(404)
    expect(log).toHaveLength(1)
    expect(log[0]).toMatchObject({ path: '/v1/nothing', status: 404 })
    expect(Object.values(log[0] ?? {})).not.toContain(undefined)
  })
})

describe('a log of a program that fails', () => {
  const failures: [string, () => void][] = [
    [
      'at once',
      () => {
        throw new Error('disk full')
      },
    ],
    ['later', () => Promise.reject(new Error('disk full'))],
  ]
  it.each(failures)('%s costs no reply, and is told', async (_, log) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    const headers = new Headers({ 'content-type': 'application/json' })
    const reply = JSON.stringify(answer)
    const send = async () => ({ status: 200, headers, body: new Response(reply).body })
    const response = await createApp(config, { send, log }).fetch(
      'http://proxy.example/v1/responses',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(question),
      },
    )
    expect(await response.json()).toMatchObject({ status: 'completed' })
    const failure = new Error('disk full')
    await vi.waitFor(() =>
      expect(told.mock.calls).toEqual([['dragoman: the log of this program failed', failure]]),
    )
    told.mockRestore()
  })
})

describe('what passes', () => {
  it('is no stream where tokens are counted, whatever is said of one', async () => {
    const words = '{"input_tokens":7}'
    const response = await passed('/v1/messages/count_tokens', 200, words, { stream: true })
    expect(await response.text()).toBe(words)
  })
  it('names what was lost of the request with a refusal too', async () => {
    const words = '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}'
    const body = { max_tokens: 9, temperature: 0.5 }
    const response = await passed('/v1/messages', 429, words, body)
    expect(await response.text()).toBe(words)
    expect(response.headers.get('x-dragoman-losses')).toBe('1; dropped sampling.temperature')
  })
})

describe('web pages', () => {
  const headers = { origin: 'https://chat.example', 'sec-fetch-site': 'cross-site' }
  const ask = (web?: object) => {
    const app = createApp({ ...config, ...web })
    return app.fetch('http://any.example/v1/models', { headers })
  }
  it('are no matter of a program that calls itself', async () => {
    const { status, headers: said } = await ask()
    expect([status, said.get('access-control-allow-origin')]).toEqual([200, null])
  })
  it('are held to the list, where it is given', async () => {
    expect((await ask({ web: { hosts: ['proxy.internal'] } })).status).toBe(403)
    const { status, headers: said } = await ask({ web: { origins: [headers.origin] } })
    expect([status, said.get('access-control-allow-origin')]).toEqual([200, headers.origin])
  })
})

describe('the app as a library', () => {
  it('takes the place of fetch', async () => {
    const sent: string[] = []
    const app = createApp(config, {
      send: async ({ url }) => {
        sent.push(url)
        const headers = new Headers({ 'content-type': 'application/json' })
        return { status: 200, headers, body: new Response(JSON.stringify(answer)).body }
      },
    })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    }
    const address = 'https://proxy.example/v1/responses'
    for (const input of [address, new URL(address), new Request(address, init)]) {
      const response = await app.fetch(input, input instanceof Request ? undefined : init)
      expect(await response.json()).toMatchObject({ object: 'response', status: 'completed' })
    }
    expect(sent).toEqual(Array.from({ length: 3 }, () => 'https://upstream.example/v1/messages'))
  })
  it('takes requests that are not of the class of this runtime, as whatwg-node and undici make them', async () => {
    const app = createApp({ ...config, callers: { keys: ['key-of-the-caller-0123'] } })
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer key-of-the-caller-0123',
    }
    const init = { method: 'POST', headers, body: JSON.stringify(question) }
    const explained = await app.fetch(foreign('http://proxy.example/explain/v1/responses', init))
    expect(await explained.json()).toMatchObject({ caller: 'responses' })
  })
  it('is the app that it was said to be: it can be asked by path, and mounted in another', async () => {
    const app = createApp(config)
    expect((await app.request('/healthz')).status).toBe(200)
    const outer = new Hono().mount('/llm', app.fetch)
    expect((await outer.request('/llm/healthz')).status).toBe(200)
  })
  it.each([
    ['at the top', new Hono().route('/', createApp(config)), ''],
    ['below a path', new Hono().route('/llm', createApp(config)), '/llm'],
    ['below two', new Hono().basePath('/a/b').route('/c', createApp(config)), '/a/b/c'],
    [
      'in an app in an app',
      new Hono().route('/x', new Hono().route('/y', createApp(config))),
      '/x/y',
    ],
    ['below a name', new Hono().route('/:team/llm', createApp(config)), '/blue/llm'],
  ])('answers %s of another app', async (_, outer, base) => {
    expect((await outer.request(`${base}/healthz`)).status).toBe(200)
    expect((await outer.request(`${base}/v1/models/x%2Fy`)).status).toBe(200)
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(question) }
    const explained = await outer.request(`${base}/explain/v1/responses?a=1`, init)
    expect(await explained.json()).toMatchObject({ caller: 'responses' })
    const unknown = await outer.request(`${base}/nothing`)
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).toContain('GET /nothing')
  })
  describe('behind something that has read the body', () => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(question) }
    const path = '/llm/explain/v1/responses'
    it.each(['json', 'text', 'arrayBuffer'] as const)(
      'by c.req.%s() takes what Hono keeps',
      async (how) => {
        const outer = new Hono()
        outer.use('*', async ({ req }, next) => {
          await req[how]()
          await next()
        })
        outer.route('/llm', createApp(config))
        const explained = await outer.request(path, init)
        expect(await explained.json()).toMatchObject({ caller: 'responses' })
      },
    )
    it('and has not kept it says so, and blames no caller', async () => {
      const outer = new Hono()
      outer.use('*', async ({ req }, next) => {
        await req.raw.text()
        await next()
      })
      outer.route('/llm', createApp(config))
      const spent = new Request('http://proxy.example/v1/responses', init)
      await spent.text()
      // The body parsers of Express leave a request that does not know yet that it is spent.
      const unaware = new Request('http://proxy.example/v1/responses', init)
      await unaware.text()
      Object.defineProperty(unaware, 'bodyUsed', { value: false })
      const { fetch } = createApp(config)
      const answers = [outer.request(path, init), fetch(spent), fetch(unaware)]
      for (const answer of await Promise.all(answers)) {
        expect(answer.status).toBe(500)
        const message = 'The body of the request was read before it came to the proxy.'
        expect(await answer.json()).toMatchObject({ error: { message } })
      }
    })
  })
  it('refuses a configuration that is none', () => {
    // @ts-expect-error: as a program without types has it.
    expect(() => createApp({ upstreams: 1 })).toThrow(/upstreams/)
  })
  it('has the version of the package', () => expect(VERSION).toBe(manifest.version))
})

describe('a translator', () => {
  it('translates a request and its reply', () => {
    const between = translator({ from: 'responses', to: 'messages', model: 'claude' })
    const request = between.request(question)
    expect(request.path).toBe('/v1/messages')
    expect(request.body).toMatchObject({ model: 'claude', messages: [{ role: 'user' }] })
    expect(JSON.parse(request.text)).toMatchObject({ model: 'claude' })
    expect(request.losses).toEqual([{ code: 'defaulted', path: 'limits.maxOutputTokens' }])
    const reply = between.reply(answer)
    expect(reply.body).toMatchObject({ object: 'response', model: 'any', status: 'completed' })
    expect(JSON.parse(reply.text)).toEqual(reply.body)
  })
  it('gives bodies that a program can read to the last member', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const tools = [{ type: 'function', name: 'f', parameters: schema, strict: false }]
    const between = translator({ from: 'responses', to: 'messages' })
    expect(between.request({ ...question, tools }).body['tools']).toEqual([
      { name: 'f', input_schema: schema },
    ])
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"city":"Köln"}' }
    const back = translator({ from: 'messages', to: 'responses' })
    expect(back.reply({ object: 'response', output: [call] }).body['content']).toEqual([
      { type: 'tool_use', id: 'c', name: 'f', input: { city: 'Köln' } },
    ])
  })
  it('knows what the server of a profile does not take', () => {
    const tools = [{ type: 'custom' as const, name: 'patch' }]
    const asked = { ...question, tools }
    const between = translator({ from: 'responses', to: 'chat-completions', profile: 'vllm' })
    expect(between.request(asked).text).not.toContain('"custom"')
    const facts = { extends: 'vllm', customTools: true }
    const other = translator({ from: 'responses', to: 'chat-completions', profile: facts })
    expect(other.request(asked).text).toContain('"custom"')
  })
  it('gives a server of the caller’s own dialect other names, and takes them back', async () => {
    const between = translator({ from: 'responses', to: 'responses', profile: 'vllm' })
    const tools = [{ type: 'custom' as const, name: 'patch' }]
    expect(between.request({ ...question, tools }).body).toMatchObject({
      tools: [{ type: 'function', name: 'patch' }],
    })
    const call = { type: 'function_call', call_id: 'c', name: 'patch', arguments: '{"input":"x"}' }
    const { body } = between.reply({ id: 'r', object: 'response', model: 'm', output: [call] })
    expect(body['output']).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: 'x' }])
    const plain = '{ "model":"m", "input":"x", "store":false }'
    expect(between.request(plain).text).toBe(plain)
    expect(between.reply('{ "a":1.0 }').text).toBe('{ "a":1.0 }')
  })
  it('refuses a profile that there is not, with the name that was meant', () => {
    expect(() => translator({ from: 'responses', to: 'messages', profile: 'lmstudo' })).toThrow(
      /There is no profile 'lmstudo' \(.*\); did you mean "lmstudio"\?/,
    )
  })
  it('keeps large numbers in the text', () => {
    const between = translator({ from: 'responses', to: 'messages' })
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"n":12345678901234567890}' },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ]
    expect(between.request({ model: 'm', input }).text).toContain('{"n":12345678901234567890}')
  })
  it('translates a stream in any chunking', async () => {
    const text = [
      sse({ type: 'message_start', message: { ...answer, content: [] } }),
      sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße' } }),
      sse({ type: 'content_block_stop', index: 0 }),
      sse({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 2 },
      }),
      sse({ type: 'message_stop' }),
    ].join('')
    const bytes = new TextEncoder().encode(text)
    const run = async (size: number) => {
      const between = translator({ from: 'generate-content', to: 'messages', model: 'm' })
      between.request({ contents: [{ parts: [{ text: 'hi' }] }] })
      const source = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size)
            controller.enqueue(bytes.slice(at, at + size))
          controller.close()
        },
      })
      return new Response(source.pipeThrough(between.stream())).text()
    }
    const whole = await run(bytes.length)
    expect(whole).toContain('Grüße')
    expect(whole).toContain('"finishReason":"STOP"')
    expect(await run(1)).toBe(whole)
  })
  it('says that a stream was cut', async () => {
    const between = translator({ from: 'messages', to: 'responses' })
    const out = new Response(new Response('').body?.pipeThrough(between.stream()) ?? null)
    expect(await out.text()).toMatch(/^event: error/)
  })
  it('leaves everything alone between two of a kind, but for the model', () => {
    const between = translator({ from: 'messages', to: 'messages', model: 'other' })
    const text =
      '{ "model":"mine", "max_tokens":5, "messages":[{"role":"user","content":"hi"}], "x":1.0 }'
    expect(between.request(text).text).toBe(text.replace('mine', 'other'))
    expect(between.request(text).losses).toEqual([])
    expect(between.reply('{ "a":1.0 }').text).toBe('{ "a":1.0 }')
  })
  it.each([
    [
      'an unknown dialect', // @ts-expect-error: as a program without types has it.
      () => translator({ from: 'messages', to: 'nothing' }),
    ],
    ['text that is no JSON', () => translator({ from: 'messages', to: 'responses' }).request('{')],
    [
      'a request without what it needs',
      () => translator({ from: 'messages', to: 'responses' }).request({}),
    ],
    ['a reply that is none', () => translator({ from: 'messages', to: 'responses' }).reply('[]')],
  ])('throws for %s', (_, attempt) => {
    expect(attempt).toThrow(expect.objectContaining({ name: 'ProblemError' }))
  })
})
