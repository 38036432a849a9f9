import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { parse, type JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import { lossesOf, refusal } from './translate.ts'

const MODELS: Readonly<Record<Dialect, string>> = {
  messages: 'claude-opus-5',
  'generate-content': 'gemini-3-pro',
  responses: 'gpt-5.6',
  'chat-completions': 'gpt-5.6',
}

/** What an upstream is sent, and what is lost besides the bound that a messages service demands. */
function sent(from: Dialect, to: Dialect, body: object, model = MODELS[to]) {
  const asked = JSON.stringify({ ...kits[from].ask.needed, ...body })
  const request = translator({ from, to, model }).request(asked)
  const losses = lossesOf(request).filter((loss) => !loss.endsWith('maxOutputTokens'))
  return { body: parse(request.text) as JsonObject, headers: request.headers, losses }
}

const DATA = 'iVBORw0KGgo='
const URL = `data:image/png;base64,${DATA}`

const picture = (word: string) => ({
  inlineData: { mimeType: 'image/png', data: DATA },
  mediaResolution: { level: `MEDIA_RESOLUTION_${word}` },
})
const google = (word: string) => ({ contents: [{ role: 'user', parts: [picture(word)] }] })
const openai = (detail: string) => ({
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: URL, detail }] }],
})

describe('how closely a picture is looked at', () => {
  it.each([
    ['LOW', 'low'],
    ['HIGH', 'high'],
    ['ULTRA_HIGH', 'high'],
  ])('is a level of generate-content and a detail elsewhere: %s', (level, detail) => {
    const responses = sent('generate-content', 'responses', google(level))
    expect(responses.body['input']).toMatchObject([{ content: [{ detail }] }])
    const chat = sent('generate-content', 'chat-completions', google(level))
    expect(chat.body['messages']).toMatchObject([{ content: [{ image_url: { detail } }] }])
    expect([...responses.losses, ...chat.losses]).toEqual([])
    const { body, losses } = sent('generate-content', 'messages', google(level))
    expect(JSON.stringify(body)).not.toContain('detail')
    expect(losses).toEqual(['dropped turns.0.blocks.0.detail'])
    expect(sent('generate-content', 'generate-content', google(level)).body).toEqual(google(level))
  })

  it.each([
    ['low', 'LOW'],
    ['high', 'HIGH'],
    ['original', 'ULTRA_HIGH'],
  ])('goes to a generate-content model that takes it for each: %s', (detail, level) => {
    const { body, losses } = sent('responses', 'generate-content', openai(detail))
    expect(body['contents']).toEqual(google(level).contents)
    expect(losses).toEqual([])
    const older = sent('responses', 'generate-content', openai(detail), 'gemini-2.5-flash')
    expect(older.losses).toEqual(['dropped turns.0.blocks.0.detail'])
  })

  it.each([
    ['responses', openai],
    ['generate-content', google],
  ] as const)('is what a strict service takes: %s', (from, ask) => {
    const heard = { pieces: [{ kind: 'image', mediaType: 'image/png', data: DATA }] }
    for (const word of from === 'responses' ? ['low', 'high', 'original'] : ['LOW', 'HIGH'])
      for (const to of ['generate-content', 'responses', 'chat-completions'] as const) {
        const { body } = sent(from, to, ask(word))
        expect(kits[to].scripted.hear(body).turns).toMatchObject([heard])
      }
    const { hear } = kits['generate-content'].scripted
    expect(() => hear(google('WIDE'))).toThrow('mediaResolution.level: is none of')
    const text = { text: 'a', mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } }
    expect(() => hear({ contents: [{ role: 'user', parts: [text] }] })).toThrow('beside text')
    expect(() =>
      hear({
        ...google('LOW'),
        generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_ULTRA_HIGH' },
      }),
    ).toThrow('mediaResolution: is none of')
  })

  it('is said where nobody said it, and `auto` is nobody’s loss: the types of openai 7.57 demand it', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: DATA } }]
    const { body } = sent('generate-content', 'responses', { contents: [{ role: 'user', parts }] })
    expect(body['input']).toMatchObject(openai('auto').input)
    for (const to of ['messages', 'generate-content', 'chat-completions'] as const)
      expect(sent('responses', to, openai('auto')).losses).toEqual([])
  })

  it('is reported where no other dialect has the level, and is nothing where it says nothing', () => {
    for (const to of ['messages', 'responses', 'chat-completions'] as const) {
      expect(sent('generate-content', to, google('MEDIUM')).losses).toEqual([
        'dropped turns.0.blocks.0.mediaResolution',
      ])
      expect(sent('generate-content', to, google('UNSPECIFIED')).losses).toEqual([])
    }
    expect(sent('responses', 'generate-content', openai('auto')).losses).toEqual([])
  })
})

