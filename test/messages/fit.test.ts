import { describe, expect, it } from 'vitest'
import { messages } from '../../adapters/messages/index.ts'
import type { ModelFacts } from '../../adapters/contract.ts'
import { objectIn, parse, stringify, type JsonObject } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import type { Request, Tool } from '../../src/model/request.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'

const profile = (name: string): ModelFacts => ({
  server: messages.upstream.profiles?.find((row) => row.name === name)?.facts ?? {},
})

/** The same asked by a caller of this dialect, and by one of another: what each has the server sent. */
const ask = {
  here(body: JsonObject, facts: ModelFacts) {
    const { lose, losses } = lossList()
    const edits = { facts, foreign: true }
    const before = objectIn(parse(stringify(body), messages.caller.verbatim))
    const sent: JsonObject = JSON.parse(stringify(messages.same.edit(before, edits, lose)))
    return { sent, losses: losses.map(({ code, path }) => `${code} ${path}`) }
  },
  elsewhere(asked: Partial<Request>, facts: ModelFacts) {
    const { lose, losses } = lossList()
    const request = { ...emptyRequest('m'), limits: { maxOutputTokens: 9000 }, ...ASKED, ...asked }
    const target = { model: 'm', defaultMaxOutputTokens: 9000, facts }
    const { body } = messages.upstream.writeRequest(request, { target, lose })
    const sent: JsonObject = JSON.parse(stringify(body))
    return { sent, losses: losses.map(({ code, path }) => `${code} ${path}`) }
  },
}

const ASKED: Partial<Request> = {
  turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'q' }] }],
}
const QUESTION = { role: 'user', content: 'q' }
const BODY = { model: 'm', max_tokens: 9000, messages: [QUESTION] }
const SCHEMA = '{"type":"object","properties":{"a":{"type":"string"}}}'
const input_schema = JSON.parse(SCHEMA)
const named = (name: string) => ({ name, input_schema })
const added = (name: string) => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition: named(name) },
})
const change = (type: string, name: string) => ({ type, tool: { type: 'tool_reference', name } })
const system = (effort: string) => ({ role: 'system', content: 's', output_config: { effort } })
const tool = (name: string, more: object = {}): Tool => ({
  kind: 'function',
  name,
  schema: SCHEMA,
  ...more,
})

describe('a tool that is to be called while the model thinks', () => {
  const sent = {
    thinking: { type: 'enabled', budget_tokens: 2048 },
    tool_choice: { type: 'auto' },
    tools: [named('two')],
  }

  it('is one of free choice where the server cannot do both, and it alone is offered', () => {
    const body = {
      ...BODY,
      thinking: sent.thinking,
      tools: [named('one'), named('two')],
      tool_choice: { type: 'tool', name: 'two' },
    }
    const request: Partial<Request> = {
      tools: [tool('one'), tool('two')],
      toolChoice: { mode: 'required', names: ['two'] },
      reasoning: { mode: 'on', budget: 2048 },
    }
    const losses = ['approximated toolChoice']
    expect(ask.here(body, profile('deepseek'))).toMatchObject({ sent, losses })
    expect(ask.elsewhere(request, profile('deepseek'))).toMatchObject({ sent, losses })
  })

  it('leaves the others on offer where the prompt is to be cached', () => {
    const tools = [named('one'), { ...named('two'), cache_control: { type: 'ephemeral' } }]
    const body = {
      ...BODY,
      thinking: sent.thinking,
      tools,
      tool_choice: { type: 'tool', name: 'two' },
    }
    expect(ask.here(body, profile('deepseek')).sent).toMatchObject({
      tool_choice: { type: 'auto' },
      tools,
    })
  })
})

describe('a server without strict tools', () => {
  const facts: ModelFacts = { server: { strictTools: false } }
  const strict = { type: 'object', additionalProperties: false }

  it('is sent plain ones, which is told of those that were strict', () => {
    const [one, two] = ['one', 'two'].map((name) => ({ name, input_schema: strict }))
    const tools = [
      { ...one, strict: true },
      { ...two, strict: false },
    ]
    expect(ask.here({ ...BODY, tools }, facts)).toEqual({
      sent: { ...BODY, tools: [one, two] },
      losses: ['dropped tools.one.strict'],
    })
    const schema = stringify(strict)
    const asked = {
      tools: [tool('one', { schema, strict: true }), tool('two', { schema, strict: false })],
    }
    expect(ask.elsewhere(asked, facts).losses).toEqual(['dropped tools.one.strict'])
  })
})

