import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import { brokenAt, promptOf } from '../replay/chains.ts'
import { lossesOf } from './translate.ts'

function sent(from: Dialect, to: Dialect, model: string, asked: object) {
  const request = translator({ from, to, model }).request(
    JSON.stringify({ ...kits[from].ask.needed, model, ...asked }),
  )
  const body: JsonObject = JSON.parse(request.text)
  return { ...request, body }
}

const schema = { type: 'object', properties: {} }
const FUNCTION = { type: 'function', name: 'late', parameters: schema, strict: false }
const EARLY = { ...FUNCTION, name: 'early' }
const DEFINITION = { name: 'late', input_schema: schema }
const user = (content: string) => ({ role: 'user', content })
const said = (content: string) => ({ role: 'assistant', content })
const instruct = (content: string) => ({ role: 'developer', content })
const brings = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools })
const adds = (tool: object) => ({ role: 'system', content: [{ type: 'tool_addition', tool }] })
const removes = (name: string) => ({
  role: 'system',
  content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name } }],
})
const added = (tool: object) => [user('a'), adds(tool), said('b'), user('c')]
const OPUS = 'claude-opus-5-5'
const GPT = 'gpt-5.6'

describe('tools that come in the middle of a conversation', () => {
  const input = [user('a'), said('b'), user('c'), brings(FUNCTION), said('d'), user('e')]
  const ask = (to: Dialect, model: string, items: object[] = input) =>
    sent('responses', to, model, { input: items, tools: [EARLY] })

  it('stand in place for a messages model that takes them there', () => {
    const { body, headers, losses } = ask('messages', OPUS)
    expect(body['tools']).toMatchObject([{ name: 'early' }])
    expect(body['messages']).toMatchObject([
      user('a'),
      said('b'),
      user('c'),
      adds({ type: 'tool_definition', definition: DEFINITION }),
      said('d'),
      user('e'),
    ])
    expect(headers['anthropic-beta']).toContain('inline-tools-2026-09-15')
    expect(losses).toEqual([{ code: 'defaulted', path: 'limits.maxOutputTokens' }])
  })

  it('come by their names on another platform, where the tools themselves are hidden until then', () => {
    const { body, headers } = ask('messages', 'anthropic.claude-opus-5-5-v1')
    expect(body['tools']).toMatchObject([{ name: 'early' }, { name: 'late', defer_loading: true }])
    expect(body['messages']).toMatchObject([{}, {}, {}, adds({ name: 'late' }), {}, {}])
    expect(headers['anthropic-beta']).toBe('mid-conversation-tool-changes-2026-07-01')
  })

  it('are offered from the beginning by all others, which is told', () => {
    const others = [
      ['messages', 'claude-sonnet-4-20250514'],
      ['generate-content', 'gemini-3-pro'],
      ['chat-completions', GPT],
    ] as const
    for (const [to, model] of others) {
      const request = ask(to, model)
      expect(request.text.match(/"late"/g)).toHaveLength(1)
      expect(lossesOf(request)).toContain('approximated tools.late')
    }
  })

  it('are among the first ones where they come before anything is said (trap 20)', () => {
    for (const to of ['messages', 'generate-content', 'chat-completions'] as const) {
      const model = to === 'messages' ? OPUS : 'm'
      const request = ask(to, model, [brings(FUNCTION), instruct('x'), user('a')])
      expect(JSON.stringify(request.body['tools'])).toMatch(/"early".*"late"/)
      expect(lossesOf(request)).not.toContain('approximated tools.late')
    }
  })

  it('change nothing of what was sent before (trap 6)', () => {
    const turns = [1, 3, 5].map((count) =>
      promptOf(ask('messages', OPUS, input.slice(0, count)).body),
    )
    expect(brokenAt(turns[0] ?? never, turns[1] ?? never)).toBeUndefined()
    expect(brokenAt(turns[1] ?? never, turns[2] ?? never)).toBeUndefined()
  })

  it('are said as a responses upstream says it, with the whole tool or by its name', () => {
    const hidden = { ...DEFINITION, defer_loading: true }
    const whole = sent('messages', 'responses', GPT, {
      messages: added({ type: 'tool_definition', definition: DEFINITION }),
    })
    const named = sent('messages', 'responses', GPT, {
      tools: [hidden],
      messages: added({ type: 'tool_reference', name: 'late' }),
    })
    for (const { body, losses } of [whole, named]) {
      expect(body['tools']).toBeUndefined()
      expect(body['input']).toMatchObject([{}, brings({ type: 'function', name: 'late' }), {}, {}])
      expect(losses).toEqual([])
    }
    const old = sent('messages', 'responses', 'gpt-4.1', {
      messages: added({ type: 'tool_definition', definition: DEFINITION }),
    })
    expect(old.body['tools']).toMatchObject([{ name: 'late' }])
    expect(lossesOf(old)).toContain('approximated tools.late')
  })

  it('come once to a responses upstream that takes none there, also where they were hidden', () => {
    const search = { name: 'tool_search_tool_bm25', type: 'tool_search_tool_bm25_20251119' }
    for (const beside of [[], [search]]) {
      const request = sent('messages', 'responses', 'gpt-4.1', {
        tools: [{ ...DEFINITION, defer_loading: true }, ...beside],
        messages: added({ type: 'tool_reference', name: 'late' }),
      })
      expect(request.text).not.toContain('additional_tools')
      expect(request.text.match(/"late"/g)).toHaveLength(1)
      expect(lossesOf(request)).toContain('approximated tools.deferred')
    }
  })

  it('are told to be absent from a responses upstream until the conversation names them', () => {
    const tools = [{ ...DEFINITION, defer_loading: true }]
    const unnamed = sent('messages', 'responses', GPT, { tools, messages: [user('a')] })
    expect(unnamed.body['tools']).toBeUndefined()
    expect(lossesOf(unnamed)).toEqual(['approximated tools.deferred'])
    const messages = added({ type: 'tool_reference', name: 'late' })
    expect(lossesOf(sent('messages', 'responses', GPT, { tools, messages }))).toEqual([])
  })

  it('can be forced like any other', () => {
    const choice = { type: 'function', name: 'late' }
    const { body } = sent('responses', 'messages', 'claude-opus-4-8', {
      input,
      tool_choice: choice,
    })
    expect(body['tool_choice']).toEqual({ type: 'tool', name: 'late' })
  })

  it('stay as they are in their own dialect', () => {
    expect(ask('responses', GPT).body['input']).toEqual(input)
    const messages = [user('a'), adds({ type: 'tool_definition', definition: DEFINITION })]
    expect(sent('messages', 'messages', OPUS, { messages }).body['messages']).toEqual(messages)
  })
})