const validated = (...functionDeclarations: object[]) => ({
  contents: [{ role: 'user', parts: [{ text: 'a' }] }],
  tools: [{ functionDeclarations }],
  toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
})

describe('a choice of generate-content that holds calls to their schemas', () => {
  const nested = { type: 'OBJECT', properties: { z: { type: 'STRING' } }, required: ['z'] }
  const parameters = { type: 'OBJECT', properties: { y: nested }, required: ['y'] }
  const closed = {
    type: 'object',
    properties: {
      y: {
        type: 'object',
        properties: { z: { type: 'string' } },
        required: ['z'],
        additionalProperties: false,
      },
    },
    required: ['y'],
    additionalProperties: false,
  }

  it('makes them strict functions, of closed objects', () => {
    const asked = validated({ name: 'a', parameters })
    const messages = sent('generate-content', 'messages', asked)
    expect(messages.body).toMatchObject({
      tools: [{ name: 'a', input_schema: closed, strict: true }],
      tool_choice: { type: 'auto' },
    })
    const responses = sent('generate-content', 'responses', asked)
    expect(responses.body).toMatchObject({
      tools: [{ name: 'a', parameters: closed, strict: true }],
      tool_choice: 'auto',
    })
    const chat = sent('generate-content', 'chat-completions', asked)
    expect(chat.body['tools']).toMatchObject([{ function: { parameters: closed, strict: true } }])
    expect([...messages.losses, ...responses.losses, ...chat.losses]).toEqual([])
    const { body } = sent('generate-content', 'generate-content', asked)
    expect(body).toMatchObject(asked)
  })

  it('says which function cannot be strict, and leaves open what names no members', () => {
    const optional = { type: 'OBJECT', properties: { x: { type: 'STRING' } } }
    const asked = validated({ name: 'a', parameters: optional }, { name: 'b' })
    expect(sent('generate-content', 'messages', asked).losses).toEqual([])
    const { body, losses } = sent('generate-content', 'responses', asked)
    expect(body['tools']).toMatchObject([{ strict: false }, { strict: false }])
    expect(losses).toEqual(['dropped tools.a.strict'])
    const open = validated({
      name: 'c',
      parameters: { type: 'OBJECT', properties: { x: { type: 'OBJECT' } } },
    })
    const free = sent('generate-content', 'messages', open)
    expect(JSON.stringify(free.body['tools'])).toContain('"x":{"type":"object"}')
    expect(free.losses).toEqual(['dropped tools.c.strict'])
  })
})

