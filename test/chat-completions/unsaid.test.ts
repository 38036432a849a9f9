import { describe, expect, it } from 'vitest'
import { othersThan } from '../dialects/index.ts'
import { refusal, sent } from '../pitfalls/translate.ts'
import { translator } from '../../src/named-translator.ts'

/** What programs leave out, above all the SDK of Mistral for Python (mistralai 3.7), and mean all the same. */

const CHAT = 'chat-completions'
const OTHERS = othersThan(CHAT)
const question = { role: 'user', content: 'Go.' }
const call = (id: string, name = 'f') => ({ id, function: { name, arguments: '{}' } })
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
})
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

const sayings: [string, object, object][] = [
  ['a function', { function: { name: 'f', parameters: schema } }, { type: 'function' }],
  [
    'a function, said as null',
    { type: null, function: { name: 'f', parameters: schema } },
    { type: 'function' },
  ],
  ['a custom tool', { custom: { name: 'f' } }, { type: 'custom' }],
]

describe.each(OTHERS)('a type that is not said, over %s:', (to) => {
  const offering = (one: object) => sent([CHAT, to], { messages: [question], tools: [one] })
  const formatted = (response_format: object) =>
    sent([CHAT, to], { messages: [question], response_format }).text
  const told = (id: object) =>
    sent([CHAT, to], {
      messages: [
        question,
        calling('call_a', 'call_b'),
        { role: 'tool', tool_call_id: 'call_b', content: 'second' },
        { role: 'tool', content: 'first', ...id },
        calling('call_c'),
        { role: 'tool', tool_call_id: '', content: null },
      ],
    })

  it.each(sayings)('%s', (_, tool, type) => {
    const { text, losses } = offering(tool)
    expect(text).toContain('"f"')
    expect([text, losses]).toEqual([
      offering({ ...tool, ...type }).text,
      offering({ ...tool, ...type }).losses,
    ])
  })

  it('a format with a schema, and one that says nothing', () => {
    const json_schema = { name: 'x', schema }
    expect(formatted({ json_schema })).toBe(formatted({ type: 'json_schema', json_schema }))
    expect(formatted({})).toBe(formatted({ type: 'text' }))
  })

  it('a result without an id belongs to the one call that is open', () => {
    const { text } = told({})
    expect(text).toContain('first')
    expect(text).toBe(told({ tool_call_id: 'call_a' }).text)
  })

  it.each([
    ['two calls', [calling('call_a', 'call_b')], '2 calls wait for a result'],
    ['no call', [], 'no call waits for a result'],
    [
      'an answered call',
      [calling('call_a'), { role: 'tool', tool_call_id: 'call_a', content: 'x' }],
      'no call waits for a result',
    ],
    [
      'a call that the model has left behind',
      [calling('call_a'), { role: 'assistant', content: 'Never mind.' }],
      'no call waits for a result',
    ],
  ])('a result without an id behind %s is refused by its place', (_, before, why) => {
    const messages = [question, ...before, { role: 'tool', content: 'x' }]
    const param = `messages[${messages.length - 1}].tool_call_id`
    const problem = refusal([CHAT, to], { messages })
    expect(problem).toMatchObject({ kind: 'invalid-request' })
    expect(problem?.message).toContain(why)
    expect(problem?.param?.replace(/\.(\d+)/, '[$1]')).toBe(param)
  })

  it.each(['max_tokens', 'max_completion_tokens'])('%s: 0 is unset', (member) => {
    const { text, losses } = sent([CHAT, to], { messages: [question], [member]: 0 })
    expect(text).toBe(sent([CHAT, to], { messages: [question] }).text)
    expect(losses).toEqual(sent([CHAT, to], { messages: [question] }).losses)
  })

  it('and the other of the two bounds holds then', () => {
    const body = { messages: [question], max_completion_tokens: 0, max_tokens: 77 }
    expect(sent([CHAT, to], body).text).toContain('77')
  })
})

it('a server that takes no hosted tools is sent a function with its type', () => {
  const profile = { hostedTools: false, customTools: false }
  const tools = [{ function: { name: 'f' } }, { custom: { name: 'g' } }]
  const { body, losses } = translator({ from: CHAT, to: CHAT, model: 'm', profile }).request({
    messages: [question],
    tools,
  })
  expect(losses).toEqual([])
  expect(body).toMatchObject({
    tools: [
      { type: 'function', function: { name: 'f' } },
      { type: 'function', function: { name: 'g' } },
    ],
  })
})
