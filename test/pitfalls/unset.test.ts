import { describe, expect, it } from 'vitest'
import { othersThan } from '../dialects/index.ts'
import { translator } from '../../src/named-translator.ts'

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

const CHAT = { messages: [{ role: 'user', content: 'a' }] }
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'a' }] }] }

/** Programs write them out, and with losses refused they would be refused. */
describe('what holds without asking', () => {
  it.each([
    ['chat-completions', { ...CHAT, presence_penalty: 0, frequency_penalty: 0 }, CHAT],
    ['chat-completions', { ...CHAT, logprobs: false, top_logprobs: 0 }, CHAT],
    ['chat-completions', { ...CHAT, top_k: -1, suffix: '', prompt_cache_key: '' }, CHAT],
    [
      'generate-content',
      { ...CONTENTS, generationConfig: { presencePenalty: 0, frequencyPenalty: 0 } },
      CONTENTS,
    ],
    ['generate-content', { ...CONTENTS, cachedContent: '' }, CONTENTS],
    ['chat-completions', { ...CHAT, stop: '' }, CHAT],
    [
      'generate-content',
      { ...CONTENTS, generationConfig: { stopSequences: [''] } },
      { ...CONTENTS, generationConfig: {} },
    ],
    ['responses', { input: 'a', user: '', prompt_cache_key: '' }, { input: 'a' }],
  ] as const)('is no loss of %s: %j', (from, body, plain) => {
    for (const to of othersThan(from)) {
      const { request } = translator({ from, to })
      expect(request({ model: 'm', ...body }).losses).toEqual(
        request({ model: 'm', ...plain }).losses,
      )
    }
  })

  it('is not sent where it would be refused', () => {
    const { request } = translator({ from: 'chat-completions', to: 'messages' })
    expect(request({ model: 'm', ...CHAT, top_k: 0 }).body).not.toHaveProperty('top_k')
    const gemini = translator({ from: 'chat-completions', to: 'generate-content' })
    expect(gemini.request({ model: 'm', ...CHAT, stop: ['a', ''] }).body).toMatchObject({
      generationConfig: { stopSequences: ['a'] },
    })
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

const UNSET = ['description', 'enum', 'items', 'properties', 'required', 'anyOf', 'format']
const BOUNDS = ['minItems', 'maxItems', 'minimum', 'maximum', 'pattern', 'title']
const schema = (unset: object, type: (name: string) => string) => ({
  type: type('object'),
  ...unset,
  properties: {
    city: { type: type('string'), ...unset, description: 'The city.' },
    days: { type: type('array'), ...unset, items: { type: type('integer'), ...unset } },
  },
})
const nulls = (...keywords: string[]) => Object.fromEntries(keywords.map((key) => [key, null]))
const ALL = nulls(...UNSET, ...BOUNDS)

/** As Go writes structs whose members have no `omitempty`: lists and maps that were never made are null. */
describe('a keyword of a schema that is null', () => {
  // ProtoJSON, "null is an accepted value for all field types": the service takes it for one that is not set.
  it.each(othersThan('generate-content'))(
    'is none for a caller of generate-content, to %s',
    (to) => {
      const { request } = translator({ from: 'generate-content', to })
      const ask = (unset: object) => {
        const own = schema(unset, (name) => name.toUpperCase())
        return request({
          contents: [{ role: 'user', parts: [{ text: 'a' }] }],
          tools: [{ functionDeclarations: [{ name: 'f', parameters: own }] }],
          generationConfig: { responseMimeType: 'application/json', responseSchema: own },
        })
      }
      const unset = ask({ ...ALL, ...nulls('nullable', 'propertyOrdering') })
      expect(unset.body).toEqual(ask({}).body)
      expect(unset.losses).toEqual(ask({}).losses)
    },
  )

  it('allows no null, and is not told to the model, over generate-content', () => {
    const { request } = translator({ from: 'chat-completions', to: 'generate-content' })
    const ask = (unset: object) => {
      const parameters = schema(unset, (name) => name)
      return request({
        model: 'm',
        messages: [{ role: 'user', content: 'a' }],
        tools: [{ type: 'function', function: { name: 'f', parameters } }],
      })
    }
    expect(ask(ALL).body).toEqual(ask({}).body)
    expect(ask(ALL).losses).toEqual(ask({}).losses)
  })

  it.each(othersThan('chat-completions'))('is not sent as it came, to %s', (to) => {
    const { request } = translator({ from: 'chat-completions', to })
    const parameters = { type: 'object', ...ALL }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    const { body } = request({ model: 'm', messages: [{ role: 'user', content: 'a' }], tools })
    expect(JSON.stringify(body)).not.toContain('null')
  })

  it('is a value where null is one', () => {
    const { request } = translator({ from: 'generate-content', to: 'responses' })
    const parameters = { type: 'OBJECT', properties: { a: { type: 'STRING', default: null } } }
    const contents = [{ role: 'user', parts: [{ text: 'a' }] }]
    const { body } = request({
      contents,
      tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
    })
    expect(JSON.stringify(body)).toContain('"default":null')
  })
})
