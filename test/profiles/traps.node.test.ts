import { describe, expect, test } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { objectIn, objectsOf, parseObject, type JsonObject } from '../../src/json/json.ts'
import { type Profile, siteOf } from './stand-in.ts'

/** Traps of the fourth dialect that a profile is there for, by their numbers in the list of what servers do. */

interface Sent {
  body: JsonObject
  reply: JsonObject
  losses: string
}

interface Asked {
  profile: Profile
  path?: string
  body: JsonObject
  reply?: string
  dialect?: Dialect
}

async function sent({ profile, path, body, reply, dialect }: Asked): Promise<Sent> {
  const upstream = dialect ?? 'chat-completions'
  const server = { profile: 'any', dialect: upstream, refusals: [] }
  const site = siteOf(server, profile, reply)
  const answer = await site.fetch(`http://proxy.invalid${path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  const losses = answer.headers.get('x-dragoman-losses') ?? ''
  return { body: objectIn(site.sent.at(-1)), reply: parseObject(text) ?? { text }, losses }
}

const messagesIn = ({ body }: Sent): JsonObject[] => objectsOf(body['messages'])

const hello = { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] }
const claude = { model: 'm', max_tokens: 900, messages: [{ role: 'user', content: 'Hello.' }] }
const TOOLS = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
]
const CLAUDE_TOOLS = [{ name: 'f', input_schema: { type: 'object', properties: {} } }]

/** A loop of tools: what the model called, and what came of it. */
const LONG_ID = 'call_0123456789012345678901234567890123456789'
const loop = (
  beside: JsonObject = {},
  called: JsonObject = {},
  content: JsonObject['string'] = '42',
): JsonObject => ({
  model: 'm',
  tools: TOOLS,
  messages: [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: null,
      ...beside,
      tool_calls: [
        { id: LONG_ID, type: 'function', function: { name: 'f', arguments: '{}', ...called } },
      ],
    },
    { role: 'tool', tool_call_id: LONG_ID, content: content ?? '' },
    { role: 'user', content: 'And?' },
  ],
})
const claudeLoop = (thinking: JsonObject[] = [], input: JsonObject = {}): JsonObject => ({
  model: 'm',
  max_tokens: 900,
  tools: CLAUDE_TOOLS,
  messages: [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: [...thinking, { type: 'tool_use', id: LONG_ID, name: 'f', input }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: LONG_ID, content: '42' },
        { type: 'text', text: 'And?' },
      ],
    },
  ],
})
const FROM_CLAUDE = '/v1/messages'
const THOUGHT = { type: 'thinking', thinking: 'Aha.', signature: '' }

const completion = (message: JsonObject, usage: JsonObject = {}): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 7, completion_tokens: 12, total_tokens: 19, ...usage },
  })

const chunk = (delta: JsonObject, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

describe('what a reply says', () => {
  test('8: what the total of Gemini has beyond its parts was said by the model', async () => {
    const reply = completion({ content: 'Hi.' }, { total_tokens: 402 })
    const asked = { path: FROM_CLAUDE, body: claude, reply }
    const counted = await sent({ profile: 'gemini', ...asked })
    expect(counted.reply['usage']).toMatchObject({ input_tokens: 7, output_tokens: 395 })
    const plain = await sent({ profile: 'mistral', ...asked })
    expect(plain.reply['usage']).toMatchObject({ input_tokens: 7, output_tokens: 12 })
  })

  test('52: tags around thoughts are text, unless the server is known to think in them', async () => {
    const content = '<think>\nAha.\n</think>\n\nHi <think> there.'
    const asked = { path: FROM_CLAUDE, body: claude, reply: completion({ content }) }
    const read = await sent({ profile: 'minimax', ...asked })
    expect(read.reply['content']).toMatchObject([
      { type: 'thinking', thinking: 'Aha.\n' },
      { type: 'text', text: 'Hi <think> there.' },
    ])
    const plain = await sent({ profile: 'vllm', ...asked })
    expect(plain.reply['content']).toMatchObject([{ type: 'text', text: content }])
  })

  test('52: the same out of a stream that cuts the tags', async () => {
    const pieces = ['<th', 'ink>', '\nAha', '.</', 'think>', '\n\nHi', ' <think>.']
    const reply = [
      ...pieces.map((content) => chunk({ role: 'assistant', content })),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ].join('')
    const body = { ...claude, stream: true }
    const { reply: read } = await sent({ profile: 'minimax', path: FROM_CLAUDE, body, reply })
    const deltas = [...String(read['text']).matchAll(/"(thinking|text)":"([^"]+)"/g)]
    const said = (kind: string) =>
      deltas.flatMap(([, type, text]) => (type === kind ? text : [])).join('')
    expect(said('thinking')).toBe('Aha.')
    expect(said('text')).toBe('Hi <think>.')
  })
})

describe('what is asked', () => {
  test('25: the bound of a reply goes by the name that the server knows', async () => {
    const own = await sent({ profile: 'openai', body: { ...hello, max_tokens: 9 } })
    expect(own.body).toMatchObject({ max_completion_tokens: 9 })
    expect(own.body).not.toHaveProperty('max_tokens')
    expect(own.losses).toBe('')
    const older = await sent({ profile: 'deepseek', body: { ...hello, max_completion_tokens: 9 } })
    expect(older.body).toMatchObject({ max_tokens: 9 })
    expect(older.body).not.toHaveProperty('max_completion_tokens')
    const foreign = await sent({ profile: 'openai', path: FROM_CLAUDE, body: claude })
    expect(foreign.body).toMatchObject({ max_completion_tokens: 900 })
  })

  test('26: stop sequences that a server refuses are left out, and reported', async () => {
    const profile = { stop: false }
    const own = await sent({ profile, body: { ...hello, stop: 'END' } })
    const foreign = await sent({
      profile,
      path: FROM_CLAUDE,
      body: { ...claude, stop_sequences: ['END'] },
    })
    for (const { body, losses } of [own, foreign]) {
      expect(body).not.toHaveProperty('stop')
      expect(losses).toBe('1; dropped limits.stop')
    }
  })

  test('27: instructions have the role that the server knows', async () => {
    const instructed = {
      ...hello,
      messages: [{ role: 'developer', content: 'Be kind.' }, ...hello.messages],
    }
    expect(messagesIn(await sent({ profile: 'vllm', body: instructed }))[0]).toEqual({
      role: 'system',
      content: 'Be kind.',
    })
    expect(messagesIn(await sent({ profile: 'openai', body: instructed }))[0]).toEqual({
      role: 'developer',
      content: 'Be kind.',
    })
  })

  test('28: that some tool has to be called is said in the word of the server', async () => {
    const body = { ...hello, tools: TOOLS, tool_choice: 'required' }
    expect((await sent({ profile: 'mistral', body })).body['tool_choice']).toBe('any')
    const foreign = { ...claude, tools: CLAUDE_TOOLS, tool_choice: { type: 'any' } }
    const told = await sent({ profile: 'mistral', path: FROM_CLAUDE, body: foreign })
    expect(told.body['tool_choice']).toBe('any')
  })

  test('29: DeepSeek and Qwen may not be made to call a tool while they think', async () => {
    const forced = { type: 'function', function: { name: 'f' } }
    const body = { ...hello, tools: TOOLS, tool_choice: forced, thinking: { type: 'enabled' } }
    const own = await sent({ profile: 'deepseek', body })
    expect(own.body['tool_choice']).toBe('auto')
    expect(own.losses).toContain('approximated toolChoice')
    const still = await sent({
      profile: 'deepseek',
      body: { ...body, thinking: { type: 'disabled' } },
    })
    expect(still.body['tool_choice']).toEqual(forced)
    const qwen = await sent({
      profile: 'qwen',
      path: '/v1/responses',
      body: {
        model: 'm',
        input: 'Hello.',
        store: false,
        tools: [{ type: 'function', name: 'f', parameters: null, strict: false }],
        tool_choice: 'required',
        reasoning: { effort: 'high' },
      },
    })
    expect(qwen.body).toMatchObject({ tool_choice: 'auto', enable_thinking: true })
  })
})

describe('what is asked otherwise', () => {
  test('thinking is asked for in the words of the server, whatever the caller’s are', async () => {
    const body = { ...hello, reasoning_effort: 'high' }
    const qwen = await sent({ profile: 'qwen', body })
    expect(qwen.body).toMatchObject({ enable_thinking: true })
    expect(qwen.body).not.toHaveProperty('reasoning_effort')
    const off = await sent({ profile: 'deepseek', body: { ...hello, reasoning_effort: 'none' } })
    expect(off.body).toMatchObject({ thinking: { type: 'disabled' } })
    expect(off.body).not.toHaveProperty('reasoning_effort')
    const own = { ...hello, enable_thinking: false }
    expect((await sent({ profile: 'qwen', body: own })).body).toEqual(own)
    const asked = {
      ...claude,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      max_tokens: 4096,
    }
    const routed = await sent({ profile: 'openrouter', path: FROM_CLAUDE, body: asked })
    expect(routed.body['reasoning']).toEqual({ max_tokens: 2048 })
  })

  test('a schema of the reply is words to DeepSeek, which knows JSON alone', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const body = {
      ...hello,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    }
    const told = await sent({ profile: 'deepseek', body })
    expect(told.body['response_format']).toEqual({ type: 'json_object' })
    const [first = {}, second] = messagesIn(told)
    expect(first['role']).toBe('system')
    expect(first['content']).toContain(JSON.stringify(schema))
    expect(second).toEqual(hello.messages[0])
    expect(told.losses).toBe('1; approximated format')
  })

  test('what Claude Code says as the system in the middle is the user’s to an open server', async () => {
    const body = {
      ...claude,
      messages: [...claude.messages, { role: 'system', content: 'Be brief.' }],
    }
    const told = await sent({ profile: 'ollama', dialect: 'messages', path: FROM_CLAUDE, body })
    expect(messagesIn(told)[1]).toEqual({
      role: 'user',
      content: '<system>\nBe brief.\n</system>',
    })
    expect(told.losses).toBe('1; approximated turns.1.role')
  })

  test('an address of a picture is named to Ollama, which fetches none', async () => {
    const url = 'https://pictures.example/a.png'
    const words = { type: 'text', text: 'What is it?' }
    const content = [words, { type: 'image_url', image_url: { url } }]
    const own = { ...hello, messages: [{ role: 'user', content }] }
    const shown = { type: 'image', source: { type: 'url', url } }
    const foreign = { ...claude, messages: [{ role: 'user', content: [words, shown] }] }
    for (const asked of [{ body: own }, { path: FROM_CLAUDE, body: foreign }]) {
      const told = await sent({ profile: 'ollama', ...asked })
      expect(JSON.stringify(messagesIn(told))).not.toContain('image_url')
      expect(JSON.stringify(messagesIn(told))).toContain(url)
      expect(told.losses).toBe('1; dropped turns.0.blocks.1')
    }
  })

  test('a document is named to llama.cpp, and told where it is text', async () => {
    const named = {
      type: 'file',
      file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
    }
    const body = { ...hello, messages: [{ role: 'user', content: [named] }] }
    expect(messagesIn(await sent({ profile: 'llama.cpp', body }))).toEqual([
      { role: 'user', content: [{ type: 'text', text: '[a.pdf left out]' }] },
    ])
    const source = { type: 'text', media_type: 'text/plain', data: 'It is so.' }
    const own = {
      ...claude,
      messages: [{ role: 'user', content: [{ type: 'document', source }] }],
    }
    const told = await sent({
      profile: 'llama.cpp',
      dialect: 'messages',
      path: FROM_CLAUDE,
      body: own,
    })
    expect(messagesIn(told)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'It is so.' }] },
    ])
  })
})

describe('what is told of earlier turns', () => {
  test('39: Mistral gets nine letters and digits, the same for a call and its result', async () => {
    for (const asked of [{ body: loop() }, { path: FROM_CLAUDE, body: claudeLoop() }]) {
      const [, called = {}, result = {}] = messagesIn(await sent({ profile: 'mistral', ...asked }))
      const [call = {}] = objectsOf(called['tool_calls'])
      expect(call['id']).toMatch(/^[a-zA-Z0-9]{9}$/)
      expect(result['tool_call_id']).toBe(call['id'])
    }
  })

  test('40: OpenAI gets no id of more than forty characters', async () => {
    for (const asked of [{ body: loop() }, { path: FROM_CLAUDE, body: claudeLoop() }]) {
      const [, called = {}, result = {}] = messagesIn(await sent({ profile: 'openai', ...asked }))
      const [call = {}] = objectsOf(called['tool_calls'])
      expect(String(call['id']).length).toBeLessThanOrEqual(40)
      expect(result['tool_call_id']).toBe(call['id'])
    }
  })

  test('53: a call of another model is told to DeepSeek with thoughts, if only none', async () => {
    for (const asked of [{ body: loop() }, { path: FROM_CLAUDE, body: claudeLoop() }]) {
      const [, called = {}] = messagesIn(await sent({ profile: 'deepseek', ...asked }))
      expect(called['reasoning_content']).toBe('')
    }
    const body = loop({ reasoning_content: 'Aha.' })
    const [, own = {}] = messagesIn(await sent({ profile: 'deepseek', body }))
    expect(own['reasoning_content']).toBe('Aha.')
  })

  test('54: vLLM is told thoughts by both names', async () => {
    for (const asked of [
      { body: loop({ reasoning_content: 'Aha.' }) },
      { path: FROM_CLAUDE, body: claudeLoop([THOUGHT]) },
    ]) {
      const [, called = {}] = messagesIn(await sent({ profile: 'vllm', ...asked }))
      expect(called).toMatchObject({ reasoning: 'Aha.', reasoning_content: 'Aha.' })
    }
  })

  test('55: Groq is told thoughts by its own name, and no names of speakers', async () => {
    for (const asked of [
      { body: loop({ reasoning_content: 'Aha.', name: 'bob' }) },
      { path: FROM_CLAUDE, body: claudeLoop([THOUGHT]) },
    ]) {
      const [, called = {}] = messagesIn(await sent({ profile: 'groq', ...asked }))
      expect(called['reasoning']).toBe('Aha.')
      expect(called).not.toHaveProperty('reasoning_content')
      expect(called).not.toHaveProperty('name')
    }
  })

  test('56: a picture that a tool gave back is the user’s, behind the last result', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const picture = { type: 'image_url', image_url: { url } }
    const body = loop({}, {}, [{ type: 'text', text: 'Here.' }, picture])
    const [, , result, shown, last] = messagesIn(await sent({ profile: 'vllm', body }))
    expect(result).toMatchObject({ role: 'tool', content: 'Here.' })
    expect(shown).toEqual({
      role: 'user',
      content: [{ type: 'text', text: `Images returned by tool call ${LONG_ID}:` }, picture],
    })
    expect(last).toEqual({ role: 'user', content: 'And?' })
  })

  test('57: arguments that broke off are none to llama.cpp', async () => {
    const told = await sent({ profile: 'llama.cpp', body: loop({}, { arguments: '{"a": "b' }) })
    const [call = {}] = objectsOf(messagesIn(told)[1]?.['tool_calls'])
    expect(objectIn(call['function'])['arguments']).toBe('{}')
    expect(told.losses).toContain('approximated turns.1.input')
  })

  test('the user may not speak right behind results to Mistral', async () => {
    const roles = messagesIn(await sent({ profile: 'mistral', body: loop() }))
    expect(roles.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  test('vLLM hears all instructions at the beginning, and later ones from the user', async () => {
    const body = {
      ...hello,
      messages: [
        { role: 'system', content: 'One.' },
        { role: 'developer', content: 'Two.' },
        ...hello.messages,
        { role: 'system', content: 'Three.' },
      ],
    }
    const told = await sent({ profile: 'vllm', body })
    expect(messagesIn(told)).toEqual([
      { role: 'system', content: 'One.\n\nTwo.' },
      { role: 'user', content: 'Hello.' },
      { role: 'user', content: '<system>\nThree.\n</system>' },
    ])
    expect(told.losses).toContain('approximated turns')
  })
})
