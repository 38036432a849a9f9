import { describe, expect, it } from 'vitest'
import { fit } from '../../adapters/chat-completions/fit.ts'
import { chatCompletions } from '../../adapters/chat-completions/index.ts'
import type { ModelFacts } from '../../adapters/contract.ts'
import { objectsOf, type JsonObject } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { translator } from '../../src/named-translator.ts'

const ASKED = [{ role: 'user', content: 'Hi.' }]
const named = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name, ...more },
})

/** What a server is sent of a body of this dialect, beside what it was asked, and what is lost. */
function sent(profile: string, more: JsonObject, facts: ModelFacts = {}) {
  const row = chatCompletions.upstream.profiles?.find(({ name }) => name === profile)
  const { lose, losses } = lossList()
  const body: JsonObject = { model: 'm', messages: ASKED, ...more }
  const target = { model: 'm', facts: { ...facts, ...(row && { server: row.facts }) } }
  const { model: _, messages, ...rest } = fit(body, target, lose)
  return {
    ...rest,
    ...(messages !== ASKED && { messages }),
    losses: losses.map(({ code, path }) => `${code} ${path}`),
  }
}

/** What goes on of a body of this dialect without proofs of other services, and where these stood. */
function cleaned(messages: JsonObject[]) {
  const { lose, losses } = lossList()
  const body = chatCompletions.same.edit({ messages }, { facts: {}, foreign: true }, lose)
  return { messages: body['messages'], losses: losses.map(({ path }) => path) }
}

describe('a proof that another service gave out', () => {
  const sealed = writeEnvelope({ dialect: 'messages', value: 'v' }, 'redacted')
  const called = named('f', { arguments: '{}' })

  it('is reported in its turn, behind instructions and results that are one', () => {
    const tool_calls = ['c1', 'c2'].map((id) => ({ id, ...called }))
    const { losses } = cleaned([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: 'c1', content: '1' },
      { role: 'tool', tool_call_id: 'c2', content: '2' },
      {
        role: 'assistant',
        content: 'Ho.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: sealed }],
      },
    ])
    expect(losses).toEqual(['turns.3.seal'])
  })

  it.each<[JsonObject, JsonObject]>([
    [{ own: { a: 1 } }, { extra_content: { own: { a: 1 } } }],
    [{}, {}],
  ])('is all that is taken from beside a call with %j', (beside, left) => {
    const google = { thought_signature: sealed }
    const call = { ...called, extra_content: { google, ...beside } }
    const { messages, losses } = cleaned([{ role: 'assistant', tool_calls: [call] }])
    expect(messages).toEqual([{ role: 'assistant', tool_calls: [{ ...called, ...left }] }])
    expect(losses).toEqual(['turns.0.seal'])
  })
})

