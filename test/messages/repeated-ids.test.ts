import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { list, member } from '../grammar/shape.ts'

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(call),
})
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
const FIRST = [{ role: 'user', content: 'a' }, calls('call_0'), result('call_0', 'one')]
const SECOND = [calls('call_0', 'a'), result('a', 'three'), result('call_0', 'two')]

/** Which id names a call (undefined) or a result (its text). */
function wire(...messages: object[]) {
  const both = translator({ from: 'chat-completions', to: 'messages', model: 'm' })
  const body: JsonObject = JSON.parse(both.request({ model: 'm', messages }).text)
  return list(body['messages'])
    .flatMap((message) => list(member(message, 'content')))
    .filter((block) => String(member(block, 'type')).startsWith('tool_'))
    .map((block) => [member(block, 'id') ?? member(block, 'tool_use_id'), member(block, 'content')])
}

describe('ids of calls that repeat across turns, as Ollama numbers them', () => {
  it('name one call of the conversation each, and results find theirs', () => {
    expect(wire(...FIRST, ...SECOND)).toEqual([
      ['call_0', undefined],
      ['call_0', 'one'],
      ['call_0_2', undefined],
      ['a', undefined],
      ['a', 'three'],
      ['call_0_2', 'two'],
    ])
  })

  it('are told apart by what stands before them only', () => {
    expect(wire(...FIRST, ...SECOND).slice(0, 2)).toEqual(wire(...FIRST))
  })

  it('pair in their order where they repeat within a turn', () => {
    const twice = [calls('a', 'a'), result('a', 'one'), result('a', 'two')]
    expect(wire({ role: 'user', content: 'a' }, ...twice)).toEqual([
      ['a', undefined],
      ['a_2', undefined],
      ['a', 'one'],
      ['a_2', 'two'],
    ])
  })

  it('are not given to a caller that has them already', () => {
    const both = translator({ from: 'messages', to: 'chat-completions', model: 'm' })
    const use = { type: 'tool_use', id: 'call_0', name: 'f', input: {} }
    const answer = { type: 'tool_result', tool_use_id: 'call_0', content: 'one' }
    both.request({
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [use] },
        { role: 'user', content: [answer] },
      ],
    })
    const message = { role: 'assistant', content: null, tool_calls: [call('call_0')] }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    const { body } = both.reply({ id: 'x', object: 'chat.completion', model: 'm', choices })
    expect(body).toMatchObject({ content: [{ type: 'tool_use', id: 'call_0_2' }] })
  })
})
