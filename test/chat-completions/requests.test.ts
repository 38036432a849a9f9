import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { chatCompletions } from '../../adapters/chat-completions/index.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { lossList } from '../../src/model/loss.ts'
import { translator } from '../../src/named-translator.ts'
import { lossesOf, refusal, sent } from '../pitfalls/translate.ts'

/** The numbers are those of the traps that servers of this dialect set. */

const CHAT = 'chat-completions'
const written = (from: Dialect, body: object) => JSON.parse(sent([from, CHAT], body).text)
const toolUse = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const toolResult = (id: string, content: unknown) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const question = { role: 'user', content: 'Go.' }
const call = (id: string, given: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: given },
})
const offering = (declared: object) => ({
  messages: [question],
  tools: [{ type: 'function', function: { name: 'f', ...declared } }],
})

const between = (from: Dialect, to: Dialect, model: string, body: JsonObject) => {
  const { body: made, losses } = translator({ from, to, model }).request(body)
  return { body: made, losses: losses.map(({ code, path }) => `${code} ${path}`) }
}

describe('what only the two dialects of OpenAI have', () => {
  const brief = { model: 'm', input: 'Go.', text: { verbosity: 'low' } }
  const searching = { web_search_options: { search_context_size: 'high' }, messages: [question] }

  it('is carried between them: how much the model shall say', () => {
    expect(between('responses', CHAT, 'gpt-5.6', brief)).toMatchObject({
      body: { verbosity: 'low' },
      losses: [],
    })
    const asked = { model: 'm', messages: [question], verbosity: 'high' }
    expect(between(CHAT, 'responses', 'gpt-5', asked)).toMatchObject({
      body: { text: { verbosity: 'high' } },
      losses: [],
    })
  })

  it.each<[Dialect, string]>([
    [CHAT, 'model-1'],
    [CHAT, 'gpt-4.1'],
    ['messages', 'gpt-5.6'],
    ['generate-content', 'gpt-5.6'],
  ])('is reported over %s with %s', (to, model) => {
    const { body, losses } = between('responses', to, model, brief)
    expect(JSON.stringify(body)).not.toContain('low')
    expect(losses).toContain('dropped sampling.verbosity')
  })

  it('is carried between them: how much of what a search finds the model shall see', () => {
    const asked = { model: 'm', ...searching }
    expect(between(CHAT, 'responses', 'gpt-4.1', asked)).toMatchObject({
      body: { tools: [{ type: 'web_search', search_context_size: 'high' }] },
      losses: [],
    })
    const tools = [{ type: 'web_search', search_context_size: 'low' }]
    const back = { model: 'm', input: 'Go.', tools }
    expect(between('responses', CHAT, 'gpt-5-search-api', back)).toMatchObject({
      body: { web_search_options: { search_context_size: 'low' } },
      losses: [],
    })
    expect(between('responses', 'messages', 'm', back).losses).toContain(
      'dropped tools.web-search.contextSize',
    )
  })
})

it.each<Dialect>(['messages', 'generate-content', 'responses'])(
  'takes tools, calls and results as Cursor sends them to models of claude, over %s',
  (to) => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } } }
    const usual = {
      tools: [{ type: 'function', function: { name: 'f', description: 'D', parameters: schema } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      messages: [
        question,
        { role: 'assistant', content: 'Yes.', tool_calls: [call('a', '{"n":1}')] },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'done' }] },
        { role: 'user', content: [{ type: 'text', text: 'And?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('b', '{}'), call('c', '{}')],
        },
        { role: 'tool', tool_call_id: 'b', content: 'x' },
        { role: 'tool', tool_call_id: 'c', content: 'y' },
      ],
    }
    const cursor = {
      tools: [{ name: 'f', description: 'D', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'f' },
      messages: [
        question,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Yes.' },
            { ...toolUse('a'), input: { n: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            toolResult('a', [{ type: 'text', text: 'done' }]),
            { type: 'text', text: 'And?' },
          ],
        },
        { role: 'assistant', content: [toolUse('b'), toolUse('c')] },
        { role: 'user', content: [toolResult('b', 'x'), toolResult('c', 'y')] },
      ],
    }
    expect(sent([CHAT, to], cursor)).toEqual(sent([CHAT, to], usual))
    const failed = { ...toolResult('a', 'no'), is_error: true }
    const asked = { role: 'assistant', content: [toolUse('a')] }
    const body = { ...cursor, messages: [question, asked, { role: 'user', content: [failed] }] }
    expect(sent([CHAT, to], body).text).toMatch(/"is_error":true|"error":"no"|Error: no/)
  },
)

it('keeps the numbers of such calls', () => {
  const input = '{"n":12345678901234567890}'
  const content = [toolUse('a')]
  const messages = [question, { role: 'assistant', content }]
  const text = JSON.stringify({ model: 'm', messages }).replace('"input":{}', `"input":${input}`)
  expect(translator({ from: CHAT, to: 'messages' }).request(text).text).toContain(input)
})

