import { describe, expect, it } from 'vitest'
import { generateContent } from '../../adapters/generate-content/index.ts'
import type { Block } from '../../src/model/request.ts'
import type { ModelFacts } from '../../adapters/contract.ts'
import { assistant, call, request, result, send, text, user } from './help.ts'

const image: Block = { kind: 'media', mediaType: 'image/png', source: { data: 'AA==' } }
const foreign = { dialect: 'messages', value: 'c2ln' }

const context = (model: string) => ({
  target: { model, defaultMaxOutputTokens: 1, facts: {} },
  lose: () => undefined,
})

describe('where a request goes', () => {
  it('names the model in the path only, and asks for events when it streams', () => {
    const { path, query, body } = generateContent.upstream.writeRequest(
      request({ stream: true }),
      context('a/b:c'),
    )
    expect(path).toBe('/v1beta/models/a/b%3Ac:streamGenerateContent')
    expect(query).toEqual([['alt', 'sse']])
    expect(body).not.toHaveProperty('model')
    expect(body).not.toHaveProperty('stream')
  })

  it.each(['../secret', 'a/../b', 'a?key=1', 'a#b', 'a\r\nb', ''])(
    'refuses the model %j',
    (model) => {
      expect(() => generateContent.upstream.writeRequest(request({}), context(model))).toThrow(
        'model',
      )
    },
  )

  it('counts in the wrapped form, which takes system and tools', () => {
    const counted = generateContent.upstream.writeCountRequest(
      request({ system: [text('Be terse.')] }),
      context('m'),
    )
    expect(counted).toMatchObject({
      path: '/v1beta/models/m:countTokens',
      body: {
        generateContentRequest: {
          model: 'models/m',
          systemInstruction: { parts: [{ text: 'Be terse.' }] },
        },
      },
    })
    expect(generateContent.upstream.readTokenCount({ totalTokens: 7 })).toBe(7)
    expect(generateContent.upstream.readTokenCount({})).toBeUndefined()
  })
})

describe('turns', () => {
  it('merges neighbours of one side and leaves out what says nothing', () => {
    const { body } = send({
      turns: [user(text('a')), user(text('')), user(text('b')), assistant(), user(text('c'))],
    })
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
    ])
  })

  it('puts instructions on top into the system instruction, and leaves later ones where they are', () => {
    const { body, losses } = send({
      system: [text('One.')],
      turns: [
        { role: 'developer', blocks: [text('Two.')] },
        user(text('Hello')),
        { role: 'system', blocks: [text('Hurry.')] },
        { role: 'developer', blocks: [text('')] },
        assistant(text('Yes')),
      ],
    })
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'One.' }, { text: 'Two.' }] })
    expect(body.contents[0].parts.slice(1)).toEqual([{ text: '<system>\nHurry.\n</system>' }])
    expect(losses).toEqual(['approximated turns.2.role', 'approximated turns.3.role'])
  })

  it('makes a conversation of instructions only', () => {
    const { body, losses } = send({ system: [text('One.'), text('Two.')], turns: [] })
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'One.' }, { text: 'Two.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Continue.' }] }],
    })
    expect(losses).toEqual(['defaulted turns'])
  })

  it('ends on a user turn where the model takes no prefill', () => {
    const turns = [user(text('a')), assistant(text('b'))]
    expect(send({ turns }).body.contents).toHaveLength(2)
    const { body, losses } = send({ turns }, { prefill: false })
    expect(body.contents[2]).toEqual({ role: 'user', parts: [{ text: 'Continue.' }] })
    expect(losses).toEqual(['defaulted turns.2'])
    expect(
      send({ turns: [user(text('a')), assistant(call('1', 'f'))] }, { prefill: false }).body
        .contents,
    ).toHaveLength(2)
  })

  it('is the beginning of the next request', () => {
    const turns = [
      user(text('a')),
      assistant(text('b'), call('1', 'f')),
      user(result('1', text('x')), text('c')),
    ]
    const first = JSON.stringify(send({ turns }).body.contents)
    const second = JSON.stringify(
      send({ turns: [...turns, assistant(text('d')), user(text('e'))] }).body.contents,
    )
    expect(second.startsWith(first.slice(0, -1))).toBe(true)
  })
})

const asked = user(text('Go.'))

const responses = (...blocks: Block[]) =>
  send({ turns: [asked, assistant(call('1', 'f')), user(...blocks)] }).body.contents[2].parts[0]
    .functionResponse.response

