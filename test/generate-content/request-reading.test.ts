import { describe, expect, it } from 'vitest'
import { stringify } from '../../src/json/json.ts'
import { read, wrong } from './help.ts'

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
const D = 'generate-content'

describe('shapes of a request', () => {
  it('takes one content and one part where lists are usual, and a missing role for the user', () => {
    const turns = [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello' }] }]
    expect(read({ contents: { parts: { text: 'Hello' } } }).turns).toEqual(turns)
    expect(read({ contents: [{ parts: [{ text: 'Hello' }] }] }).turns).toEqual(turns)
  })

  it('takes any number as a string, as proto3 JSON may write it', () => {
    const generationConfig = {
      temperature: '0.5',
      topP: '9e-1',
      topK: '3',
      presencePenalty: '-1',
      seed: '5',
      maxOutputTokens: '100',
    }
    const { sampling, limits } = read({ contents, generationConfig })
    expect(sampling).toEqual({ temperature: 0.5, topP: 0.9, topK: 3, presencePenalty: -1, seed: 5 })
    expect(limits).toEqual({ maxOutputTokens: 100 })
    for (const temperature of ['2.5', '', 'NaN', ' 1', '0x1'])
      expect(wrong({ contents, generationConfig: { temperature } })).toContain('temperature')
  })

  it('takes both spellings at every level that the service names, and nowhere else', () => {
    const asked = read({
      contents: [
        {
          role: 'model',
          parts: [{ function_call: { name: 'f', args: { my_key: { inline_data: 1 } } } }],
        },
        {
          role: 'function',
          parts: [{ function_response: { name: 'f', response: { my_key: 1 } } }],
        },
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }] },
      ],
      system_instruction: { parts: [{ text: 'Be terse.' }] },
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { my_key: {} } } },
          ],
        },
      ],
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
      generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 7 } },
      x_future: 1,
    })
    expect(asked.system).toEqual([{ kind: 'text', text: 'Be terse.' }])
    expect(asked.turns[0]?.blocks[0]).toMatchObject({ input: '{"my_key":{"inline_data":1}}' })
    expect(asked.turns[1]).toMatchObject({
      role: 'user',
      blocks: [{ name: 'f', content: [{ text: '{"my_key":1}' }] }],
    })
    expect(asked.turns[2]?.blocks[0]).toMatchObject({
      mediaType: 'image/png',
      source: { data: 'AA==' },
    })
    expect(asked.tools[0]).toMatchObject({ schema: '{"type":"object","properties":{"my_key":{}}}' })
    expect(asked.toolChoice).toEqual({ mode: 'required', names: ['f'] })
    expect(asked.limits).toEqual({ maxOutputTokens: 5 })
    expect(asked.reasoning).toMatchObject({ mode: 'on', budget: 7 })
    expect(asked.ext?.[D]).toEqual({ x_future: 1 })
  })

  it('takes the alphabet of base64 for URLs as well', () => {
    const inlineData = { mimeType: 'image/png', data: 'k-M9_QDw==' }
    const functionResponse = { name: 'f', response: {}, parts: [{ inlineData }] }
    const { turns } = read({ contents: [{ parts: [{ inlineData }, { functionResponse }] }] })
    const media = { kind: 'media', source: { data: 'k+M9/QDw==' } }
    expect(turns[0]?.blocks).toMatchObject([media, { content: [{}, media] }])
  })

  it('takes null for absent', () => {
    const asked = read({
      contents,
      systemInstruction: null,
      tools: [{ codeExecution: null, functionDeclarations: [{ name: 'f', parameters: null }] }],
      safetySettings: null,
    })
    expect(asked).toMatchObject({ system: [], tools: [{ kind: 'function', name: 'f' }] })
    expect(asked.ext).toBeUndefined()
    expect(asked.tools[0]).not.toHaveProperty('schema')
  })

  it('keeps a call as it was written', () => {
    const args = '{ "id" : 2512292042121000001, "2":"b","1":"a", "__proto__": {"x":1} }'
    const asked = read(
      `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]}]}`,
    )
    expect(asked.turns[0]?.blocks[0]).toMatchObject({ input: args })
  })

  it('counts the tokens of a wrapped request, too', () => {
    const inner = {
      model: 'models/x',
      contents,
      systemInstruction: { parts: { text: 'Be terse.' } },
    }
    const asked = read({ generateContentRequest: inner }, 'count-tokens')
    expect(asked).toMatchObject({ model: 'the-model', system: [{ text: 'Be terse.' }] })
    expect(read({ contents }, 'count-tokens').turns).toHaveLength(1)
  })
})

