import { describe, expect, it, test } from 'vitest'
import type { ModelFacts, ServerFacts } from '../../adapters/contract.ts'
import { responses } from '../../adapters/responses/index.ts'
import { objectIn, objectsOf, parse, stringify, type JsonObject } from '../../src/json/json.ts'
import type { Block } from '../../src/model/request.ts'
import { lossList } from '../../src/model/loss.ts'
import { writeEnvelope } from '../../src/model/proof.ts'
import { assistant, foreign, text, user, write } from './exchange.ts'

/** What a caller of this dialect has sent, as it goes on. */
function passed(members: JsonObject, facts: ModelFacts) {
  const { lose, losses } = lossList()
  const body = { model: 'm', input: [{ role: 'user', content: 'Hi.' }], ...members }
  const read = objectIn(parse(stringify(body), responses.caller.verbatim))
  const sent = responses.same.edit(read, { facts, foreign: true }, lose)
  return {
    body: objectIn(JSON.parse(stringify(sent))),
    losses: losses.map(({ code, path }) => `${code} ${path}`),
  }
}

const of = (name: string): ServerFacts =>
  responses.upstream.profiles?.find((row) => row.name === name)?.facts ?? {}

const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
  ...more,
})

describe('what a server does not take of a caller of its own dialect', () => {
  it('is narrowed to the tools that may be called, where it cannot be told which', () => {
    const tools = ['one', 'two', 'three'].map((name) => tool(name))
    const allowed = ['one', 'two'].map((name) => ({ type: 'function', name }))
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: allowed }
    const { body, losses } = passed({ tools, tool_choice }, { server: of('llama.cpp') })
    expect(body).toMatchObject({ tools: tools.slice(0, 2), tool_choice: 'required' })
    expect(losses).toEqual(['approximated toolChoice'])
    const named = { type: 'function', name: 'two' }
    const forced = passed({ tools, tool_choice: named }, { server: of('llama.cpp') })
    expect(forced.body).toMatchObject({ tools: [tools[1]], tool_choice: 'required' })
    expect(forced.losses).toEqual([])
  })

  it('is told of a strict tool and a strict format, and not of one that need not be', () => {
    const tools = [tool('one', { strict: true }), tool('two', { strict: false })]
    const format = { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true }
    const { body, losses } = passed({ tools, text: { format } }, { server: { strictTools: false } })
    expect(JSON.stringify(body)).not.toContain('strict')
    expect(losses.toSorted()).toEqual(['dropped format.strict', 'dropped tools.one.strict'])
  })

  it('is told of the text of its answer by what it asked there', () => {
    const verbose = { verbosity: 'low' }
    const lite = passed({ text: verbose }, { server: of('litellm') })
    expect(lite.body).not.toHaveProperty('text')
    expect(lite.losses).toEqual(['dropped sampling.verbosity'])
    const both = { ...verbose, format: { type: 'json_object' } }
    const left = passed({ text: both }, { server: of('litellm') })
    expect(left.body['text']).toEqual({ format: both.format })
    const none = passed({ text: both }, { server: of('llama.cpp') })
    expect(none.body).not.toHaveProperty('text')
    expect(none.losses).toEqual(['dropped sampling.verbosity', 'dropped format'])
    expect(passed({ text: verbose }, { drop: ['text'] }).losses).toEqual([
      'dropped sampling.verbosity',
    ])
    expect(passed({ text: { verbosity: 'medium' } }, { drop: ['text'] }).losses).toEqual([])
  })

  it('names its user as the server knows it', () => {
    const { body, losses } = passed({ safety_identifier: 'u' }, { server: of('groq') })
    expect(body).toMatchObject({ user: 'u' })
    expect(body).not.toHaveProperty('safety_identifier')
    expect(losses).toEqual([])
    const twice = { safety_identifier: 'u', user: 'older' }
    expect(passed(twice, { server: of('groq') })).toMatchObject({
      body: { user: 'u' },
      losses: ['dropped user'],
    })
    expect(passed(twice, { server: of('openai') })).toMatchObject({ body: twice, losses: [] })
  })

  it('keeps thoughts of another service as words, where the server reads such', () => {
    const proof = { dialect: 'messages', value: 'v' }
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Aha.' }],
      encrypted_content: writeEnvelope(proof, 'self'),
    }
    const input = [{ role: 'user', content: 'Hi.' }, item, { role: 'assistant', content: 'Yes.' }]
    const open = passed({ input }, { server: of('vllm') })
    expect(objectsOf(open.body['input'])[1]).toMatchObject({
      content: [{ type: 'reasoning_text', text: 'Aha.' }],
    })
    expect(open.losses).toEqual(['dropped turns.1.blocks.0.seal'])
    const { body, losses } = passed({ input }, { server: of('openai') })
    expect(objectsOf(body['input'])).toHaveLength(2)
    expect(losses).toEqual(['dropped turns.1.blocks.0.seal', 'dropped turns.1.blocks.0'])
  })

  it('is told the last effort, where none can be told on the way', () => {
    const update = { type: 'configuration_update', reasoning: { effort: 'high' } }
    const input = [{ role: 'user', content: 'Hi.' }, update, { role: 'user', content: 'And?' }]
    const reasoning = { effort: 'low', summary: 'auto' }
    const { body, losses } = passed({ input, reasoning }, { server: of('xai') })
    expect(body).toMatchObject({
      input: [input[0], input[2]],
      reasoning: { effort: 'high', summary: 'auto' },
    })
    expect(losses).toEqual([])
  })

  it('is told of instructions that become words of the user, in their turn', () => {
    const call = { type: 'function_call', name: 'f', arguments: '{}' }
    const found = { type: 'function_call_output', output: '1' }
    const later = { role: 'developer', content: 'Be brief.' }
    const input = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Hi.' },
      { ...call, call_id: 'c1' },
      { ...call, call_id: 'c2' },
      { ...found, call_id: 'c1' },
      { ...found, call_id: 'c2' },
      later,
    ]
    const { body, losses } = passed({ input }, { server: { systemFirst: true } })
    expect(body).toMatchObject({ instructions: 'Be kind.' })
    expect(objectsOf(body['input']).at(-1)).toMatchObject({ role: 'user' })
    expect(losses).toEqual(['approximated turns.4.role'])
  })

  it('chooses a tool of an MCP server', () => {
    const tools = [{ type: 'mcp', server_label: 's', server_url: 'https://s.example' }]
    const tool_choice = { type: 'mcp', server_label: 's', name: 'one' }
    const { body, losses } = passed({ tools, tool_choice }, { server: of('openai') })
    expect(body).toMatchObject({ tool_choice })
    expect(losses).toEqual([])
  })

  it('chooses among tools that the conversation brings', () => {
    const late = { type: 'additional_tools', role: 'developer', tools: [tool('two')] }
    const input = [{ role: 'user', content: 'Hi.' }, late]
    const tool_choice = { type: 'function', name: 'two' }
    const { body, losses } = passed({ input, tool_choice }, { server: of('openai') })
    expect(body).toMatchObject({ tool_choice })
    expect(losses).toEqual([])
  })
})