const never = { head: '', turns: [] }

describe('a tool that is taken away in the middle of a conversation', () => {
  const body = {
    tools: [DEFINITION, { ...DEFINITION, name: 'other' }],
    messages: [user('a'), removes('late'), said('b'), user('c')],
  }
  it('stays on offer, and the choice is among the others', () => {
    const responses = sent('messages', 'responses', GPT, body)
    expect(responses.body['tools']).toHaveLength(2)
    expect(responses.body['tool_choice']).toEqual({
      type: 'allowed_tools',
      mode: 'auto',
      tools: [{ type: 'function', name: 'other' }],
    })
    const { body: generate } = sent('messages', 'generate-content', 'gemini-3-pro', body)
    expect(generate['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['other'] },
    })
    const chat = sent('messages', 'chat-completions', 'm', body)
    expect(chat.text).toContain('"late"')
    expect(lossesOf(chat)).toContain('approximated toolChoice')
  })
  it('can be called again once it has come back', () => {
    const back = adds({ type: 'tool_reference', name: 'late' })
    const messages = [...body.messages, back]
    expect(sent('messages', 'responses', GPT, { ...body, messages }).text).not.toContain('allowed')
  })
})

describe('a tool that its caller finds', () => {
  const TOOL = { ...DEFINITION, defer_loading: true }
  const SEARCH = { name: 'find', input_schema: schema }
  const messages = [
    user('a'),
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'find', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [{ type: 'tool_reference', tool_name: 'late' }],
        },
      ],
    },
  ]
  const found = 'The tool late was found and can be called.'

  it('comes whole behind the result for a responses upstream (trap 18)', () => {
    const { body, losses } = sent('messages', 'responses', GPT, { tools: [SEARCH, TOOL], messages })
    expect(body['tools']).toMatchObject([{ name: 'find' }])
    expect(body['input']).toMatchObject([
      {},
      { type: 'function_call' },
      { type: 'function_call_output', output: found },
      brings({ type: 'function', name: 'late' }),
    ])
    expect(losses).toEqual([])
  })

  it('is offered from the beginning where there is no other way (trap 19)', () => {
    for (const to of ['generate-content', 'chat-completions'] as const) {
      const request = sent('messages', to, 'm', { tools: [SEARCH, TOOL], messages })
      expect(request.text).toContain(found)
      expect(JSON.stringify(request.body['tools'])).toContain('"late"')
      expect(lossesOf(request)).toContain('approximated tools.deferred')
    }
  })

  const input = [
    user('a'),
    { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: {} },
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', tools: [FUNCTION] },
  ]
  const tools = [{ type: 'tool_search', execution: 'client' }]

  it('is hidden until it is named, for a messages model that searches', () => {
    const { body } = sent('responses', 'messages', 'claude-opus-4-5', { tools, input })
    expect(body['tools']).toMatchObject([
      { name: 'tool_search' },
      { name: 'late', defer_loading: true },
    ])
    expect(body['messages']).toMatchObject([
      {},
      { content: [{ name: 'tool_search' }] },
      messages[2],
    ])
    const older = sent('responses', 'messages', 'claude-3-5-haiku-latest', { tools, input })
    expect(older.text).not.toContain('defer_loading')
    expect(older.text).toContain(found)
    expect(lossesOf(older)).toContain('approximated tools.deferred')
  })
})

describe('a search for tools by the service', () => {
  const hidden = { ...FUNCTION, defer_loading: true }
  it('is asked for in either way', () => {
    const asked = { tools: [hidden, { type: 'tool_search' }], input: 'a' }
    const { body } = sent('responses', 'messages', OPUS, asked)
    expect(body['tools']).toMatchObject([
      { name: 'late', defer_loading: true },
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    ])
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }
    const tools = [{ ...DEFINITION, defer_loading: true }, search]
    const back = sent('messages', 'responses', GPT, { tools, messages: [user('a')] })
    expect(back.body['tools']).toMatchObject([
      { name: 'late', defer_loading: true },
      { type: 'tool_search' },
    ])
    expect(
      sent('messages', 'messages', OPUS, { tools, messages: [user('a')] }).body['tools'],
    ).toEqual(tools)
  })
  it('is left out where there is none, with all tools on offer', () => {
    const asked = { tools: [hidden, { type: 'tool_search' }], input: 'a' }
    for (const to of ['generate-content', 'chat-completions'] as const) {
      const request = sent('responses', to, 'm', asked)
      expect(JSON.stringify(request.body['tools'])).toContain('"late"')
      expect(lossesOf(request)).toEqual(
        expect.arrayContaining(['approximated tools.deferred', 'dropped tools.tool-search']),
      )
    }
  })
})
