import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { PROFILES } from '../../adapters/responses/profiles.ts'
import { responses } from '../../adapters/responses/index.ts'
import { translator } from '../../src/named-translator.ts'
import { read, write } from './exchange.ts'

const FRAME = 'Message Type: NEW_TASK\nTask name: /root/look\nSender: /root\nPayload:\n'
const others = DIALECTS.filter((dialect) => dialect !== 'responses')

/** As Codex 0.171.0 hands a task to a subagent, behind the call that gave it and the instructions of the subagent. */
const handed = (payload: string) => ({
  model: 'm',
  input: [
    { role: 'user', content: 'do it' },
    { type: 'function_call', call_id: 'c1', name: 'spawn_agent', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'aborted' },
    { type: 'message', role: 'developer', content: 'You are a newly spawned child agent.' },
    {
      type: 'agent_message',
      id: 'amsg_1',
      author: '/root',
      recipient: '/root/look',
      content: [
        { type: 'input_text', text: FRAME },
        { type: 'encrypted_content', encrypted_content: payload },
      ],
    },
  ],
})

describe('a message from one agent of a program to another', () => {
  it.each(others)('is said by the user over %s, with the task that its model wrote', (to) => {
    const { body, losses } = translator({ from: 'responses', to }).request(handed('Look at it.'))
    const text = JSON.stringify(body)
    expect(text.indexOf(JSON.stringify(FRAME).slice(1, -1))).toBeGreaterThan(text.indexOf('child'))
    expect(text.indexOf('Look at it.')).toBeGreaterThan(text.indexOf('Payload:'))
    expect(losses.map(({ path }) => path)).toContain('turns.4.agent_message')
    expect(losses.map(({ path }) => path)).not.toContain('turns.4.blocks.1.encrypted_content')
  })

  it.each(others)('keeps what its own service encrypted from %s, and says so', (to) => {
    const sealed = `gAAAAABq${'x'.repeat(90)}==`
    const { body, losses } = translator({ from: 'responses', to }).request(handed(sealed))
    expect(JSON.stringify(body)).toContain('Payload:')
    expect(JSON.stringify(body)).not.toContain(sealed)
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toContain(
      'dropped turns.4.blocks.1.encrypted_content',
    )
  })

  it('is a turn of its own that goes to its own dialect as it came', () => {
    const { input } = handed('Look at it.')
    const asked = { ...handed(''), input: [...input, { role: 'user', content: 'and quickly' }] }
    expect(write(read(asked)).body['input']).toMatchObject(asked.input)
    expect(
      read({ model: 'm', input: [{ type: 'agent_message', content: 'Hi' }] }).turns,
    ).toMatchObject([{ role: 'user', blocks: [{ kind: 'text', text: 'Hi' }] }])
  })

  it.each(PROFILES.filter(({ facts }) => facts.otherItems === false).map(({ name }) => name))(
    'is words of the user with the task for %s, which takes no such item',
    (name) => {
      const server = PROFILES.find((row) => row.name === name)?.facts ?? {}
      const facts = { facts: { server }, foreign: false }
      const edited = responses.same.edit(handed('Look at it.'), facts, () => undefined)
      expect(JSON.stringify(edited)).toContain('Look at it.')
      expect(JSON.stringify(edited)).not.toContain('agent_message')
    },
  )
})