it('a named tool alone is offered where a choice may name none, and that is told', () => {
  const facts: ModelFacts = { server: { namedChoice: false } }
  const sent = { tool_choice: { type: 'any' }, tools: [named('two')] }
  const losses = ['approximated toolChoice']
  const tools = [named('one'), named('two')]
  const body = { ...BODY, tools, tool_choice: { type: 'tool', name: 'two' } }
  expect(ask.here(body, facts)).toMatchObject({ sent, losses })
  const asked: Partial<Request> = {
    tools: [tool('one'), tool('two')],
    toolChoice: { mode: 'required', names: ['two'] },
  }
  expect(ask.elsewhere(asked, facts)).toMatchObject({ sent, losses })
})

describe('a schema that the server does not enforce', () => {
  const config = { effort: 'high', format: { type: 'json_schema', schema: input_schema } }
  const format = { type: 'json-schema', schema: SCHEMA } as const

  it('is said in words as the caller wrote it, beside an effort', () => {
    const kind = [{ type: 'text', text: 'Be kind.' }]
    const here = ask.here(
      { ...BODY, system: 'Be kind.', output_config: config },
      profile('deepseek'),
    )
    expect(here.losses).toEqual(['approximated format'])
    expect(here.sent).toMatchObject({
      output_config: { effort: 'high' },
      system: [...kind, { type: 'text', text: expect.stringContaining(SCHEMA) }],
    })
    const elsewhere = ask.elsewhere(
      { system: [{ kind: 'text', text: 'Be kind.' }], format },
      profile('deepseek'),
    )
    expect(elsewhere.losses).toEqual(['approximated format'])
    expect(elsewhere.sent['system']).toEqual(here.sent['system'])
    expect(elsewhere.sent).not.toHaveProperty('output_config')
  })

  it('is said in words, too, where the server does not know its member, and what else stood there is told', () => {
    const { sent, losses } = ask.here({ ...BODY, output_config: config }, profile('llama.cpp'))
    expect(sent).toEqual({ ...BODY, system: expect.stringContaining(SCHEMA) })
    expect(losses).toEqual(['approximated format', 'dropped reasoning.effort'])
    expect(ask.elsewhere({ format }, profile('llama.cpp')).sent).toEqual({
      ...BODY,
      system: expect.stringContaining(SCHEMA),
    })
  })
})

describe('what comes in the middle of a conversation, to a server that knows it only at the beginning', () => {
  it('stands there: tools and an effort; words are said by the user', () => {
    const late = {
      role: 'system',
      content: [{ type: 'text', text: 'Use two.' }, added('two'), added('one')],
      output_config: { effort: 'low' },
    }
    const body = { ...BODY, tools: [named('one')], messages: [QUESTION, late] }
    expect(ask.here(body, profile('deepseek'))).toEqual({
      sent: {
        ...BODY,
        tools: [named('one'), named('two')],
        output_config: { effort: 'low' },
        messages: [QUESTION, { role: 'user', content: '<system>\nUse two.\n</system>' }],
      },
      losses: ['approximated tools.late', 'approximated turns.1.role'],
    })
  })

  it('says nothing where it brings nothing but tools', () => {
    const body = { ...BODY, messages: [QUESTION, { role: 'system', content: [added('two')] }] }
    const losses = ['approximated tools.late']
    const sent = { ...BODY, tools: [named('two')] }
    expect(ask.here(body, profile('deepseek'))).toEqual({ sent, losses })
    expect(ask.here(body, profile('litellm'))).toEqual({ sent, losses })
  })

  it('is on offer before it is found, and what was found is told in words', () => {
    const use = { type: 'tool_use', id: 'toolu_1', name: 'one', input: {} }
    const found = { type: 'tool_reference', tool_name: 'two' }
    const answer = { type: 'tool_result', tool_use_id: 'toolu_1', content: [found] }
    const body = {
      ...BODY,
      tools: [named('one'), { ...named('two'), defer_loading: true }],
      messages: [
        QUESTION,
        { role: 'assistant', content: [use] },
        { role: 'user', content: [answer] },
      ],
    }
    const { sent, losses } = ask.here(body, profile('vllm'))
    expect(losses).toEqual(['approximated tools.deferred'])
    expect(sent).toMatchObject({ tools: [named('one'), named('two')] })
    expect(stringify(sent)).not.toMatch(/defer_loading|tool_reference/)
  })
})