describe('plain JSON mode', () => {
  const text_ = { format: { type: 'json_object' } }
  const words = 'When you give your final answer, give JSON and nothing else.'

  test.each(['openai', 'azure', 'groq'])('is asked for in words as well at %s', (name) => {
    const server = of(name)
    const { body, losses } = passed({ text: text_ }, { server })
    expect(objectsOf(body['input']).map(({ content }) => content)).toEqual([words, 'Hi.'])
    expect(losses).toEqual(['defaulted format'])
    expect(passed({ text: text_, input: 'Hi.' }, { server }).body['input']).toMatchObject([
      { role: 'developer', content: words },
      { role: 'user', content: 'Hi.' },
    ])
  })

  test.each<[string, JsonObject]>([
    ['the user says the word', { input: 'Give me json.' }],
    ['the conversation goes on elsewhere', { previous_response_id: 'resp_1' }],
    ['the prompt is kept elsewhere', { prompt: { id: 'p' } }],
  ])('passes as it is where %s', (_, members) => {
    expect(passed({ text: text_, ...members }, { server: of('openai') }).losses).toEqual([])
  })

  it('passes as it is at a server that does not ask for the word', () => {
    const { body, losses } = passed({ text: text_ }, { server: of('vllm') })
    expect(objectsOf(body['input'])).toHaveLength(1)
    expect(losses).toEqual([])
  })

  it('begins every request of a conversation alike', () => {
    const first = foreign([user(text('Hi.'))], { format: { type: 'json' } })
    const turns = [...first.turns, assistant(text('{"json":1}')), user(text('More JSON.'))]
    const begin = (request: typeof first) =>
      JSON.stringify(objectsOf(write(request).body['input']).slice(0, 2))
    expect(begin({ ...first, turns })).toBe(begin(first))
  })
})