describe('calls and results', () => {
  it('answers parallel calls at once, each once, in the order of the calls, and puts the rest behind', () => {
    const { body, losses } = send({
      turns: [
        asked,
        assistant(call('1', 'a'), call('2', 'b'), call('3', 'c')),
        user(text('Wait.'), result('3', text('{"n":3}')), result('1', text('one'), image)),
      ],
    })
    expect(body.contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: ['a', 'b', 'c'].map((name) => ({ functionCall: { name, args: {} } })),
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'a', response: { output: 'one' } } },
          { functionResponse: { name: 'b', response: { error: '[no result: interrupted]' } } },
          { functionResponse: { name: 'c', response: { n: 3 } } },
        ],
      },
      {
        role: 'user',
        parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, { text: 'Wait.' }],
      },
    ])
    expect(losses).toEqual(['defaulted turns.1.results'])
  })

  it('lets the caller open a conversation that begins with a call', () => {
    const turns = [assistant(call('1', 'f')), user(result('1', text('x')))]
    const { body, losses } = send({ turns })
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'Continue.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] },
    ])
    expect(losses).toEqual(['defaulted turns'])
    expect(send({ turns: [assistant(text('Yes?')), user(text('a'))] }).losses).toEqual([])
  })

  it('leaves a call alone that the model still waits for', () => {
    const { body, losses } = send({ turns: [user(text('a')), assistant(call('1', 'f'))] })
    expect(body.contents).toHaveLength(2)
    expect(losses).toEqual([])
  })

  it('makes words of a result without its call', () => {
    const { body, losses } = send({ turns: [user(result('1', text('found')), text('And?'))] })
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: '[result of 1]\nfound' }, { text: 'And?' }] },
    ])
    expect(losses).toEqual(['approximated turns.0.blocks.0'])
  })

  it('marks a failure, and wraps what a reader would misunderstand', () => {
    const failed: Block = {
      kind: 'tool-result',
      callId: '1',
      name: 'f',
      form: 'json',
      content: [text('no')],
      isError: true,
    }
    expect(responses(failed)).toEqual({ error: 'no' })
    expect(responses(result('1', text('{"error":"no"}')))).toEqual({ output: '{"error":"no"}' })
    expect(responses(result('1', text('[1]')))).toEqual({ output: '[1]' })
    expect(responses(result('1'))).toEqual({ output: '' })
    expect(responses(result('1', image))).toEqual({ output: 'The result is attached.' })
  })

  it('keeps arguments to the last digit', () => {
    const input = '{ "id": 2512292042121000001, "2":"b","1":"a" }'
    expect(send({ turns: [assistant(call('1', 'f', input))] }).text).toContain(`"args":${input}`)
  })

  it.each([
    ['', []],
    ['{"a":', ['approximated turns.1.blocks.0.input']],
    ['[1]', ['approximated turns.1.blocks.0.input']],
  ])('has an object for the input %j', (input, expected) => {
    const { body, losses } = send({ turns: [asked, assistant(call('1', 'f', input))] })
    expect(body.contents[1].parts[0].functionCall.args).toEqual({})
    expect(losses).toEqual(expected)
  })

  it('rewrites names that are not allowed, in calls, results, tools and choice alike', () => {
    const name = 'über tool'
    const { body } = send({
      turns: [asked, assistant(call('1', name)), user(result('1', text('x')))],
      tools: [{ kind: 'function', name }],
      toolChoice: { mode: 'required', names: [name] },
    })
    const [declared] = body.tools[0].functionDeclarations
    expect(declared.name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/)
    expect(body.contents[1].parts[0].functionCall.name).toBe(declared.name)
    expect(body.contents[2].parts[0].functionResponse.name).toBe(declared.name)
    expect(body.toolConfig.functionCallingConfig).toEqual({
      mode: 'ANY',
      allowedFunctionNames: [declared.name],
    })
  })
})