describe('a body of this dialect is fitted to a server that is well known', () => {
  const tools = [named('a'), named('b'), named('c')]
  const allowed = (mode: string): JsonObject => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [named('a'), named('b')] },
  })
  it.each([
    ['auto', 'groq', 'auto'],
    ['required', 'mistral', 'any'],
  ])('offers the tools alone that may be called (%s, %s)', (mode, profile, word) => {
    expect(sent(profile, { tools, tool_choice: allowed(mode) })).toEqual({
      tools: tools.slice(0, 2),
      tool_choice: word,
      losses: ['approximated toolChoice'],
    })
  })
  it('leaves a choice among several to a server that has the word', () => {
    const body = { tools, tool_choice: allowed('auto') }
    expect(sent('openai', body)).toEqual({ ...body, losses: [] })
  })
  it('keeps to the tools that may be called also where none may be forced', () => {
    const body = { tools, tool_choice: allowed('required'), thinking: { type: 'enabled' } }
    expect(sent('deepseek', body)).toMatchObject({ tools: tools.slice(0, 2), tool_choice: 'auto' })
  })
  it.each([
    [true, ['dropped tools.a.strict']],
    [false, []],
  ])('tells of a tool that was strict: %s', (strict, losses) => {
    expect(sent('together', { tools: [named('a', { strict })] })).toEqual({
      tools: [named('a')],
      losses,
    })
  })
  it('adds the word JSON where the server demands it, and no message holds it', () => {
    const format = { response_format: { type: 'json_object' } }
    const { messages, losses } = sent('groq', format)
    expect(messages).toMatchObject([{ role: 'system', content: expect.stringMatching('JSON') }, {}])
    expect(losses).toEqual(['defaulted format'])
    expect(sent('vllm', format)).toEqual({ ...format, losses: [] })
    const asked = {
      ...format,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'A json.' }] }],
    }
    expect(sent('groq', asked)).toEqual({ ...asked, losses: [] })
  })
  it('begins every request of a conversation alike, whatever is said of JSON later', () => {
    const format = { response_format: { type: 'json_object' } }
    const later = [
      { role: 'assistant', content: '{"json":1}' },
      { role: 'user', content: 'JSON!' },
    ]
    const [first, next] = [ASKED, [...ASKED, ...later]].map(
      (messages) => sent('groq', { ...format, messages }).messages,
    )
    expect(next).toEqual([...objectsOf(first), ...later])
  })
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['groq', { safety_identifier: 'u' }, { user: 'u' }, []],
    ['openai', { safety_identifier: 'u' }, { safety_identifier: 'u' }, []],
    ['xai', { max_tokens: 5 }, { max_completion_tokens: 5 }, []],
    ['gemini', { max_completion_tokens: 5 }, { max_tokens: 5 }, []],
    ['kimi', { verbosity: 'low' }, {}, ['dropped sampling.verbosity']],
    ['kimi', { verbosity: 'medium' }, {}, []],
    ['openrouter', { verbosity: 'low' }, { verbosity: 'low' }, []],
    ['zai', { top_k: 5 }, {}, ['dropped sampling.topK']],
    ['gemini', { store: true }, {}, ['dropped store']],
    ['groq', { store: false }, {}, []],
    ['vllm', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }, []],
    ['groq', { reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }, []],
    ['zai', { web_search_options: {} }, {}, ['dropped tools.web-search']],
  ])('%s is sent %o as %o', (profile, asked, told, losses) => {
    expect(sent(profile, asked)).toEqual({ ...told, losses })
  })
  it('sends thoughts back from the first call on, and tells of those before', () => {
    const said = { role: 'assistant', content: 'a', reasoning_content: 'Hm.' }
    const calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const messages = [
      ...ASKED,
      said,
      ...ASKED,
      { ...said, tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
      { role: 'assistant', content: 'a' },
    ]
    const { messages: told, losses } = sent('deepseek', { messages })
    expect(told).toEqual([
      ...ASKED,
      { role: 'assistant', content: 'a' },
      ...ASKED,
      messages[3],
      messages[4],
      { role: 'assistant', content: 'a', reasoning_content: '' },
    ])
    expect(losses).toEqual(['dropped turns.1.blocks.0'])
  })
  it('takes the mark off text that was marked to be cached, and leaves a text', () => {
    const cache_control = { type: 'ephemeral' }
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 's', cache_control }] },
      ...ASKED,
    ]
    expect(sent('groq', { messages })).toEqual({
      messages: [{ role: 'system', content: 's' }, ...ASKED],
      losses: ['dropped cache'],
    })
    expect(sent('qwen', { messages })).toEqual({ messages, losses: [] })
  })
})

describe('a body of this dialect is fitted to what the configuration says of its model', () => {
  it.each<[ModelFacts, JsonObject, JsonObject, string[]]>([
    [
      { efforts: ['low', 'high'] },
      { reasoning_effort: 'medium' },
      { reasoning_effort: 'high' },
      ['approximated reasoning.effort'],
    ],
    [
      { thinkingOff: false, efforts: ['low'] },
      { reasoning_effort: 'none' },
      { reasoning_effort: 'low' },
      ['approximated reasoning.mode'],
    ],
    [
      { efforts: ['low'] },
      { reasoning_effort: 'none' },
      { reasoning_effort: 'low' },
      ['approximated reasoning.mode'],
    ],
    [
      { sampling: 'never' },
      { temperature: 0.5, top_p: 1, logprobs: true, top_logprobs: 2 },
      {},
      ['dropped sampling.temperature', 'dropped sampling.logprobs'],
    ],
    [{ sampling: 'without-thinking' }, { temperature: 0.5 }, { temperature: 0.5 }, []],
    [
      { sampling: 'without-thinking' },
      { temperature: 0.5, reasoning_effort: 'low' },
      { reasoning_effort: 'low' },
      ['dropped sampling.temperature'],
    ],
    [
      { forcedChoice: false },
      { tools: [named('a'), named('b')], tool_choice: named('a') },
      { tools: [named('a')], tool_choice: 'auto' },
      ['approximated toolChoice'],
    ],
    [
      { forcedChoice: false },
      { tools: [named('a'), named('b')], tool_choice: 'required' },
      { tools: [named('a'), named('b')], tool_choice: 'auto' },
      ['approximated toolChoice'],
    ],
  ])('%o: %o is sent as %o', (facts, asked, told, losses) => {
    expect(sent('none', asked, facts)).toEqual({ ...told, losses })
  })
})

describe('what is lost of a part is told where its caller has it', () => {
  it('for a caller of another dialect', () => {
    const { request } = translator({
      from: 'messages',
      to: 'chat-completions',
      profile: 'deepseek',
    })
    const thought = { type: 'thinking', thinking: 'Hm.', signature: '' }
    const { losses } = request({
      model: 'm',
      max_tokens: 9,
      system: 's',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [{ type: 'text', text: 'b' }, thought] },
        { role: 'user', content: 'c' },
      ],
    })
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toContain('dropped turns.1.blocks.1')
  })
})