it('thoughts that become a budget are not asked for where the proof of the last ones is missing', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'one', input: {} }
  const answer = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'r' }
  const body = {
    ...BODY,
    thinking: { type: 'adaptive' },
    messages: [
      QUESTION,
      { role: 'assistant', content: [use] },
      { role: 'user', content: [answer] },
    ],
  }
  const { sent, losses } = ask.here(body, { thinking: 'budget' })
  expect(sent).not.toHaveProperty('thinking')
  expect(losses).toContain('approximated reasoning.mode')
  const open = ask.here(body, { thinking: 'budget', server: { unprovenThoughts: true } })
  expect(open.sent).toMatchObject({ thinking: { type: 'enabled' } })
})

describe('what is configured of a model holds for callers of its own dialect too', () => {
  const efforts = ['low', 'medium', 'high'] as const
  const adaptive = { type: 'adaptive', display: 'omitted' }
  const thinks = (effort: string) => ({ ...BODY, thinking: adaptive, output_config: { effort } })

  it('an effort beyond the list becomes the nearest, and the thoughts stay as they were asked for', () => {
    const losses = ['approximated reasoning.effort']
    expect(ask.here(thinks('max'), { efforts })).toEqual({ sent: thinks('high'), losses })
    expect(ask.here(thinks('low'), { efforts })).toEqual({ sent: thinks('low'), losses: [] })
    const { output_config: _, ...rest } = thinks('max')
    expect(ask.here(thinks('max'), { efforts: [] })).toEqual({
      sent: rest,
      losses: ['dropped reasoning.effort'],
    })
  })

  it('so does one that the conversation brings', () => {
    const { sent, losses } = ask.here(
      { ...BODY, messages: [QUESTION, system('xhigh')] },
      { efforts },
    )
    expect(sent['messages']).toEqual([QUESTION, system('high')])
    expect(losses).toEqual(['approximated reasoning.effort'])
  })

  it('thinking that cannot be switched off is the least there is, or goes on between calls', () => {
    const body = { ...BODY, thinking: { type: 'disabled' } }
    const losses = ['approximated reasoning.mode']
    expect(ask.here(body, { thinkingOff: false, thinking: 'adaptive', efforts })).toEqual({
      sent: { ...BODY, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      losses,
    })
    expect(ask.here(body, { thinkingOff: 'between_tools' })).toEqual({
      sent: { ...BODY, thinking: { type: 'between_tools' } },
      losses,
    })
    expect(ask.here(body, { thinkingOff: true })).toEqual({ sent: body, losses: [] })
  })

  it('a temperature goes where there is none, and only an unusual one is told', () => {
    const body = { ...BODY, temperature: 0.5, top_p: 1, top_k: 5 }
    const gone = { sent: BODY, losses: ['dropped sampling.temperature', 'dropped sampling.topK'] }
    expect(ask.here(body, { sampling: 'never' })).toEqual(gone)
    expect(ask.here(body, { sampling: 'without-thinking' })).toEqual({ sent: body, losses: [] })
    const { sent } = ask.here({ ...body, thinking: adaptive }, { sampling: 'without-thinking' })
    expect(sent).toEqual({ ...BODY, thinking: adaptive })
  })

  it('a tool is not forced where none can be', () => {
    const tools = [named('one'), named('two')]
    const body = { ...BODY, tools, tool_choice: { type: 'tool', name: 'two' } }
    const sent = { ...BODY, tools: [named('two')], tool_choice: { type: 'auto' } }
    expect(ask.here(body, { forcedChoice: false })).toEqual({
      sent,
      losses: ['approximated toolChoice'],
    })
    const hosted = { type: 'web_search_20250305', name: 'web_search' }
    const mixed = { ...body, tools: [...tools, hosted], tool_choice: { type: 'any' } }
    expect(ask.here(mixed, { forcedChoice: false }).sent).toEqual({
      ...mixed,
      tool_choice: { type: 'auto' },
    })
  })

  it('instructions and tools stand at the beginning where the model takes them there alone', () => {
    const late = { role: 'system', content: [{ type: 'text', text: 's' }, added('two')] }
    const body = { ...BODY, messages: [QUESTION, late] }
    const words = { role: 'user', content: '<system>\ns\n</system>' }
    expect(ask.here(body, { systemInPlace: false }).sent).toEqual({
      ...BODY,
      tools: [named('two')],
      messages: [QUESTION, words],
    })
    expect(ask.here(body, { lateTools: false }).sent).toEqual({
      ...BODY,
      tools: [named('two')],
      messages: [QUESTION, { ...late, content: late.content.slice(0, 1) }],
    })
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }
    const waiting = { ...BODY, tools: [search, { ...named('two'), defer_loading: true }] }
    expect(ask.here(waiting, { deferredTools: false })).toEqual({
      sent: { ...BODY, tools: [named('two')] },
      losses: ['dropped tools.tool-search', 'approximated tools.deferred'],
    })
  })

  it('what a system message says goes where its beta goes, and holds from the beginning', () => {
    const effort = { effort: 'low' }
    const late = {
      role: 'system',
      content: [
        { type: 'text', text: 's' },
        added('two'),
        change('tool_addition', 'three'),
        change('tool_removal', 'one'),
      ],
      output_config: effort,
      clear_at: 'next_user_message',
    }
    const alone = { role: 'system', output_config: effort }
    const hidden = { ...named('three'), defer_loading: true }
    const body = { ...BODY, tools: [named('one'), hidden], messages: [QUESTION, late, alone] }
    const words = { type: 'text', text: '(for the turn above only)' }
    expect(ask.here(body, profile('vertex'))).toEqual({
      sent: {
        ...BODY,
        tools: [named('one'), named('three'), named('two')],
        messages: [QUESTION, { role: 'system', content: [late.content[0], words] }],
        output_config: effort,
      },
      losses: [
        'approximated tools.late',
        'approximated tools.deferred',
        'approximated turns.1.passing',
        'dropped turns.1.blocks.3',
      ],
    })
    const taken = ask.here(body, profile('claude-aws'))
    expect(taken).toEqual({ sent: body, losses: [] })
    const { sent } = ask.here(body, profile('bedrock'))
    expect(sent['tools']).toEqual([named('one'), hidden, named('two')])
    expect(sent['messages']).toMatchObject([
      {},
      { content: [{}, late.content[2], late.content[3], words], output_config: effort },
      alone,
    ])
  })

  it('a message without words says nothing of when it passes', () => {
    const change = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'one' } }
    const passing = { role: 'system', clear_at: 'next_user_message' }
    const effort = { ...passing, output_config: { effort: 'low' } }
    const removal = { ...passing, content: [change] }
    const body = { ...BODY, tools: [named('one')], messages: [QUESTION, effort, removal] }
    const sent = {
      ...BODY,
      tools: [named('one')],
      messages: [QUESTION],
      output_config: { effort: 'low' },
    }
    const losses = ['dropped turns.2.blocks.0']
    expect(ask.here(body, profile('vertex'))).toEqual({ sent, losses })
    expect(ask.here(body, { systemInPlace: false })).toEqual({ sent, losses })
  })

  it('instructions that pass say so where they are words of the user', () => {
    const late = { role: 'system', content: 's', clear_at: 'next_user_message' }
    expect(ask.here({ ...BODY, messages: [QUESTION, late] }, { systemInPlace: false })).toEqual({
      sent: {
        ...BODY,
        messages: [
          QUESTION,
          { role: 'user', content: '<system>\ns\n\n(for the turn above only)\n</system>' },
        ],
      },
      losses: ['approximated turns.1.role', 'approximated turns.1.passing'],
    })
  })
})