it.each<Dialect>(['messages', 'generate-content', 'responses'])(
  'takes a function whose parameters are null for one without any, over %s',
  (to) => {
    expect(sent([CHAT, to], offering({ parameters: null }))).toEqual(sent([CHAT, to], offering({})))
  },
)

describe('what a server would refuse', () => {
  it.each(['gpt-5', 'gpt-5.6-mini', 'o3', 'o4-mini', 'openai/gpt-5'])(
    '25, 26: of %s is called by its newer name, or left out and reported',
    (model) => {
      const request = { model, max_tokens: 9, stop_sequences: ['x'], messages: [question] }
      const { text, losses } = sent(['messages', CHAT], request)
      expect(JSON.parse(text)).toMatchObject({ max_completion_tokens: 9 })
      expect(text).not.toMatch(/"max_tokens"|"stop"/)
      expect(losses).toContainEqual({ code: 'dropped', path: 'limits.stop' })
    },
  )
  it('25, 26: is what others are sent', () => {
    const request = { model: 'gpt-4o', max_tokens: 9, stop_sequences: ['x'], messages: [question] }
    expect(written('messages', request)).toMatchObject({ max_tokens: 9, stop: ['x'] })
  })
  it('27: is not said: instructions are those of the system', () => {
    const input = [{ role: 'developer', content: 'Be brief.' }, question]
    expect(written('responses', { model: 'm', input }).messages[0]).toEqual({
      role: 'system',
      content: 'Be brief.',
    })
  })
  it('40: is an id of more than 40 characters: a call and its result get the same shorter one', () => {
    const id = `toolu_${'x'.repeat(50)}`
    const { messages } = written('messages', {
      max_tokens: 9,
      messages: [
        question,
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
      ],
    })
    const [, { tool_calls: calls }, { tool_call_id: answered }] = messages
    expect(calls[0].id).toBe(answered)
    expect(answered.length).toBeLessThanOrEqual(40)
    expect(answered).not.toBe(id.slice(0, 40))
  })
})

const heard = (input_audio: unknown) => {
  const content = [{ type: 'input_audio', input_audio }]
  const request = { model: 'm', messages: [{ role: 'user', content }] }
  return JSON.parse(sent([CHAT, 'generate-content'], request).text).contents[0].parts[0]
}

it.each<Dialect>(['messages', 'generate-content', 'responses'])(
  'loses nothing where it asks for text alone, as every request does, over %s',
  (to) => {
    const asking = (...modalities: string[]) =>
      lossesOf(sent([CHAT, to], { messages: [question], max_tokens: 900, modalities }))
    expect(asking('text')).toEqual([])
    expect(asking('text', 'audio')).toEqual(['dropped modalities'])
  },
)