describe('who may call a tool', () => {
  const callers = ['direct']
  const asked = {
    messages: {
      tools: [{ name: 'a', input_schema: { type: 'object' }, allowed_callers: callers }],
    },
    responses: { tools: [{ type: 'function', name: 'a', allowed_callers: callers }] },
  }

  it('says nothing where it is the model itself', () => {
    for (const to of ['generate-content', 'chat-completions'] as const) {
      const turns = [{ role: 'user', content: 'a' }]
      expect(sent('messages', to, { ...asked.messages, messages: turns }).losses).toEqual([])
      const call = { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' }
      const output = { type: 'function_call_output', call_id: 'c', output: 'b' }
      const caller = { type: 'direct' }
      const input = [...turns, { ...call, caller }, { ...output, caller }]
      const unproven = to === 'generate-content' ? ['defaulted turns.1.seal'] : []
      expect(sent('responses', to, { ...asked.responses, input }).losses).toEqual(unproven)
      const programs = {
        tools: [{ ...asked.responses.tools[0], allowed_callers: ['programmatic'] }],
      }
      expect(sent('responses', to, { ...programs, input }).losses).toEqual([
        'dropped tools.a.allowed_callers',
        ...unproven,
      ])
    }
  })

  it.each(['messages', 'generate-content', 'chat-completions'] as const)(
    'is no program in a conversation over %s',
    (to) => {
      const caller = { type: 'program', caller_id: 'p' }
      const call = { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}', caller }
      const output = { type: 'function_call_output', call_id: 'c', output: 'b', caller }
      const input = [{ role: 'user', content: 'a' }, call, output]
      expect(refusal(['responses', to], { ...asked.responses, input })?.param).toBe(
        'input[1].caller',
      )
      expect(sent('responses', 'responses', { input }).body['input']).toMatchObject(input)
    },
  )
})

describe('what is said of caching', () => {
  it('holds beside what only its own service can do', () => {
    const text = { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }
    const input = [{ role: 'user', content: [text] }]
    const prompt_cache_options = { mode: 'explicit', ttl: '12h', comparison_response_id: 'resp_1' }
    const asked = { input, prompt_cache_options }
    const { body, losses } = sent('responses', 'messages', asked)
    expect(body['messages']).toMatchObject([{ content: [{ cache_control: { ttl: '1h' } }] }])
    expect(losses).toContain('dropped caching.comparedWith')
    expect(sent('responses', 'responses', asked).body).toMatchObject(asked)
  })
})

describe('a call of a server’s tool that the provider made', () => {
  const use = { type: 'mcp_tool_use', id: 'm', name: 'a', server_name: 's', input: { x: 1 } }
  const content = [{ type: 'text', text: 'found' }]
  const messages = (is_error: boolean) => ({
    messages: [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One moment.' },
          use,
          { type: 'mcp_tool_result', tool_use_id: 'm', is_error, content },
          { type: 'text', text: 'There.' },
        ],
      },
      { role: 'user', content: 'b' },
    ],
  })

  it('is told in words where there is no other way', () => {
    const words = '[a of s was called with {"x":1}]\nfound'
    const google = sent('messages', 'generate-content', messages(false))
    expect(google.body['contents']).toMatchObject([
      {},
      { role: 'model', parts: [{ text: 'One moment.' }] },
      { role: 'user', parts: [{ text: words }] },
      { role: 'model', parts: [{ text: 'There.' }] },
      {},
    ])
    const chat = sent('messages', 'chat-completions', messages(false))
    expect(chat.body['messages']).toMatchObject([
      {},
      { role: 'assistant', content: 'One moment.' },
      { role: 'user', content: words },
      { role: 'assistant', content: 'There.' },
      {},
    ])
    for (const { losses } of [google, chat])
      expect(losses).toEqual(['approximated turns.1.blocks.1'])
    const failed = sent('messages', 'generate-content', messages(true))
    expect(JSON.stringify(failed.body)).toContain('\\nError: found')
  })
})

const thought = (data: string) => ({
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: data }],
})

describe('thoughts from before the user last spoke', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' }
  const input = [
    { role: 'user', content: 'a' },
    thought('older'),
    call,
    { type: 'function_call_output', call_id: 'c', output: 'b' },
    thought('old'),
    { role: 'assistant', content: 'c' },
    { role: 'user', content: 'd' },
    thought('new'),
    { ...call, call_id: 'e' },
    { type: 'function_call_output', call_id: 'e', output: 'f' },
  ]
  const tools = [{ type: 'function', name: 'a' }]
  const over = (to: Dialect, reasoning: object) => {
    const profile = to === 'messages' ? { unprovenThoughts: true } : 'deepseek'
    const body = JSON.stringify({ model: 'm', input, tools, reasoning })
    return translator({ from: 'responses', to, model: 'm', profile }).request(body)
  }

  it.each(['messages', 'chat-completions'] as const)('are left out where it is asked: %s', (to) => {
    const all = over(to, { effort: 'low', context: 'all_turns' })
    for (const word of ['older', 'old', 'new']) expect(all.text).toContain(`"${word}"`)
    expect(lossesOf(all).join()).not.toContain('context')
    for (const reasoning of [
      { context: 'current_turn' },
      { effort: 'low', context: 'current_turn' },
    ]) {
      const { text, losses } = over(to, reasoning)
      expect(text).toContain('"new"')
      expect(text).not.toMatch(/"old(?:er)?"/)
      expect(losses.map(({ path }) => path).join()).not.toContain('context')
    }
  })

  it('are left to its own service', () => {
    for (const reasoning of [{ context: 'current_turn' }, { effort: 'low', context: 'auto' }]) {
      const { body, losses } = sent('responses', 'responses', { input, tools, reasoning })
      expect(body).toMatchObject({ input, reasoning })
      expect(losses).toEqual([])
    }
  })
})
