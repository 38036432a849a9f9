import { describe, expect, it } from 'vitest'
import { fixture, hear, hearStream } from './help.ts'

const D = 'generate-content'
const chunk = (parts: unknown[], rest: object = {}, top: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
  modelVersion: 'm',
  responseId: 'r',
  ...top,
})

const ending = (...reasons: object[]) =>
  hearStream(reasons.map((reason) => chunk([{ text: 'a' }], reason))).reply.finish
const grounded = (metadata: object) => ({ finishReason: 'STOP', groundingMetadata: metadata })
const body = (parts: unknown[], rest: object = { finishReason: 'STOP' }, top: object = {}) =>
  hear(JSON.stringify(chunk(parts, rest, top)))

describe('a reply', () => {
  it('says the same in one piece and in many', () => {
    const whole = hear(fixture('reply/text.json'))
    const streamed = hearStream(fixture('reply/text.sse'))
    expect(whole.reply).toEqual(streamed.reply)
    expect(whole.reply).toMatchObject({
      id: 'r-text',
      blocks: [
        { kind: 'reasoning', text: 'Hmm.' },
        { kind: 'text', text: 'Grüße 👋', proof: { dialect: D, value: 'dGV4dA==' } },
      ],
      usage: { input: 12, output: 12, reasoning: 7 },
      finish: 'stop',
    })
  })

  it('has calls with every digit of their arguments, ids and proofs of their own', () => {
    const { reply } = hear(fixture('reply/calls.json'))
    const [first, second, third] = reply.blocks
    expect(first).toMatchObject({
      input: '{ "id": 2512292042121000001, "2": "b", "1": "a" }',
      proof: { dialect: D, value: 'Zmlyc3Q=' },
    })
    expect(second).toMatchObject({ input: '{}' })
    expect(second).not.toHaveProperty('proof')
    expect(third).toMatchObject({ id: 'own-1', name: 'now', input: '{}' })
    expect(
      first?.kind === 'tool-call' && second?.kind === 'tool-call' && first.id !== second.id,
    ).toBe(true)
    expect(reply.finish).toBe('tool-call')
    expect(reply.usage).toMatchObject({ input: 105, cacheRead: 75, output: 20, toolUse: 5 })
  })

  it('has a call without a name as what nobody knows', () => {
    const part = { functionCall: { args: { a: 1 } } }
    expect(body([part]).reply.blocks).toMatchObject([{ kind: 'opaque' }])
  })

  it('puts arguments together that come in pieces', () => {
    const { reply } = hearStream(fixture('reply/pieces.sse'))
    const [call] = reply.blocks
    expect(call?.kind === 'tool-call' && JSON.parse(call.input)).toEqual({
      city: 'Paris',
      rooms: [{ beds: 2 }, { beds: 1 }],
      'late out': true,
      note: null,
    })
    expect(call).toMatchObject({ name: 'book', proof: { value: 'Y2FsbA==' } })
  })

  // A program in Go that has one type for all parts writes the text of each, also where there is none.
  it('has what stands beside an empty text', () => {
    const bare = [
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
      { executableCode: { code: '1', language: 'PYTHON' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
    ]
    const parts = bare.map((part) => ({ text: '', ...part }))
    expect(body(parts).reply.blocks).toHaveLength(3)
    expect(body(parts).reply).toEqual(body(bare).reply)
    expect(hearStream([chunk(parts)]).reply.blocks).toEqual(hearStream([chunk(bare)]).reply.blocks)
  })

  it('puts them together where all kinds of a value but one are null', () => {
    const unset = { stringValue: null, numberValue: null, boolValue: null, nullValue: null }
    const partialArgs = [
      { jsonPath: '$.city', ...unset, stringValue: 'Paris' },
      { jsonPath: '$.rooms', ...unset, numberValue: 0 },
      { jsonPath: '$.late', ...unset, boolValue: false },
      { jsonPath: '$.note', ...unset },
    ]
    const { reply } = hearStream([
      chunk([{ functionCall: { name: 'book', partialArgs, willContinue: true } }], {}),
      chunk([{ functionCall: {} }], { finishReason: 'STOP' }),
    ])
    const [call] = reply.blocks
    expect(call?.kind === 'tool-call' && JSON.parse(call.input)).toEqual({
      city: 'Paris',
      rooms: 0,
      late: false,
      note: null,
    })
  })

  it('has citations where the text has them, counted as text is counted here', () => {
    const { reply } = hear(fixture('reply/grounded.json'))
    expect(reply.blocks[0]).toMatchObject({
      citations: [
        { url: 'https://example.com/z', title: 'Z', start: 0, end: 15 },
        { title: 'notes.txt', quote: 'It rains in Ulm.', start: 16, end: 27 },
      ],
    })
    expect(reply.blocks[1]).toMatchObject({
      kind: 'search',
      queries: ['weather Zürich'],
      sources: [{ url: 'https://example.com/z', title: 'Z' }],
    })
  })

  it('reads quoted sources under both of their names', () => {
    for (const name of ['citationSources', 'citations']) {
      const sources = [{ startIndex: 1, endIndex: 3, uri: 'https://example.com', license: 'MIT' }]
      const { reply } = body([{ text: 'abcd' }], {
        finishReason: 'STOP',
        citationMetadata: { [name]: sources },
      })
      expect(reply.blocks[0]).toMatchObject({
        citations: [{ url: 'https://example.com', start: 1, end: 3 }],
      })
    }
  })

  it('has code, its result, pictures, and whole what only this dialect knows', () => {
    const { reply } = hear(fixture('reply/code.json'))
    const [, code, result, picture, search] = reply.blocks
    expect(code).toMatchObject({ kind: 'code', language: 'python', code: 'print(2**20)' })
    expect(result).toMatchObject({
      kind: 'code-result',
      outcome: 'ok',
      callId: code?.kind === 'code' && code.id,
    })
    expect(picture).toMatchObject({ kind: 'media', mediaType: 'image/png' })
    expect(search).toMatchObject({ kind: 'opaque', dialect: D })
    expect(reply.finish).toBe('length')
  })

  it('gives a caller’s names back and opens wrapped inputs', () => {
    const tools = [{ kind: 'text' as const, name: 'patch', namespace: 'files' }]
    const text = JSON.stringify(
      chunk([{ functionCall: { name: 'files__patch', args: { input: '*** Begin' } } }], {
        finishReason: 'STOP',
      }),
    )
    expect(hear(text, { tools }).reply.blocks[0]).toMatchObject({
      name: 'patch',
      namespace: 'files',
      form: 'text',
      input: '*** Begin',
    })
  })

  it.each([
    ['ESCALATION', 'safety'],
    ['PUP_LIMITED_DISABLED', 'safety'],
    ['MODEL_ARMOR', 'safety'],
    ['MISSING_THOUGHT_SIGNATURE', 'other'],
  ])('reads the end %s of @google/genai 3.3.0 as %s', (finishReason, finish) => {
    expect(body([{ text: 'Well' }], { finishReason }).reply.finish).toBe(finish)
  })

  it('tolerates candidates without content, and ignores all but the first', () => {
    expect(hear('{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}').reply).toMatchObject(
      { blocks: [], finish: 'malformed-call' },
    )
    expect(hear('{"candidates":[{"content":{}}]}').reply.finish).toBe('other')
    const second = { content: { parts: [{ text: 'two' }] }, index: 1, finishReason: 'STOP' }
    const { reply, losses } = hear(
      JSON.stringify({
        candidates: [{ content: { parts: [{ text: 'one' }] }, finishReason: 'STOP' }, second],
      }),
    )
    expect(reply.blocks).toEqual([{ kind: 'text', text: 'one' }])
    expect(losses).toEqual(['dropped reply.candidates'])
  })

  it('is a refusal of the prompt when there is a reason for one and no candidate', () => {
    expect(hear(fixture('reply/blocked.json')).reply).toMatchObject({
      blocks: [],
      finish: 'safety',
      usage: { input: 12, output: 0 },
    })
    expect(hearStream([{ promptFeedback: { blockReason: 'OTHER' } }]).reply.finish).toBe('safety')
  })
})

describe('why a reply ends', () => {
  it.each(['SAFETY', 'PROHIBITED_CONTENT', 'MALFORMED_FUNCTION_CALL', 'OTHER'])(
    'is explained where there is no answer: %s',
    (finishReason) => {
      const finishMessage = 'Not that.'
      const { reply } = body([{ text: 'a' }], { finishReason, finishMessage })
      expect(reply.refused).toEqual({ explanation: finishMessage })
      expect(reply.ext?.[D] ?? {}).not.toHaveProperty('finishMessage')
      const streamed = hearStream([chunk([], { finishReason, finishMessage })])
      expect(streamed.reply.refused).toEqual({ explanation: finishMessage })
    },
  )

  it('is explained where the prompt is refused, and kept where nothing is', () => {
    const promptFeedback = { blockReason: 'OTHER', blockReasonMessage: 'Not this.' }
    const { reply } = hearStream([{ promptFeedback }])
    expect(reply.refused).toEqual({ explanation: 'Not this.' })
    expect(reply.ext?.[D]).toEqual({ promptFeedback: { blockReason: 'OTHER' } })
    const ended = body([{ text: 'a' }], { finishReason: 'STOP', finishMessage: 'Done.' })
    expect(ended.reply).not.toHaveProperty('refused')
    expect(ended.reply.ext?.[D]).toEqual({ finishMessage: 'Done.' })
  })

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'safety'],
    ['RECITATION', 'recitation'],
    ['LANGUAGE', 'other'],
    ['OTHER', 'other'],
    ['BLOCKLIST', 'safety'],
    ['PROHIBITED_CONTENT', 'safety'],
    ['SPII', 'safety'],
    ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
    ['IMAGE_SAFETY', 'safety'],
    ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
    ['A_NEW_ONE', 'other'],
    ['FINISH_REASON_UNSPECIFIED', 'other'],
    [1, 'stop'],
    [2, 'length'],
    [99, 'other'],
  ])('%s is %s', (finishReason, finish) => {
    expect(body([{ text: 'a' }], { finishReason }).reply.finish).toBe(finish)
  })

  it('is any that was given, before or behind one that was not set', () => {
    const unset = { finishReason: 'FINISH_REASON_UNSPECIFIED' }
    expect(ending(unset, unset)).toBe('other')
    expect(ending(unset, { finishReason: 'STOP' }, { finishReason: 0 })).toBe('stop')
    expect(ending({ finishReason: 'MAX_TOKENS' }, unset)).toBe('length')
  })

  it('is that results are awaited, when it stops after a call in whatever chunk', () => {
    const call = { functionCall: { name: 'f' } }
    expect(
      hearStream([
        chunk([call]),
        chunk([{ text: 'a' }]),
        chunk([{ text: '' }], { finishReason: 'STOP' }),
      ]).reply.finish,
    ).toBe('tool-call')
    expect(body([call], { finishReason: 'FINISH_REASON_UNSPECIFIED' }).reply.finish).toBe(
      'tool-call',
    )
    expect(body([call], { finishReason: 'MAX_TOKENS' }).reply.finish).toBe('length')
    expect(
      hearStream([
        chunk([call], { finishReason: 'MAX_TOKENS' }),
        chunk([], { finishReason: 'STOP' }),
      ]).reply.finish,
    ).toBe('length')
  })

  it('is unknown when the stream is cut', () => {
    expect(hearStream([chunk([{ text: 'Half' }])]).problem).toMatchObject({ kind: 'bad-upstream' })
    expect(hearStream([]).problem).toMatchObject({ kind: 'bad-upstream' })
  })
})