describe('a sound', () => {
  it.each([
    ['T2dnUwAC', { inlineData: { mimeType: 'audio/ogg', data: 'T2dnUwAC' } }],
    ['SUQzBAAA', { inlineData: { mimeType: 'audio/mpeg', data: 'SUQzBAAA' } }],
    ['UklGRlwE', { inlineData: { mimeType: 'audio/wav', data: 'UklGRlwE' } }],
    [
      'https://a.example/b.mp3',
      { fileData: { mimeType: 'audio/mpeg', fileUri: 'https://a.example/b.mp3' } },
    ],
    [
      { data: 'data:audio/wav;base64,UklG', format: 'wav' },
      { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
    ],
  ])('is heard as Mistral is sent it, as data or an address: %j', (input_audio, part) => {
    expect(heard(input_audio)).toEqual(part)
  })
})

describe('what a server would refuse, in a history', () => {
  it('57: is a call without valid arguments in a history', () => {
    const { text, losses } = sent(['responses', CHAT], {
      input: [
        question,
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"x":' },
        { type: 'function_call_output', call_id: 'c', output: 'ok' },
      ],
    })
    expect(text).toContain('"arguments":"{}"')
    expect(losses).toContainEqual(expect.objectContaining({ code: 'approximated' }))
  })
  it('56: is a picture in a result: it follows the last result of the turn', () => {
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'aGk=' },
    }
    const { messages } = written('messages', {
      max_tokens: 9,
      messages: [
        question,
        { role: 'assistant', content: [toolUse('a'), toolUse('b')] },
        { role: 'user', content: [toolResult('a', [picture]), toolResult('b', 'ok')] },
      ],
    })
    const roles = messages.map(({ role }: { role: string }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    expect(JSON.stringify(messages[2])).not.toContain('image_url')
    expect(messages[4].content).toContainEqual({
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,aGk=' },
    })
  })
})

it('names the address of a picture in words where the server does not fetch it (Ollama, Kimi)', () => {
  const { losses, lose } = lossList()
  const url = 'https://a.example/b.png'
  const turns = [
    {
      role: 'user' as const,
      blocks: [{ kind: 'media' as const, mediaType: 'image/png', source: { url } }],
    },
  ]
  const written = (fetchesUrls?: boolean) => {
    const facts = fetchesUrls === undefined ? {} : { fetchesUrls }
    const target = { model: 'm', defaultMaxOutputTokens: 9, facts }
    const request = { ...emptyRequest('m'), turns }
    return stringify(chatCompletions.upstream.writeRequest(request, { target, lose }).body)
  }
  expect(written()).toContain(`"image_url":{"url":"${url}"}`)
  expect(losses).toEqual([])
  expect(written(false)).toContain(`[image ${url} left out]`)
  expect(losses).toMatchObject([{ code: 'dropped', path: 'turns.0.blocks.0' }])
})

describe('what callers say', () => {
  it("28: any is Mistral's word for required", () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
    const body = { messages: [question], tools, tool_choice: 'any' }
    expect(JSON.parse(sent([CHAT, 'messages'], body).text).tool_choice).toEqual({ type: 'any' })
    expect(JSON.parse(sent([CHAT, 'responses'], body).text).tool_choice).toBe('required')
  })
  it("38: an id of Kimi's is one that Messages takes, and the same again for its result", () => {
    const id = 'functions.add:0'
    const body = {
      messages: [
        question,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'add', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: '3' },
      ],
    }
    const { messages } = JSON.parse(sent([CHAT, 'messages'], body).text)
    const [, { content: said }, { content: answered }] = messages
    expect(said[0].id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(answered[0].tool_use_id).toBe(said[0].id)
    // A service of its own dialect is sent the id that it gave out.
    expect(sent([CHAT, CHAT], body).text.split(id)).toHaveLength(3)
  })
  it('is in the words of its beginnings: functions, and their results by name', () => {
    const body = {
      messages: [
        question,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"x":1}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ],
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
    }
    const { messages, tools, tool_choice } = JSON.parse(sent([CHAT, 'messages'], body).text)
    expect(tools).toMatchObject([{ name: 'f' }])
    expect(tool_choice).toMatchObject({ type: 'tool', name: 'f' })
    const [, { content: said }, { content: answered }] = messages
    expect(said[0]).toMatchObject({ type: 'tool_use', name: 'f', input: { x: 1 } })
    expect(answered[0]).toMatchObject({ type: 'tool_result', tool_use_id: said[0].id })
  })
  it('60: numbers and the order of members stay as they are, in schemas and arguments', () => {
    const schema =
      '{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"number","maximum":12345678901234567890}}}'
    const given = '{"z":12345678901234567890,"a":1.0}'
    const text = JSON.stringify({
      model: 'm',
      messages: [
        question,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: given } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'ok' },
      ],
    })
    const tools = `"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`
    const body = `${text.slice(0, -1)},${tools}}`
    const { text: out } = translator({ from: CHAT, to: 'messages' }).request(body)
    expect(out).toContain(schema)
    expect(out).toContain(`"input":${given}`)
  })
  it('a word for how hard to think that nobody knows is reported', () => {
    const body = { messages: [question], reasoning: { effort: 'colossal', enabled: true } }
    expect(lossesOf(sent([CHAT, 'responses'], body))).toContain('dropped reasoning.effort')
  })
  it('thoughts that are asked for in words that show them are shown', () => {
    for (const words of [
      { reasoning: { enabled: true } },
      { thinking: { type: 'enabled' } },
      { enable_thinking: true },
    ])
      expect(sent([CHAT, 'generate-content'], { messages: [question], ...words }).text).toContain(
        '"includeThoughts":true',
      )
  })
  it.each([
    { reasoning_effort: 'none' },
    { reasoning: { enabled: false } },
    { thinking: { type: 'disabled' } },
    { enable_thinking: false },
  ])('thoughts are switched off by %j', (words) => {
    const body = { messages: [question], ...words }
    expect(sent([CHAT, 'messages'], body).body).toMatchObject({ thinking: { type: 'disabled' } })
  })
  it('a conversation without a message is none', () => {
    expect(refusal([CHAT, 'messages'], { messages: [] })).toMatchObject({ kind: 'invalid-request' })
  })
})

const edited = (body: JsonObject) =>
  chatCompletions.same.edit(body, { model: 'own', facts: {}, foreign: false }, () => undefined)

describe('a body that passes', () => {
  it('gets the name of the model at the upstream, also where it names none (llama.cpp)', () => {
    expect(edited({ messages: [] })).toEqual({ messages: [], model: 'own' })
    expect(edited({ model: 'other' })).toEqual({ model: 'own' })
    expect(edited({ model: 1 })).toEqual({ model: 1 })
  })
})
