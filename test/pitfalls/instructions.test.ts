import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import { lossesOf } from './translate.ts'

function sent(from: Dialect, to: Dialect, model: string, asked: object) {
  const request = translator({ from, to, model }).request(
    JSON.stringify({ ...kits[from].ask.needed, model, ...asked }),
  )
  const body: JsonObject = JSON.parse(request.text)
  return { ...request, body }
}

const user = (content: unknown) => ({ role: 'user', content })
const said = (content: unknown) => ({ role: 'assistant', content })
const system = (content: unknown, more: object = {}) => ({ role: 'system', content, ...more })
const developer = (content: unknown) => ({ role: 'developer', content })
const OPUS = 'claude-opus-5-5'
const GPT = 'gpt-5.6'

describe('instructions in the middle of a conversation', () => {
  const messages = [user('a'), system('b'), said('c'), user('d')]
  const input = [user('a'), developer('b'), said('c'), user('d')]

  it('stay in place, from messages to responses and back (trap 5)', () => {
    const there = sent('messages', 'responses', GPT, { messages })
    expect(there.body['input']).toMatchObject([
      { role: 'user' },
      { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
      { role: 'assistant' },
      { role: 'user' },
    ])
    expect(there.losses).toEqual([])
    expect(sent('responses', 'messages', OPUS, { input }).body['messages']).toEqual(messages)
    expect(
      sent('chat-completions', 'messages', OPUS, { messages: input }).body['messages'],
    ).toEqual(messages)
    expect(sent('messages', 'messages', OPUS, { messages }).body['messages']).toEqual(messages)
  })

  it('are marked words of the user where a model takes none', () => {
    const older = sent('responses', 'messages', 'claude-sonnet-5', { input })
    expect(older.body['messages']).toMatchObject([
      user([{ text: 'a' }, { text: '<system>\nb\n</system>' }]),
      said('c'),
      user('d'),
    ])
    expect(lossesOf(older)).toContain('approximated turns.1.role')
    const generate = sent('messages', 'generate-content', 'm', { messages })
    expect(generate.text).toContain('<system>')
    expect(lossesOf(generate)).toContain('approximated turns.1.role')
  })

  it('stand behind the user, and never between calls and results', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c1', output: 'r' }
    const asked = [user('a'), call, developer('b'), output, developer('e'), said('c'), user('d')]
    const request = sent('responses', 'messages', OPUS, { input: asked })
    expect(request.body['messages']).toMatchObject([
      user('a'),
      said([{ type: 'tool_use' }]),
      user([{ type: 'tool_result' }]),
      system([{ text: 'b' }, { text: 'e' }]),
      said('c'),
      user('d'),
    ])
    expect(lossesOf(request)).toContain('reordered turns.2')
  })

  it('are the user’s where the model has just spoken', () => {
    const asked = [user('a'), said('b'), developer('c')]
    const request = sent('responses', 'messages', OPUS, { input: asked })
    expect(request.body['messages']).toEqual([user('a'), said('b'), user('<system>\nc\n</system>')])
  })
})

describe('instructions that pass', () => {
  const messages = [
    user('a'),
    system([{ type: 'text', text: 'b' }], { clear_at: 'next_user_message' }),
    said('c'),
    user('d'),
  ]
  it('say so themselves in other dialects, and stay when they have passed', () => {
    for (const to of ['responses', 'generate-content', 'chat-completions'] as const) {
      const request = sent('messages', to, 'm', { messages })
      expect(request.text).toContain('(for the turn above only)')
      expect(lossesOf(request)).toContain('approximated turns.1.passing')
    }
    const own = sent('messages', 'messages', OPUS, { messages })
    expect(own.body['messages']).toEqual(messages)
    expect(own.text).not.toContain('turn above')
  })
})

describe('an effort that is asked for in the middle of a conversation', () => {
  const messages = [
    user('a'),
    system([], { output_config: { effort: 'high' } }),
    said('c'),
    user('d'),
  ]
  const update = { type: 'configuration_update', reasoning: { effort: 'high' } }
  const input = [user('a'), update, said('c'), user('d')]

  it('stays in place, from messages to responses and back', () => {
    const there = sent('messages', 'responses', GPT, { messages })
    expect(there.body['input']).toMatchObject([{}, update, {}, {}])
    expect(there.body['reasoning']).toBeUndefined()
    const back = sent('responses', 'messages', OPUS, { input })
    expect(back.body['messages']).toEqual(messages)
    expect(back.headers['anthropic-beta']).toBe('mid-conversation-output-config-2026-07-01')
    expect(sent('responses', 'responses', GPT, { input }).body['input']).toEqual(input)
  })

  it('stays in place for every model that takes it there, and what one does not take is the nearest', () => {
    for (const model of [
      'gpt-5.6-sol',
      'gpt-6-luna',
      'gpt-6.1-terra',
      'gpt-6.2-sol',
      'gpt-7-sol',
    ]) {
      const there = sent('messages', 'responses', model, {
        messages,
        output_config: { effort: 'low' },
      })
      expect(there.body['input']).toMatchObject([{}, update, {}, {}])
      expect(there.body['reasoning']).toEqual({ effort: 'low' })
    }
  })

  it('is the effort of the whole turn elsewhere: the last one holds', () => {
    const low = { ...update, reasoning: { effort: 'low' } }
    const { body } = sent('responses', 'chat-completions', 'm', { input: [...input, low] })
    expect(body['reasoning_effort']).toBe('low')
    const older = sent('messages', 'responses', 'gpt-5', { messages })
    expect(older.body['reasoning']).toEqual({ effort: 'high' })
    const generate = sent('messages', 'generate-content', 'gemini-3-pro', { messages })
    expect(generate.text).toContain('thinking')
  })
})