describe('bounds of a request', () => {
  it.each([
    [[], 'body: '],
    [{}, 'contents: '],
    [{ contents: 'Hello' }, 'contents: '],
    [{ contents: [{ role: 'assistant', parts: [] }] }, 'contents.0.role: '],
    [{ contents: [{ role: 'user', parts: [{ text: 5 }] }] }, 'contents.0.parts.0.text: '],
    [
      { contents: [{ parts: [{ inlineData: { data: 'AA' } }] }] },
      'contents.0.parts.0.inlineData.mimeType: ',
    ],
    [
      { contents: [{ parts: [{ functionCall: { args: {} } }] }] },
      'contents.0.parts.0.functionCall.name: ',
    ],
    [
      { contents: [{ parts: [{ functionResponse: { name: 'f', response: 'x' } }] }] },
      'contents.0.parts.0.functionResponse.response: ',
    ],
    [{ contents, generationConfig: { temperature: 2.1 } }, 'generationConfig.temperature: '],
    [
      { contents, generationConfig: { stopSequences: ['1', '2', '3', '4', '5', '6'] } },
      'generationConfig.stopSequences: ',
    ],
    [
      { contents, tools: [{ functionDeclarations: [{}] }] },
      'tools.0.functionDeclarations.0.name: ',
    ],
    [
      {
        contents,
        systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] },
      },
      'systemInstruction.parts.0: ',
    ],
  ])('names what is wrong with %j', (body, message) => {
    expect(wrong(body)).toContain(message)
  })

  it('takes what just touches a bound', () => {
    const stopSequences = ['1', '2', '3', '4', '5']
    expect(
      wrong({
        contents,
        generationConfig: { temperature: 2, stopSequences, maxOutputTokens: '100' },
      }),
    ).toBe('nothing')
    expect(wrong({ contents, generationConfig: { temperature: 0 } })).toBe('nothing')
  })
})

const piece = (part: object) => ({ role: 'model', parts: [part] })