describe('proofs and thoughts', () => {
  const own = { dialect: 'generate-content', value: 'c2ln' }

  it('puts a proof beside the call that it came with, and nowhere else', () => {
    const signed: Block = {
      kind: 'tool-call',
      id: '1',
      name: 'f',
      form: 'json',
      input: '{}',
      proof: own,
    }
    const { body } = send({ turns: [asked, assistant(signed, call('2', 'f'))] })
    expect(body.contents[1].parts).toEqual([
      { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'f', args: {} } },
    ])
  })

  it('keeps the words of a foreign thought and says that its proof stays behind', () => {
    const { body, losses } = send({
      turns: [
        assistant(
          { kind: 'reasoning', text: 'Hm.', proof: foreign },
          { kind: 'reasoning', text: '', redacted: true, proof: foreign },
          text('a'),
        ),
      ],
    })
    expect(body.contents[0].parts).toEqual([{ text: 'Hm.', thought: true }, { text: 'a' }])
    expect(losses).toEqual(['dropped turns.0.blocks.0.seal', 'dropped turns.0.blocks.1.seal'])
  })

  it.each([
    [{ thinking: 'level' }, 'any'],
    // Most libraries of the other dialects bring no proofs back: LlamaIndex 0.14, openai-agents 0.24, LiteLLM 1.110.
    [{}, 'gemini-3-pro-preview'],
    [{}, 'models/gemini-3.5-flash'],
  ] as const)(
    'says once for a turn that a proof is missing, where models demand one: %o %s',
    (facts, model) => {
      const { body, losses } = send(
        { turns: [asked, assistant(call('1', 'f'), call('2', 'f'))] },
        facts,
        model,
      )
      const [first, second] = body.contents[1].parts
      expect(first.thoughtSignature).toBe('skip_thought_signature_validator')
      expect(second).not.toHaveProperty('thoughtSignature')
      expect(losses).toEqual(['defaulted turns.1.seal'])
    },
  )

  it.each([
    [{}, 'gemini-2.5-pro'],
    [{ thinking: 'budget' }, 'gemini-3-pro'],
  ] as const)('says nothing of it where they do not: %o %s', (facts, model) => {
    const { body, losses } = send({ turns: [asked, assistant(call('1', 'f'))] }, facts, model)
    expect(body.contents[1].parts).toEqual([{ functionCall: { name: 'f', args: {} } }])
    expect(losses).toEqual([])
  })
})

type Media = Extract<Block, { kind: 'media' }>

const sent = (block: Partial<Media>, facts: ModelFacts = {}) =>
  send(
    {
      turns: [user({ kind: 'media', mediaType: 'image/png', source: { data: 'AA==' }, ...block })],
    },
    facts,
  )

const of = (mediaType: string) => sent({ source: { data: 'eyJhIjoxfQ==' }, mediaType })

const picture = (data: string): Block => ({
  kind: 'media',
  mediaType: 'image/png',
  source: { data },
})
const pictureData = (parts: unknown) =>
  [...JSON.stringify(parts ?? []).matchAll(/[AB]{2}==/g)].map(String)