const usage = (usageMetadata: object) =>
  body([{ text: 'a' }], { finishReason: 'STOP' }, { usageMetadata }).reply.usage

const count = (candidatesTokenCount: number) => ({
  usageMetadata: {
    promptTokenCount: 3,
    candidatesTokenCount,
    totalTokenCount: 3 + candidatesTokenCount,
  },
})

describe('counts', () => {
  it('go by the total, whether candidates are counted with thoughts or without', () => {
    expect(
      usage({
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 7,
        totalTokenCount: 22,
      }),
    ).toEqual({ input: 10, output: 12, reasoning: 7 })
    expect(
      usage({
        promptTokenCount: 10,
        candidatesTokenCount: 12,
        thoughtsTokenCount: 7,
        totalTokenCount: 22,
      }),
    ).toEqual({ input: 10, output: 12, reasoning: 7 })
    expect(
      usage({ promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 7 }),
    ).toMatchObject({ output: 12 })
    expect(
      usage({ candidatesTokenCount: 1, thoughtsTokenCount: 9, totalTokenCount: 110 }),
    ).toMatchObject({ input: 100, output: 10 })
  })

  it('are the last ones of a stream', () => {
    const { reply, events } = hearStream([
      chunk([{ text: 'a' }], {}, count(1)),
      chunk([{ text: 'b' }], { finishReason: 'STOP' }, count(2)),
      { usageMetadata: count(4).usageMetadata },
    ])
    expect(reply.usage).toEqual({ input: 3, output: 4 })
    expect(events[1]).toEqual({ type: 'usage', usage: { input: 3, output: 1 } })
  })

  it('stand at the start of a stream already, as far as they are known', () => {
    const { events } = hearStream([chunk([{ text: 'a' }], { finishReason: 'STOP' }, count(1))])
    expect(events[0]).toMatchObject({ type: 'start', usage: { input: 3, output: 1 } })
  })

  it('are absent when there are none', () => {
    expect(usage({ trafficType: 'ON_DEMAND' })).toBeUndefined()
    expect(usage({ promptTokenCount: -5, candidatesTokenCount: 'x' })).toBeUndefined()
  })
})

