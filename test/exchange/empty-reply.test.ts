import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/index.ts'
import type { Config } from '../../src/config/type.ts'
import { translator } from '../../src/translator.ts'

const REPLIES = {
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'container_upload', file_id: 'file_1' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  'generate-content': {
    candidates: [
      { content: { role: 'model', parts: [{ invention: { a: 1 } }] }, finishReason: 'STOP' },
    ],
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [
      { type: 'local_shell_call', id: 'l', call_id: 'c', status: 'completed', action: { a: 1 } },
    ],
  },
} as const
type Known = keyof typeof REPLIES

const REQUESTS: Record<Known, { path: string; body: object }> = {
  messages: {
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  },
  'generate-content': {
    path: '/v1beta/models/m:generateContent',
    body: { contents: [{ parts: [{ text: 'x' }] }] },
  },
  responses: { path: '/v1/responses', body: { model: 'm', input: 'x' } },
}

const KNOWN: Known[] = ['messages', 'generate-content', 'responses']
const pairs = KNOWN.flatMap((caller) =>
  KNOWN.filter((upstream) => upstream !== caller).map((upstream) => [caller, upstream] as const),
)

const NOTHING = /nothing that this API has words for/

const ask = (caller: Known, upstream: Known, stream: boolean): Promise<Response> => {
  const { path, body } = REQUESTS[caller]
  const config: Config = {
    upstreams: { one: { dialect: upstream, url: 'https://one.example', key: 'key-of-the-test' } },
    routes: [{ model: '*', upstream: 'one' }],
    callers: 'open',
  }
  const send = () =>
    Promise.resolve({
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: new Response(JSON.stringify(REPLIES[upstream])).body,
    })
  const streamed = path.replace(':generateContent', ':streamGenerateContent?alt=sse')
  return Promise.resolve(
    createApp(config, { send }).fetch(
      new Request(`http://localhost${stream ? streamed : path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(caller === 'generate-content' ? body : { ...body, stream }),
      }),
    ),
  )
}

describe.each(pairs)('a reply for %s that has nothing for it, from %s', (caller, upstream) => {
  it('is a failure and no empty success', async () => {
    const response = await ask(caller, upstream, false)
    expect(response.status).toBe(502)
    expect(await response.text()).toMatch(NOTHING)
  })
  it('fails as a stream too', async () => {
    const response = await ask(caller, upstream, true)
    const text = await response.text()
    expect(text).toMatch(NOTHING)
    expect(text).not.toMatch(/message_stop|"finishReason":"STOP"|response\.completed/)
  })
  it('is refused by the bare translator', () => {
    const both = translator({ from: caller, to: upstream })
    both.request(REQUESTS[caller].body)
    expect(() => both.reply(REPLIES[upstream])).toThrow(NOTHING)
  })
})

describe('a reply that says nothing at all', () => {
  it('stays the empty success that it is', () => {
    const both = translator({ from: 'messages', to: 'responses' })
    both.request(REQUESTS.messages.body)
    expect(both.reply({ ...REPLIES.responses, output: [] }).body).toMatchObject({ content: [] })
  })
})