describe('media', () => {
  it('writes data as data', () => {
    expect(sent({}).body.contents[0].parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    ])
  })

  it('names in words what the service cannot reach, and says so', () => {
    const source = { url: 'http://example.com/cat.png' }
    const { body, losses } = sent({ source })
    expect(body.contents[0].parts).toEqual([{ text: '[image: http://example.com/cat.png]' }])
    expect(losses).toEqual(['approximated turns.0.blocks.0.source'])
    const secure = { source: { url: 'https://example.com/cat.png' } }
    expect(sent(secure, { fetchesUrls: false })).toMatchObject({
      body: { contents: [{ parts: [{ text: '[image: https://example.com/cat.png]' }] }] },
      losses: ['approximated turns.0.blocks.0.source'],
    })
    expect(sent({ source: { fileId: 'file_1' }, mediaType: '' }).body.contents[0].parts).toEqual([
      { text: '[file: file_1]' },
    ])
    expect(sent({ source: { text: 'Plain.' } }).body.contents[0].parts).toEqual([
      { text: 'Plain.' },
    ])
  })

  it('sends no data of a kind that the service refuses', () => {
    expect(of('application/json').body.contents[0].parts).toEqual([{ text: '{"a":1}' }])
    for (const kind of ['image/svg+xml', 'application/octet-stream', 'application/msword', '']) {
      const { body, losses } = of(kind)
      expect(body.contents[0].parts).toEqual([{ text: `[${kind || 'file'} left out]` }])
      expect(losses).toEqual(['approximated turns.0.blocks.0.source'])
    }
    expect(of('image/jpg').body.contents[0].parts[0].inlineData.mimeType).toBe('image/jpeg')
  })

  it.each([
    ['image/*', 'https://example.com/cat.png?v=1', 'image/png'],
    ['image/*', 'https://example.com/cat', undefined],
    ['image/*', 'https://example.com/report.pdf', undefined],
    ['', 'https://example.com/film.mp4', 'video/mp4'],
    ['application/pdf', 'https://example.com/paper', 'application/pdf'],
  ])('leaves it to the service to fetch %s from %s', (mediaType, url, mimeType) => {
    const { body, losses } = sent({ mediaType, source: { url } })
    const typed = mimeType === undefined ? {} : { mimeType }
    expect(body.contents[0].parts).toEqual([{ fileData: { ...typed, fileUri: url } }])
    expect(losses).toEqual([])
  })

  it('leaves nothing to fetch of a kind that the service refuses', () => {
    const { body, losses } = sent({
      mediaType: 'image/*',
      source: { url: 'https://a.example/b.svg' },
    })
    expect(body.contents[0].parts).toEqual([{ text: '[image: https://a.example/b.svg]' }])
    expect(losses).toEqual(['approximated turns.0.blocks.0.source'])
  })

  it('puts what a tool found on the web beside the result', () => {
    const found: Block = {
      kind: 'media',
      mediaType: 'image/*',
      source: { url: 'https://example.com/cat.png' },
    }
    const { body, losses } = send({
      turns: [user(text('a')), assistant(call('1', 'f')), user(result('1', found))],
    })
    expect(body.contents[3].parts).toEqual([
      { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/cat.png' } },
    ])
    expect(losses).toEqual([])
  })

  it.each([
    ['gemini-3-pro-preview', true],
    ['gemini-2.5-flash', false],
  ])(
    'puts pictures of results into their responses where the model takes them there: %s',
    (model, isInside) => {
      const { body } = send(
        {
          turns: [
            user(text('a')),
            assistant(call('1', 'f'), call('2', 'f')),
            user(result('1', picture('AA==')), result('2', text('b'), picture('BB=='))),
          ],
        },
        {},
        model,
      )
      const [, , { parts: responses }, beside] = body.contents
      expect(responses.map(pictureData)).toEqual(isInside ? [['AA=='], ['BB==']] : [[], []])
      expect(pictureData(beside)).toEqual(isInside ? [] : ['AA==', 'BB=='])
    },
  )

  it('leaves beside the responses what they do not hold', () => {
    const film: Block = { kind: 'media', mediaType: 'video/mp4', source: { data: 'AA==' } }
    const { body } = send(
      { turns: [user(text('a')), assistant(call('1', 'f')), user(result('1', film))] },
      {},
      'gemini-3-pro-preview',
    )
    expect(body.contents[3].parts).toEqual([
      { inlineData: { mimeType: 'video/mp4', data: 'AA==' } },
    ])
  })

  it('refers to what the service can reach', () => {
    const { body, losses } = sent({ source: { url: 'gs://bucket/cat.png' } })
    expect(body.contents[0].parts).toEqual([
      { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/cat.png' } },
    ])
    expect(losses).toEqual([])
  })

  it('says which name and which detail stay behind', () => {
    expect(sent({ name: 'cat.png', detail: 'high' }).losses).toEqual([
      'dropped turns.0.blocks.0.detail',
      'dropped turns.0.blocks.0.name',
    ])
  })

  it('says the name of a document of words around it, and that of what is left out', () => {
    expect(sent({ name: 'Notes', source: { text: 'Plain.' } })).toMatchObject({
      body: { contents: [{ parts: [{ text: '<document name="Notes">\nPlain.\n</document>' }] }] },
      losses: ['approximated turns.0.blocks.0.source'],
    })
    expect(sent({ name: 'a.doc', mediaType: 'application/msword' })).toMatchObject({
      body: { contents: [{ parts: [{ text: '[application/msword a.doc left out]' }] }] },
      losses: ['approximated turns.0.blocks.0.source'],
    })
    expect(sent({ name: 'a', source: { url: 'http://example.com/b.png' } }).losses).toEqual([
      'dropped turns.0.blocks.0.name',
      'approximated turns.0.blocks.0.source',
    ])
  })
})

describe('what has no place', () => {
  it('is reported', () => {
    const { losses } = send({
      turns: [
        user({ kind: 'text', text: 'a', cache: {} }),
        assistant(
          { kind: 'refusal', text: 'No.' },
          { kind: 'search', id: 's', queries: [], sources: [] },
          { kind: 'text', text: 'b', citations: [{ url: 'https://example.com' }] },
        ),
      ],
      parallelToolCalls: false,
      user: 'u',
      cacheKey: 'k',
      previous: 'p',
      labels: { team: 'blue' },
      tier: 'ultrafast',
    })
    expect(losses.toSorted()).toEqual([
      'approximated turns.1.blocks.0',
      'dropped cache',
      'dropped cacheKey',
      'dropped labels',
      'dropped parallelToolCalls',
      'dropped previous',
      'dropped tier',
      'dropped turns.1.blocks.1',
      'dropped turns.1.blocks.2.citations',
      'dropped user',
    ])
  })
})