describe('sources', () => {
  const segment = { startIndex: 0, endIndex: 5, text: 'Blue.' }
  const web = { web: { uri: 'https://a.example', title: 'A' } }

  it('that come when their text is over are reported', () => {
    const metadata = {
      webSearchQueries: ['sky'],
      groundingChunks: [web],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
    }
    const late = [
      chunk([{ text: 'Blue.' }]),
      chunk([{ functionCall: { name: 'f' } }]),
      chunk([{ text: '' }], grounded(metadata)),
    ]
    expect(hearStream(late).losses).toEqual(['dropped reply.citations'])
    const { reply, losses } = body([{ text: 'Blue.' }], grounded(metadata))
    expect(losses).toEqual([])
    expect(reply.blocks[0]).toMatchObject({ citations: [{ url: 'https://a.example' }] })
  })

  // A program that dumps the types of google-genai writes all kinds of a source, and all but one are null.
  it('are found among kinds that are null', () => {
    const unset = { image: null, maps: null, retrievedContext: null }
    const { reply, losses } = body(
      [{ text: 'Blue.' }],
      grounded({
        webSearchQueries: ['sky'],
        searchEntryPoint: null,
        groundingChunks: [{ ...unset, ...web }],
        groundingSupports: [{ segment, groundingChunkIndices: [0] }],
      }),
    )
    expect(reply.blocks).toMatchObject([
      { kind: 'text', citations: [{ url: 'https://a.example' }] },
      { kind: 'search', sources: [{ url: 'https://a.example', title: 'A' }] },
    ])
    expect(losses).toEqual([])
  })

  it('are found by their words where their places are wrong', () => {
    const wrong = { startIndex: 90, endIndex: 99, text: 'Blue.' }
    const { reply } = body(
      [{ text: 'The sky? Blue.' }],
      grounded({
        groundingChunks: [web],
        groundingSupports: [{ segment: wrong, groundingChunkIndices: [0] }],
      }),
    )
    expect(reply.blocks[0]).toMatchObject({ citations: [{ start: 9, end: 14 }] })
  })

  it.each([
    [2, [undefined, 'b']],
    // A number that is no text's: the last text that says these words takes it.
    [1, [undefined, 'b']],
    [undefined, ['b', undefined]],
  ])(
    'belong to the part %s that they name, not to an earlier one of the same words',
    (part, urls) => {
      const support = { ...segment, ...(part !== undefined && { partIndex: part }) }
      const { reply } = body(
        [{ text: 'Blue. So.' }, { functionCall: { name: 'f' } }, { text: 'Blue. No.' }],
        grounded({
          groundingChunks: [{ web: { uri: 'b' } }],
          groundingSupports: [{ segment: support, groundingChunkIndices: [0] }],
        }),
      )
      const texts = reply.blocks.filter((block) => block.kind === 'text')
      expect(texts.map(({ citations }) => citations?.[0]?.url)).toEqual(urls)
    },
  )

  it.each([
    ['are not there', { groundingSupports: [{ segment, groundingChunkIndices: [7] }] }],
    ['nothing is said about', { groundingChunks: [web] }],
    ['come without a search', { searchEntryPoint: { renderedContent: '<b>' } }],
  ])('that %s are reported', (_, metadata) => {
    expect(body([{ text: 'Blue.' }], grounded(metadata)).losses).toEqual([
      'dropped reply.citations',
    ])
  })
})