describe('a format that is asked for in words', () => {
  test.each([[[]], [[user(text(''))]], [[user(text('Hi.'))]]])(
    'is, whatever turns: %j',
    (turns) => {
      const format = { type: 'choice' as const, among: ['red', 'blue'] }
      const { body, losses } = write({ ...foreign(turns, { format }), system: [text('Choose.')] })
      const asked = objectsOf(body['input']).filter(({ role }) => role === 'developer')
      expect(asked).toMatchObject([{ content: expect.stringContaining('red\nblue') }])
      expect(losses).toContain('approximated format')
    },
  )
})

describe('what the configuration says of a model holds for a caller of its own dialect', () => {
  test.each<[ModelFacts, JsonObject, JsonObject, string[]]>([
    [
      { efforts: ['low', 'medium'] },
      { reasoning: { effort: 'high', summary: 'auto' } },
      { reasoning: { effort: 'medium', summary: 'auto' } },
      ['approximated reasoning.effort'],
    ],
    [
      { thinkingOff: false, efforts: ['low', 'high'] },
      { reasoning: { effort: 'none' } },
      { reasoning: { effort: 'low' } },
      ['approximated reasoning.mode'],
    ],
    [
      { sampling: 'never' },
      { temperature: 0.5, top_p: 1, top_logprobs: 2 },
      {},
      ['dropped sampling.temperature', 'dropped sampling.logprobs'],
    ],
    [
      { sampling: 'without-thinking' },
      { temperature: 0.5, reasoning: { effort: 'none' } },
      { temperature: 0.5, reasoning: { effort: 'none' } },
      [],
    ],
    [
      { forcedChoice: false },
      { tools: [tool('one'), tool('two')], tool_choice: 'required' },
      { tools: [tool('one'), tool('two')], tool_choice: 'auto' },
      ['approximated toolChoice'],
    ],
    [
      { prefill: false },
      {
        input: [
          { role: 'user', content: 'Hi.' },
          { role: 'assistant', content: 'So' },
        ],
      },
      {
        input: [
          { role: 'user', content: 'Hi.' },
          { role: 'assistant', content: 'So' },
          { type: 'message', role: 'user', content: 'Continue.' },
        ],
      },
      ['approximated turns'],
    ],
  ])('%j', (facts, members, sent, told) => {
    const { body, losses } = passed(members, facts)
    const { model: _, ...rest } = body
    expect(rest).toEqual({ input: [{ role: 'user', content: 'Hi.' }], ...sent })
    expect(losses).toEqual(told)
  })
})

test('a document is named by its own place where it is left out', () => {
  const paper = {
    kind: 'media',
    mediaType: 'application/pdf',
    source: { data: 'JVBERi0=' },
  } as const
  const request = foreign([user(text('Hi.')), assistant(text('Yes.')), user(text('And?'), paper)])
  const { losses } = write(request, { server: of('llama.cpp') })
  expect(losses).toContain('dropped turns.2.blocks.1')
})

const asksFor = (...blocks: Block[]) =>
  write(foreign([user(text('Hi.')), assistant(...blocks, text('Yes.')), user(text('And?'))])).body[
    'include'
  ]

test('proofs are asked for where some are brought back, and not for thoughts that are left out', () => {
  const thought = { kind: 'reasoning', text: 'Aha.' } as const
  expect(asksFor(thought)).toBeUndefined()
  expect(asksFor({ ...thought, proof: { dialect: 'responses', value: 'v' } })).toEqual([
    'reasoning.encrypted_content',
  ])
})