describe('a history', () => {
  it('gives calls without ids the same ones on every turn, and finds what a result answers', () => {
    const turn = [
      { role: 'user', parts: [{ text: 'Both.' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'f', args: { n: 1 } } },
          { functionCall: { name: 'f', args: { n: 2 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'f', response: { output: 'one' } } },
          { functionResponse: { name: 'f', response: { output: 'two' } } },
        ],
      },
    ]
    const first = read({ contents: turn })
    const second = read({ contents: [...turn, ...turn] })
    expect(second.turns.slice(0, 3)).toEqual(first.turns)
    const calls = second.turns.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'tool-call' ? [block.id] : [])),
    )
    const answers = second.turns.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'tool-result' ? [block.callId] : [])),
    )
    expect(new Set(calls).size).toBe(4)
    expect(answers).toEqual(calls)
    expect(calls.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true)
  })

  it('goes by ids where there are some', () => {
    const asked = read({
      contents: [
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'a', name: 'f' } },
            { functionCall: { id: 'b', name: 'f' } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'b', name: 'f', response: {} } },
            { functionResponse: { id: 'a', name: 'f', response: {} } },
          ],
        },
      ],
    })
    expect(asked.turns[1]?.blocks).toMatchObject([{ callId: 'b' }, { callId: 'a' }])
  })

  it('prefers the calls of the newest turn when a result only has a name', () => {
    const asked = read({
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { given: 'up' } } }] },
        { role: 'user', parts: [{ text: 'Never mind.' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      ],
    })
    const [newest] = asked.turns[2]?.blocks ?? []
    expect(asked.turns[3]?.blocks[0]).toMatchObject({
      callId: newest?.kind === 'tool-call' && newest.id,
      name: 'f',
    })
  })

  it('knows no name for a result without a call', () => {
    const asked = read({
      contents: [{ parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] }],
    })
    expect(asked.turns[0]?.blocks[0]).toMatchObject({
      kind: 'tool-result',
      name: '',
      ext: { [D]: { name: 'f' } },
    })
  })

  it.each([
    [{ output: 'x' }, 'x', undefined],
    [{ result: 'x' }, 'x', undefined],
    [{ name: 'f', content: 'x' }, 'x', undefined],
    // LiteLLM 1.110
    [{ content: 'x' }, 'x', undefined],
    [{ error: 'x' }, 'x', true],
    [{ error: { code: 4 } }, '{"code":4}', true],
    [{ output: { a: 1 } }, '{"output":{"a":1}}', undefined],
    [{ a: 1, output: 'x' }, '{"a":1,"output":"x"}', undefined],
    [{}, '{}', undefined],
  ])('reads the response %j as %s', (response, content, isError) => {
    const asked = read({ contents: [{ parts: [{ functionResponse: { name: 'f', response } }] }] })
    const [block] = asked.turns[0]?.blocks ?? []
    expect(block?.kind === 'tool-result' && block.content).toEqual([
      { kind: 'text', text: content },
    ])
    expect(block?.kind === 'tool-result' && block.isError).toBe(isError)
  })

  // google-genai 2.34 for Python, and what is built on it, writes all but ASCII as escapes.
  it.each([
    [String.raw`{"n": 10000000000000000000001, "a": "Z\u00fcrich \ud83d\udc09"}`, 'Zürich 🐉'],
    [String.raw`{"n": 10000000000000000000001, "a": "\\u00fc \u0022\n\u0085"}`, undefined],
  ])('reads the letters of the response %s', (response, letters) => {
    const part = `{"functionResponse":{"name":"f","response":${response}}}`
    const [block] = read(`{"contents":[{"parts":[${part}]}]}`).turns[0]?.blocks ?? []
    const text = letters ? `{"n": 10000000000000000000001, "a": "${letters}"}` : response
    expect(block?.kind === 'tool-result' && block.content).toEqual([{ kind: 'text', text }])
  })

  it('joins the pieces in which clients keep a streamed answer, also as contents of their own', () => {
    const asked = read({
      contents: [
        piece({ text: 'Hm', thought: true }),
        piece({ text: 'm.', thought: true, thoughtSignature: 'c2ln' }),
        piece({ text: 'Sun' }),
        piece({ text: ' ' }),
        piece({ text: 'ny.' }),
        piece({ text: '', thoughtSignature: 'dGV4dA==' }),
        piece({ text: 'And more.' }),
      ],
    })
    expect(asked.turns).toEqual([
      {
        role: 'assistant',
        blocks: [
          { kind: 'reasoning', text: 'Hmm.', proof: { dialect: D, value: 'c2ln' } },
          { kind: 'text', text: 'Sun ny.', proof: { dialect: D, value: 'dGV4dA==' } },
          { kind: 'text', text: 'And more.' },
        ],
      },
    ])
  })

  it('takes a signed text for text: only a thought is a thought', () => {
    const asked = read({
      contents: [{ role: 'model', parts: [{ text: 'Hi', thoughtSignature: 'c2ln' }] }],
    })
    expect(asked.turns[0]?.blocks[0]).toMatchObject({ kind: 'text', text: 'Hi' })
  })

  it('keeps parts whole that only this dialect knows', () => {
    const toolCall = { id: 't', toolType: 'FILE_SEARCH', args: {} }
    const asked = read({
      contents: [{ role: 'model', parts: [{ toolCall, thoughtSignature: 'c2ln' }] }],
    })
    const [block] = asked.turns[0]?.blocks ?? []
    expect(block?.kind === 'opaque' && stringify(block.value)).toBe(
      JSON.stringify({ toolCall, thoughtSignature: 'c2ln' }),
    )
  })
})