describe('what is no reply', () => {
  it('is a problem, also behind the first chunk and as the bare tail of a stream', () => {
    const { reply, problem } = hearStream(fixture('reply/failed.sse'))
    expect(reply.blocks).toEqual([{ kind: 'text', text: 'Half of' }])
    expect(problem).toMatchObject({ kind: 'overloaded' })
    const tail =
      'data: {"candidates":[]}\n\n{\n "error": {\n  "code": 499, "message": "cancelled", "status": "CANCELLED"\n }\n}\n'
    expect(hearStream(tail).problem).toMatchObject({ kind: 'cancelled', message: 'cancelled' })
  })

  it.each([
    '[{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}]',
    '{"error":{"code":429,"message":"slow"}}',
  ])('is a problem in the body %s', (text) => {
    expect(hear(text).problem).toMatchObject({ kind: 'rate-limit', message: 'slow' })
  })

  it.each(['null', '[]', '"text"', '{}', '5'])('is a problem as %s', (text) => {
    expect(hear(text).problem).toMatchObject({ kind: 'bad-upstream' })
  })

  it('is a problem when it is not even JSON', () => {
    expect(hearStream('data: <html>\n\n').problem).toMatchObject({ kind: 'bad-upstream' })
  })

  it('may be a list of chunks', () => {
    const chunks = [chunk([{ text: 'a' }]), chunk([{ text: 'b' }], { finishReason: 'STOP' })]
    expect(hear(JSON.stringify(chunks)).reply.blocks).toEqual([{ kind: 'text', text: 'ab' }])
    expect(hearStream([chunks]).reply.blocks).toEqual([{ kind: 'text', text: 'ab' }])
  })
})
