import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const user = (said: string) => ({ role: 'user', parts: [{ text: said }] })
const text = (said: string) => ({ type: 'text', text: said })

describe('the words of an adviser', () => {
  const advised = [
    text('Let me ask.'),
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} },
    {
      type: 'advisor_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: { type: 'advisor_result', text: 'Look at the logs.' },
    },
    text('Done.'),
  ]
  const APART = 'Let me ask.\n\nLook at the logs.\n\nDone.'

  it('stand apart from those beside them in a reply', () => {
    const both = translator({ from: 'chat-completions', to: 'messages' })
    both.request(chat)
    const { body } = both.reply({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: advised,
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    expect(body).toMatchObject({ choices: [{ message: { content: APART } }] })
  })

  it('stand apart in a history', () => {
    const { body } = translator({ from: 'messages', to: 'chat-completions' }).request({
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: advised },
        { role: 'user', content: 'On.' },
      ],
    })
    expect(body['messages']).toMatchObject([{}, { content: APART }, {}])
  })
})

describe('why a service of generate-content gave no answer', () => {
  const reply = {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'As far as' }] },
        finishReason: 'SAFETY',
        finishMessage: 'It is about weapons.',
      },
    ],
    modelVersion: 'm',
  }

  it('comes home as a note, and not as what its model has said: chat-completions', () => {
    const both = translator({ from: 'chat-completions', to: 'generate-content', model: 'm' })
    both.request(chat)
    const { body } = both.reply(reply)
    const said = JSON.parse(JSON.stringify(body['choices']))[0].message
    expect(said.refusal).toBe('It is about weapons.')
    const next = {
      model: 'm',
      messages: [...chat.messages, said, { role: 'user', content: 'On.' }],
    }
    expect(both.request(next).body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'As far as' }] },
      {
        role: 'user',
        parts: [{ text: '[There was no answer: It is about weapons.]' }, { text: 'On.' }],
      },
    ])
  })

  it('comes home as a note, and not as what its model has said: responses', () => {
    const both = translator({ from: 'responses', to: 'generate-content', model: 'm' })
    const hi = { role: 'user', content: 'Hi' }
    both.request({ model: 'm', input: [hi] })
    const output = JSON.parse(JSON.stringify(both.reply(reply).body['output']))
    const { text: sent } = both.request({
      model: 'm',
      input: [hi, ...output, { role: 'user', content: 'On.' }],
    })
    expect(sent).toContain('"role":"model","parts":[{"text":"As far as"}]')
    expect(sent).toContain('[There was no answer: It is about weapons.]')
  })
})

it.each(['chat-completions', 'responses'] as const)(
  'the proof of code that the service ran is named where it is lost, over %s',
  (to) => {
    const parts = [
      { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'c2ln' },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' }, thoughtSignature: 'c2lo' },
      { text: 'One.' },
    ]
    const { losses } = translator({ from: 'generate-content', to, model: 'm' }).request({
      contents: [user('Hi'), { role: 'model', parts }, user('On.')],
    })
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toEqual(
      expect.arrayContaining([
        'dropped turns.1.blocks.0',
        'dropped turns.1.blocks.0.seal',
        'dropped turns.1.blocks.1',
        'dropped turns.1.blocks.1.seal',
      ]),
    )
    if (to !== 'chat-completions') return
    const both = translator({ from: to, to: 'generate-content', model: 'm' })
    both.request(chat)
    const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP' }]
    const told = both.reply({ candidates, modelVersion: 'm' }).losses
    expect(told.map(({ path }) => path)).toContain('reply.code.seal')
  },
)
