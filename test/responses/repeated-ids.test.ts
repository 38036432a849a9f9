import { describe, expect, it } from 'vitest'
import { unfold } from '../../src/model/events.ts'
import type { Block } from '../../src/model/request.ts'
import { assistant, foreign, list, read, speak, text, user, write } from './exchange.ts'

const call = (id: string, input: string): Block => ({
  kind: 'tool-call',
  id,
  name: 'f',
  form: 'json',
  input,
})
const result = (callId: string, output: string): Block => ({
  kind: 'tool-result',
  callId,
  name: 'f',
  form: 'json',
  content: [text(output)],
})
const TOOL = { kind: 'function', name: 'f', schema: '{"type":"object"}' } as const

const wire = (...turns: ReturnType<typeof user>[]) =>
  list(write(foreign(turns, { tools: [TOOL] })).body['input']).flatMap((item) =>
    'call_id' in item ? [[item['call_id'], item['arguments'] ?? item['output']]] : [],
  )

const TURNS = [
  user(text('a')),
  assistant(call('call_0', '{"n":1}')),
  user(result('call_0', 'one')),
  assistant(call('call_0', '{"n":2}'), call('call_1', '{"n":3}')),
  user(result('call_1', 'three'), result('call_0', 'two')),
]

describe('ids of calls that repeat across turns', () => {
  it('name one call each, and results find theirs', () => {
    expect(wire(...TURNS)).toEqual([
      ['call_0', '{"n":1}'],
      ['call_0', 'one'],
      ['call_0_2', '{"n":2}'],
      ['call_1', '{"n":3}'],
      ['call_1', 'three'],
      ['call_0_2', 'two'],
    ])
  })

  it('are told apart by what stands before them only', () => {
    const before = wire(...TURNS)
    const after = wire(...TURNS, assistant(call('call_0', '{}')), user(result('call_0', 'z')))
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.slice(before.length).map(([id]) => id)).toEqual(['call_0_3', 'call_0_3'])
  })

  it('pair in their order where they repeat within a turn, and evade one that is taken', () => {
    const turns = [
      assistant(call('a_2', '{}')),
      user(result('a_2', 'x')),
      assistant(call('a', '{"n":1}'), call('a', '{"n":2}')),
      user(result('a', 'one'), result('a', 'two')),
    ]
    expect(wire(...turns).slice(2)).toEqual([
      ['a', '{"n":1}'],
      ['a_3', '{"n":2}'],
      ['a', 'one'],
      ['a_3', 'two'],
    ])
  })

  it('leave a call without a result to itself', () => {
    const turns = [
      assistant(call('a', '{"n":1}')),
      user(text('go on')),
      assistant(call('a', '{"n":2}')),
      user(result('a', 'two')),
    ]
    const said = wire(...turns)
    expect(said.at(-1)).toEqual(['a_2', 'two'])
    expect(said[1]?.[0]).toBe('a')
  })

  it('are not given to a caller that has them already', () => {
    const history = [
      { role: 'user', content: 'x' },
      { type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_0', output: 'one' },
    ]
    const blocks = [call('call_0', '{}'), call('call_1', '{}')]
    const reply = { id: '', model: '', blocks, finish: 'tool-call' as const }
    const { body, events } = speak(unfold(reply), read({ model: 'm', input: history }))
    const ids = list(body['output']).map((item) => item['call_id'])
    expect(ids).toEqual(['call_0_2', 'call_1'])
    expect(JSON.stringify(events)).not.toContain('"call_0"')
  })

  it('take time in proportion to their number', () => {
    const turns = Array.from({ length: 20_000 }, () => [
      assistant(call('a', '{}')),
      user(result('a', 'x')),
    ]).flat()
    const ids = wire(...turns).map(([id]) => id)
    expect(new Set(ids).size).toBe(20_000)
  })
})
