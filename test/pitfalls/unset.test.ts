import { describe, expect, it } from 'vitest'
import { othersThan } from '../dialects/index.ts'
import { translator } from '../../src/translator.ts'

const messages = (content: unknown, others: object = {}) => ({
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...others,
})

describe('a number that says that it is not set', () => {
  // @langchain/anthropic 0.x sends both with every request.
  it.each(othersThan('messages'))('is not sent to %s', (to) => {
    const { request } = translator({ from: 'messages', to })
    const unset = request(messages('a', { top_k: -1, top_p: -1 }))
    const plain = request(messages('a'))
    expect(unset.body).toEqual(plain.body)
    expect(unset.losses).toEqual(plain.losses)
  })

  it('is still none where it is out of range', () => {
    const { request } = translator({ from: 'messages', to: 'generate-content' })
    for (const one of [{ top_k: -2 }, { top_k: 0 }, { top_p: -0.5 }])
      expect(() => request(messages('a', one))).toThrow()
  })
})

describe('an empty text as the only content', () => {
  it.each(['', [{ type: 'text', text: '' }]])('goes to services that take it: %j', (content) => {
    const gemini = translator({ from: 'messages', to: 'generate-content' })
    expect(gemini.request(messages(content)).body).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: '' }] }],
    })
    const openai = translator({ from: 'messages', to: 'responses' })
    expect(openai.request(messages(content)).body).toMatchObject({
      input: [{ type: 'message', role: 'user', content: '' }],
    })
    const chat = translator({ from: 'messages', to: 'chat-completions' })
    expect(chat.request(messages(content)).body).toMatchObject({
      messages: [{ role: 'user', content: '' }],
    })
  })

  it('comes from every other dialect too', () => {
    const empty = { contents: [{ role: 'user', parts: [{ text: '' }] }] }
    const openai = translator({ from: 'generate-content', to: 'responses' })
    expect(openai.request(empty).body).toMatchObject({ input: [{ content: '' }] })
    const gemini = translator({ from: 'responses', to: 'generate-content' })
    expect(gemini.request({ model: 'm', input: '' }).body).toMatchObject(empty)
    const chat = translator({ from: 'chat-completions', to: 'generate-content' })
    const said = { model: 'm', messages: [{ role: 'user', content: '' }] }
    expect(chat.request(said).body).toMatchObject(empty)
  })

  it('is refused for messages, whose service takes none', () => {
    const { request } = translator({ from: 'responses', to: 'messages' })
    expect(() => request({ model: 'm', input: '' })).toThrow(/nothing of a conversation/)
  })
})
