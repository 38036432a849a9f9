import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { createApp } from '../../src/index.ts'
import type { Config } from '../../src/config/type.ts'
import { translator } from '../../src/named-translator.ts'
import { kits, PAIRS } from '../dialects/index.ts'

const bodyFor = (caller: Dialect, stream: boolean) => {
  const { http, ask } = kits[caller]
  return http.body('m', stream, { ...ask.needed, ...ask.text('x') })
}

const NOTHING = /nothing that this API has words for/

const ask = (caller: Dialect, upstream: Dialect, stream: boolean): Promise<Response> => {
  const config: Config = {
    upstreams: { one: { dialect: upstream, url: 'https://one.example', key: 'key-of-the-test' } },
    routes: [{ model: '*', upstream: 'one' }],
    callers: 'open',
  }
  const send = () =>
    Promise.resolve({
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: new Response(JSON.stringify(kits[upstream].say.unheard)).body,
    })
  return Promise.resolve(
    createApp(config, { send }).fetch(
      new Request(`http://localhost${kits[caller].http.path('m', stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(bodyFor(caller, stream)),
      }),
    ),
  )
}

describe.each(PAIRS)('a reply for %s that has nothing for it, from %s', (caller, upstream) => {
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
    both.request(bodyFor(caller, false))
    expect(() => both.reply(kits[upstream].say.unheard)).toThrow(NOTHING)
  })
  it('fails as a stream of the bare translator too', async () => {
    const both = translator({ from: caller, to: upstream, stream: true })
    both.request(bodyFor(caller, true))
    const reply = new Response(JSON.stringify(kits[upstream].say.unheard)).body
    const text = await new Response(reply?.pipeThrough(both.stream())).text()
    expect(text).toMatch(NOTHING)
    expect(text).not.toMatch(/message_stop|"finishReason":"STOP"|response\.completed/)
  })
})

const told = (from: Dialect, output: object[]) => {
  const both = translator({ from, to: 'responses' })
  both.request(bodyFor(from, false))
  return () => both.reply({ ...kits.responses.say.unheard, output }).text
}

describe('a reply of thoughts and what has no words', () => {
  const thought = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Ask first.' }],
    encrypted_content: 'gAAA',
  }
  const request = {
    type: 'mcp_approval_request',
    id: 'mcpr_1',
    name: 'f',
    server_label: 's',
    arguments: '{}',
  }
  const said = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Yes.', annotations: [], logprobs: [] }],
  }
  const others = DIALECTS.filter((dialect) => dialect !== 'responses')
  it.each(others)('is a failure for callers of %s, in whatever order they come', (from) => {
    expect(told(from, [thought, request])).toThrow(NOTHING)
    expect(told(from, [request, thought])).toThrow(NOTHING)
  })
  it.each(others)('is an answer for callers of %s with a word, or without a loss', (from) => {
    expect(told(from, [thought, request, said])()).toContain('Yes.')
    expect(told(from, [said, thought, request])()).toContain('Yes.')
    expect(told(from, [thought])()).toContain('Ask first.')
  })
})

describe('a reply that says nothing at all', () => {
  it('stays the empty success that it is', () => {
    const both = translator({ from: 'messages', to: 'responses' })
    both.request(bodyFor('messages', false))
    expect(both.reply({ ...kits.responses.say.unheard, output: [] }).body).toMatchObject({
      content: [],
    })
  })
  it('does so also where its empty text has a phase, as gpt-5.6 ends a turn', () => {
    const content = [{ type: 'output_text', text: '', annotations: [], logprobs: [] }]
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content,
    }
    const output = [{ ...message, phase: 'final_answer' }]
    for (const from of DIALECTS.filter((dialect) => dialect !== 'responses')) {
      const both = translator({ from, to: 'responses' })
      both.request(bodyFor(from, false))
      const { losses } = both.reply({ ...kits.responses.say.unheard, output })
      expect(losses.map(({ path }) => path)).toContain('reply.text.phase')
    }
  })
})

describe('a reply of generate-content that ended for no known reason', () => {
  const SAID: readonly (readonly [Dialect, RegExp])[] = [
    ['messages', /"stop_reason":"refusal"/],
    ['responses', /"status":"incomplete"/],
    ['chat-completions', /"finish_reason":"content_filter"/],
  ]
  it.each(SAID)('is no success for a caller of %s', (from, ending) => {
    const { request, reply } = translator({ from, to: 'generate-content', model: 'm' })
    request(bodyFor(from, false))
    const said = { content: { role: 'model', parts: [{ text: 'Half of' }] } }
    for (const candidates of [
      [],
      [{ content: { role: 'model' } }],
      [{ ...said, finishReason: 'OTHER' }],
    ])
      expect(reply({ candidates, modelVersion: 'm' }).text).toMatch(ending)
  })
})
